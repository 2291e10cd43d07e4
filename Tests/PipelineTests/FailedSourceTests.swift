import Messages
import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// Sources that fail are told of once, when they begin to.
    @Suite struct FailedSourceTests {
        @Test("a configuration that cannot be used is told of once; mended and broken again, once more")
        func configuration() async throws {
            try await PipelineFixture.run { pipeline in
                let events = try #require(pipeline.memory).events
                let wrong = #""vehicleId": "v1", "strategy": "nonsense""#
                pipeline.configuration("c1", wrong)
                pipeline.configuration("right", #""vehicleId": "v1""#)
                try await pipeline.settle()
                let failure = try #require(events.now.failedSources.first)
                #expect(events.now.failedSources.count == 1, "\(events.now.failedSources)")
                #expect(failure["configurationId"] == "c1" && failure["source"] == "configuration")
                #expect(failure["topic"] == pipeline.topics.configurations && failure["offset"] != nil)
                #expect(failure["partition"] != nil && failure["reason"]?.contains("nonsense") == true, "\(failure)")
                // Another mistake is another timeline, and the same failure.
                pipeline.configuration("c1", #""vehicleId": "v1", "strategy": "gibberish""#)
                try await pipeline.settle(at: "08:01")
                #expect(pipeline.history("c1").count == 2 && events.now.failedSources.count == 1)
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle(at: "08:02")
                #expect(events.now.failedSources.count == 1)
                pipeline.configuration("c1", wrong)
                try await pipeline.settle(at: "08:03")
                #expect(events.now.failedSources.count == 2)
            }
        }

        @Test("what an aborted transaction found is told of once, when it is committed")
        func aborted() async throws {
            try await PipelineFixture.run { pipeline in
                let memory = try #require(pipeline.memory)
                pipeline.configuration("c1", "")
                try await pipeline.settle()
                memory.memory.inject(.abortable(.init(.other, name: "_TEST", "test")), into: .commit, times: 1)
                pipeline.configuration("c1", #""strategy": "nonsense""#)
                try await pipeline.settle(at: "08:01")
                #expect(memory.events.now.aborts == 1 && memory.events.now.failedSources.count == 1)
            }
        }

        @Test("a vehicle whose newest record cannot be read is named, with the reason")
        func vehicle() async throws {
            try await PipelineFixture.run { pipeline in
                let events = try #require(pipeline.memory).events
                pipeline.moving("v1", "08:00")
                pipeline.configuration("c1", #""vehicleId": "v1", "strategy": "fetched""#)
                try await pipeline.settle()
                pipeline.put(pipeline.topics.telemetry, key: "v1", "no JSON")
                try await pipeline.settle(at: "08:15")
                let failure = try #require(events.now.failedSources.first)
                #expect(failure["configurationId"] == "c1" && failure["source"] == "vehicle v1", "\(failure)")
                #expect(failure["reason"] == "the newest record of vehicle v1 cannot be read", "\(failure)")
                #expect(failure["topic"] == pipeline.topics.telemetry)
                pipeline.moving("v1", "08:16")
                try await pipeline.settle(at: "08:20")
                #expect(events.now.failedSources.count == 1)
            }
        }
    }
}
