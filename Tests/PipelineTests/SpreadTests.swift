import Messages
import Pipeline
import RecordLog
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// The work of renewals that are due together is spread over a time; their instants are not.
    @Suite struct SpreadTests {
        private static let spread = ElapsedTime.minutes(10)
        private static let ids = (0..<1_000).map { "configuration-\($0)" }

        private func run(
            leaving: Bool = false, partitions: [Int32] = [1, 1, 1], _ body: (PipelineFixture) async throws -> Void
        ) async throws {
            try await PipelineFixture.run(
                .init(
                    partitions: partitions,
                    change: { settings in
                        settings.spread = Self.spread
                        settings.leavesWhenCaughtUp = leaving
                    })
            ) { pipeline in
                // What holds for every record is checked when outputs are read.
                pipeline.memory?.afterStep = {}
                try await body(pipeline)
            }
        }

        /// How many timelines are published in each of the ten minutes past `due`; checks that all are made for it.
        private func perMinute(_ pipeline: PipelineFixture, due: String) async throws -> [Int] {
            let memory = try #require(pipeline.memory)
            func count() -> Int { memory.committedRecords([pipeline.topics.timelines]).count }
            let before = count()
            var counts: [Int] = []
            for minute in 1...10 {
                pipeline.advance(to: (at(due) + .minutes(Int64(minute))).rfc3339)
                try memory.settle(pipeline.plan)
                counts.append(count() - before - counts.reduce(0, +))
            }
            try await pipeline.readOutputs()
            #expect(
                pipeline.outputs.timelines.count { $0.timeline?.generatedAt == at(due) } == counts.reduce(0, +))
            return counts
        }

        /// A thousand draws in ten drawers: each within six standard deviations.
        private func isEven(_ counts: [Int], of total: Int) -> Bool {
            let mean = Double(total) / 10
            return counts.reduce(0, +) == total && counts.allSatisfy { abs(Double($0) - mean) < 6 * mean.squareRoot() }
        }

        private static let ways: [(fields: String, partitions: Int32)] = [
            (#""vehicleId": "v1", "strategy": {"name": "status", "parkedEvery": "PT1H"}"#, 1),
            (#""strategy": {"name": "fixedInterval", "every": "PT1H", "span": "PT2H"}"#, 4),
        ]

        private func fill(
            _ pipeline: PipelineFixture, _ ids: some Sequence<String>, _ fields: String
        ) async throws {
            pipeline.parked("v1", "08:00")
            try await pipeline.settle()
            for id in ids { pipeline.configuration(id, fields) }
            try await pipeline.settle()
            try await pipeline.settle(at: "08:59:59")
        }

        @Test(
            "A thousand renewals that are due together fire evenly over the spread, for their due date", arguments: ways
        )
        func even(_ fields: String, partitions: Int32) async throws {
            try await run(partitions: [partitions, partitions, partitions]) { pipeline in
                try await fill(pipeline, Self.ids, fields)
                #expect(pipeline.outputs.timelines.count == 1_000)
                let counts = try await perMinute(pipeline, due: "09:00")
                #expect(isEven(counts, of: 1_000), "\(counts)")
            }
        }

        @Test("Each configuration has its share, always the same", arguments: ways)
        func fixed(_ fields: String, partitions: Int32) async throws {
            try await run(partitions: [partitions, partitions, partitions]) { pipeline in
                try await fill(pipeline, Self.ids[..<100], fields)
                let first = try await perMinute(pipeline, due: "09:00")
                try await pipeline.restart()
                let second = try await perMinute(pipeline, due: "10:00")
                #expect(first == second)
                #expect(first.reduce(0, +) == 100)
            }
        }

        @Test("The configurations of one task have even shares, too")
        func evenWithinATask() async throws {
            try await run(partitions: [8, 8, 8]) { pipeline in
                let mine = (0..<4_000).map { "c\($0)" }.filter { Murmur2.partition(of: $0, partitions: 8) == 3 }
                #expect(mine.count > 400)
                let fields = #""strategy": {"name": "fixedInterval", "every": "PT1H", "span": "PT2H"}"#
                for id in mine { pipeline.configuration(id, fields) }
                try await pipeline.settle()
                let counts = try await perMinute(pipeline, due: "09:00")
                #expect(isEven(counts, of: mine.count), "\(counts)")
            }
        }

        @Test("Midnight's renewals are spread; what the calendars tell each other about it makes none")
        func midnight() async throws {
            try await run { pipeline in
                for id in Self.ids[..<200] { pipeline.configuration(id, #""calendarIds": ["work"]"#) }
                try await pipeline.settle()
                try await pipeline.settle(at: "2026-03-03T00:00:00Z")
                // A change outside the new window, while most still show the old one.
                pipeline.event("work", "Far", "2026-03-09T09:00:00Z", "2026-03-09T10:00:00Z")
                let counts = try await perMinute(pipeline, due: "2026-03-03T00:00:00Z")
                #expect(counts.reduce(0, +) >= 199)
                #expect(pipeline.outputs.timelines.count == 400)
                #expect(counts.allSatisfy { $0 < 60 }, "\(counts)")
            }
        }

        @Test("Changes of status and silences wait for nothing")
        func statusChanges() async throws {
            try await run { pipeline in
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                for id in Self.ids[..<50] {
                    pipeline.configuration(id, #""vehicleId": "v1", "strategy": {"name": "status", "every": "P1D"}"#)
                }
                try await pipeline.settle()
                pipeline.telemetry("v1", "08:00:10", #""status": "Stopped""#)
                try await pipeline.settle(at: "08:00:10")
                #expect(pipeline.outputs.timelines.count == 100)
                try await pipeline.settle(at: "08:30:10")
                #expect(pipeline.outputs.timelines.count == 150)
                #expect(try pipeline.phases(Self.ids[7]) == ["stale"])
            }
        }

        @Test("Where the next renewal is due sooner than the spread is long, each is made before the next")
        func shortIntervals() async throws {
            try await run { pipeline in
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                for id in Self.ids[..<50] { pipeline.configuration(id, #""vehicleId": "v1""#) }
                try await pipeline.settle()
                for minute in 1...8 {
                    try await pipeline.settle(at: "08:0\(minute)")
                    for id in Self.ids[..<50] {
                        #expect(try pipeline.timeline(id).generatedAt > pipeline.clock.now - .minutes(4))
                    }
                }
                #expect(Set(Self.ids[..<50].map { pipeline.history($0).count }).isSubset(of: [4, 5]))
            }
        }

        @Test("A pause counts from the time at which a renewal would have fired")
        func pause() async throws {
            try await run { pipeline in
                let fields = #""strategy": {"name": "fixedInterval", "every": "PT1H", "span": "PT2H"}"#
                for id in Self.ids[..<100] { pipeline.configuration(id, fields) }
                try await pipeline.settle()
                try await pipeline.settle(at: "09:10")
                let made = pipeline.outputs.timelines.compactMap(\.timeline?.generatedAt)
                let onTime = made.count { $0 == at("09:00") }
                #expect(made.count == 200)
                #expect(made.count { $0 == at("09:10") } == 100 - onTime)
                #expect((2...30).contains(onTime), "those that fire in the last minute of ten: \(onTime)")
            }
        }

        @Test("A run that ends when it has caught up waits for nothing")
        func caughtUp() async throws {
            try await run(leaving: true) { pipeline in
                let fields = #""strategy": {"name": "fixedInterval", "every": "PT1H", "span": "PT2H"}"#
                for id in Self.ids[..<50] { pipeline.configuration(id, fields) }
                try await pipeline.settle()
                try await pipeline.settle(at: "09:00")
                #expect(pipeline.outputs.timelines.count == 100)
            }
        }
    }
}
