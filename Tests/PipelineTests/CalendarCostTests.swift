import Messages
import Pipeline
import RecordLog
import Simulation
import StreamRuntime
import Synchronization
import Testing
import Timelines

/// Counts which series a pipeline expands, on whichever thread.
final class Expansions: Sendable {
    private let uids = Mutex<[String]>([])

    func note(_ uid: String) { uids.withLock { $0.append(uid) } }

    /// Since the last call, sorted.
    func take() -> [String] {
        uids.withLock { uids in
            defer { uids = [] }
            return uids.sorted()
        }
    }
}

extension PipelineTests {
    /// What calendars cost, counted by the series that are expanded.
    @Suite struct CalendarCostTests {
        @Test("An update of one event expands it alone, once for all subscriptions that see the same window")
        func update() async throws {
            try await run { pipeline, expansions in
                for number in 0..<300 {
                    // One in three on each of these days, 100 series among them.
                    let day = ["2026-03-02", "2026-03-03", "2026-06-01"][number % 3]
                    let rule = number < 100 ? #""recurrence": ["RRULE:FREQ=WEEKLY"]"# : ""
                    pipeline.event("team", "e\(number)", "\(day)T12:00:00Z", "\(day)T13:00:00Z", rule)
                }
                try await pipeline.settle()
                for number in 0..<20 { pipeline.configuration("utc\(number)", #""calendarIds": ["team"]"#) }
                for number in 0..<10 {
                    pipeline.configuration("z\(number)", #""calendarIds": ["team"], "timeZone": "Europe/Zurich""#)
                }
                try await pipeline.settle()
                // Two windows, each with what can lie in it.
                let expanded = expansions.take()
                #expect(expanded.count == 2 * 200)

                pipeline.event("team", "e0", "10:00", "11:00")
                try await pipeline.settle()
                #expect(expansions.take() == ["e0", "e0"])
                #expect(pipeline.history("utc19").count == 2)
                #expect(try pipeline.outline("z9").contains("start 10:00 e0"))

                // Beyond both windows nothing is expanded, and nobody is told.
                pipeline.event("team", "e299", "2026-06-01T10:00:00Z", "2026-06-01T11:00:00Z")
                pipeline.removeEvent("team/e296")
                try await pipeline.settle()
                #expect(expansions.take() == [])
                #expect(pipeline.history("utc0").count == 2)

                // Gone is gone without a look at it.
                pipeline.removeEvent("team/e0")
                try await pipeline.settle()
                #expect(expansions.take() == [])
                #expect(try !pipeline.outline("z9").contains("start 10:00 e0"))
                #expect(pipeline.history("z9").count == 3)
            }
        }

        @Test("After an abort only what the transaction touched is read and expanded again")
        func abort() async throws {
            try await run { pipeline, expansions in
                for number in 0..<50 { pipeline.event("team", "e\(number)", "12:00", "13:00") }
                pipeline.iCalendar(
                    "team/x.ics", ICalendarEvent("x", "10:00", "10:30"), ICalendarEvent("y", "10:00", "10:30"))
                try await pipeline.settle()
                pipeline.configuration("c1", #""calendarIds": ["team"], "maximumEntries": 500"#)
                try await pipeline.settle()
                #expect(expansions.take().count == 52)
                let memory = try #require(pipeline.memory).memory
                let fault = memory.inject(.abortable(LogError(.other, name: "TEST", "ordered")), into: .commit)
                pipeline.iCalendar("team/x.ics", ICalendarEvent("x", "09:00", "09:30"))
                pipeline.event("team", "e0", "12:00", "13:00", #""status": "tentative""#)
                try await pipeline.settle()
                #expect(memory.timesFired(fault) == 1)
                #expect(expansions.take() == ["e0", "e0", "x", "x"], "in the transaction, and when it was repeated")
                let outline = try pipeline.outline("c1")
                #expect(outline.contains("start 09:00 x"))
                #expect(!outline.contains("start 10:00 x") && !outline.contains("start 10:00 y"))
                #expect(pipeline.history("c1").count == 2)
            }
        }

        @Test("One update is told to a thousand configurations, each once")
        func manyConfigurations() async throws {
            try await run { pipeline, expansions in
                pipeline.event("team", "e", "12:00", "13:00")
                try await pipeline.settle()
                let zones = ["UTC", "Europe/Zurich", "America/Denver", "Asia/Tokyo"]
                for number in 0..<1000 {
                    pipeline.configuration(
                        "c\(number)", #""calendarIds": ["team"], "timeZone": "\#(zones[number % 4])""#)
                }
                try await pipeline.settle()
                #expect(expansions.take().count == 4)
                pipeline.event("team", "e", "14:00", "15:00")
                try await pipeline.settle(at: "08:01")
                #expect(expansions.take() == ["e", "e", "e", "e"])
                let told = Dictionary(grouping: pipeline.outputs.timelines, by: \.configurationId)
                #expect(told.count == 1000)
                #expect(told.values.allSatisfy { $0.map { $0.timeline?.revision } == [1, 2] })
                #expect(pipeline.outputs.reloads.count == 2000)
            }
        }

        @Test("Windows that are over are forgotten: a week of midnights expands each day's window once")
        func midnights() async throws {
            try await run { pipeline, expansions in
                pipeline.event("team", "e", "12:00", "13:00", #""recurrence": ["RRULE:FREQ=DAILY"]"#)
                try await pipeline.settle()
                for number in 0..<10 { pipeline.configuration("c\(number)", #""calendarIds": ["team"]"#) }
                try await pipeline.settle()
                for day in 3...9 { try await pipeline.settle(at: "2026-03-0\(day)T00:00:00Z") }
                #expect(expansions.take().count == 8)
                let rule = #""recurrence": ["RRULE:FREQ=DAILY"]"#
                pipeline.event("team", "e", "12:00", "13:00", rule + #", "location": "Here""#)
                try await pipeline.settle()
                #expect(expansions.take() == ["e"])
            }
        }

        private func run(_ body: (PipelineFixture, Expansions) async throws -> Void) async throws {
            let expansions = Expansions()
            let options = PipelineFixture.Options(change: { settings in
                settings.onExpansion = { _, uid in expansions.note(uid) }
            })
            try await PipelineFixture.run(options) { try await body($0, expansions) }
        }
    }
}
