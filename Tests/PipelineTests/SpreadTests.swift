import Messages
import Pipeline
import RecordLog
import Testing
import Timelines

extension PipelineTests {
    /// The work of renewals that are due together is spread over a time; their instants are not.
    @Suite struct SpreadTests {
        private static let spread: Int64 = 600_000
        private static let ids = (0..<1_000).map { "configuration-\($0)" }

        private func run(
            leaving: Bool = false, partitions: [Int32] = [1, 1, 1], _ body: (PipelineFixture) async throws -> Void
        ) async throws {
            try await PipelineFixture.run(
                .init(
                    partitions: partitions,
                    change: { settings in
                        settings.spreadMilliseconds = Self.spread
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

        @Test(
            "A thousand renewals that are due together fire evenly over the spread, each for its due date",
            arguments: [
                #""vehicleId": "v1", "strategy": {"name": "status", "parkedEvery": "PT1H"}"#,
                #""strategy": {"name": "fixedInterval", "every": "PT1H", "span": "PT2H"}"#,
            ], [1, 4] as [Int32])
        func even(_ fields: String, partitions: Int32) async throws {
            try await run(partitions: [partitions, partitions, partitions]) { pipeline in
                pipeline.parked("v1", "08:00")
                try await pipeline.settle()
                for id in Self.ids { pipeline.configuration(id, fields) }
                try await pipeline.settle()
                #expect(pipeline.outputs.timelines.count == 1_000)
                try await pipeline.settle(at: "08:59:59")
                #expect(pipeline.outputs.timelines.count == 1_000)
                let first = try await perMinute(pipeline, due: "09:00")
                #expect(isEven(first, of: 1_000), "\(first)")
                let second = try await perMinute(pipeline, due: "10:00")
                #expect(second == first, "each has its share, always the same")
            }
        }

        @Test("The configurations of one task have even shares, too")
        func evenWithinATask() async throws {
            try await run(partitions: [8, 8, 8]) { pipeline in
                var mine: [String] = []
                for number in 0... where mine.count < 500 {
                    let id = "c\(number)"
                    if Murmur2.partition(of: id, partitions: 8) == 3 { mine.append(id) }
                }
                let fields = #""strategy": {"name": "fixedInterval", "every": "PT1H", "span": "PT2H"}"#
                for id in mine { pipeline.configuration(id, fields) }
                try await pipeline.settle()
                let counts = try await perMinute(pipeline, due: "09:00")
                #expect(isEven(counts, of: 500), "\(counts)")
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
