import Messages
import Pipeline
import RecordLog
import Simulation
import SimulatedDays
import StreamRuntime
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// What nobody needs any more goes, with all that is kept of it (R19).
    @Suite struct ForgettingTests {
        @Test("R19: Ids that come and go leave no key and no slot behind")
        func waves() {
            var waves = IdWaves(size: 60, permanent: 8)
            for _ in 0..<4 { waves.run() }
            waves.pass(.hours(31 * 24))
            let before = waves.slots
            for _ in 0..<6 { waves.run() }
            #expect(waves.slots.keys > before.keys + 60, "revisions and vehicles are kept for thirty days")
            waves.pass(.hours(31 * 24))
            #expect(waves.slots == before)
            // Of each that stays: a vehicle, a calendar, its record, a configuration, and two subscriptions.
            #expect(waves.slots.keys == 8 * 6 + 2, "and a counter in each task")
        }

        @Test(
            "R19: A vehicle that nobody asks for goes after its expiry, over a restart as well",
            arguments: [false, true])
        func vehicle(isHeardAgain: Bool) async throws {
            try await PipelineFixture.run(.init(change: { $0.vehicleExpiry = .hours(10 * 24) })) { pipeline in
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                try await pipeline.settle(at: "2026-03-09T08:00:00Z")
                // Late, and so no news; but it shows that the vehicle is there.
                if isHeardAgain { pipeline.moving("v1", "07:59") }
                try await pipeline.settle()
                try await pipeline.restart()
                try await pipeline.settle(at: "2026-03-12T08:00:01Z")
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                #expect(try (pipeline.phases("c1") == ["placeholder"]) != isHeardAgain)
            }
        }

        @Test("R19: A vehicle that is asked for stays, and goes when nobody asks for it any more")
        func subscribed() async throws {
            try await PipelineFixture.run(.init(change: { $0.vehicleExpiry = .hours(10 * 24) })) { pipeline in
                pipeline.moving("v1", "08:00")
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                for day in 5...9 { try await pipeline.settle(at: "2026-04-0\(day)T08:00:00Z") }
                pipeline.configuration("c2", #""vehicleId": "v1""#)
                try await pipeline.settle()
                #expect(try pipeline.phases("c2") != ["placeholder"])
                pipeline.removeConfiguration("c1")
                pipeline.removeConfiguration("c2")
                try await pipeline.settle()
                try await pipeline.settle(at: "2026-04-09T08:01:00Z")
                pipeline.configuration("c3", #""vehicleId": "v1""#)
                try await pipeline.settle()
                #expect(try pipeline.phases("c3") == ["placeholder"])
            }
        }

        @Test("An abort costs what was touched: no other configuration is read again")
        func abort() async throws {
            let readings = Expansions()
            let options = PipelineFixture.Options(change: { $0.onReading = { readings.note($0) } })
            try await PipelineFixture.run(options) { pipeline in
                pipeline.moving("v1", "08:00")
                for number in 0..<100 { pipeline.configuration("c\(number)", #""vehicleId": "v1""#) }
                try await pipeline.settle()
                try await pipeline.restart()
                try await pipeline.settle()
                #expect(readings.take().isEmpty, "a restore reads none of them")
                try await pipeline.settle(at: "08:02")
                #expect(readings.take().count == 100, "each is read for its next timeline")
                let memory = try #require(pipeline.memory).memory
                let fault = memory.inject(.abortable(LogError(.other, name: "TEST", "ordered")), into: .commit)
                pipeline.configuration("c7", #""vehicleId": "v2""#)
                try await pipeline.settle()
                try await pipeline.settle(at: "08:04")
                #expect(memory.timesFired(fault) == 1)
                #expect(Set(readings.take()).isSubset(of: ["c7"]))
                #expect(try pipeline.timeline("c8").generatedAt == at("08:04"), "the others' timers are as they were")
            }
        }
    }
}
