import Messages
import Pipeline
import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// Ids are told apart by their bytes, where Swift takes two spellings of one text for the same.
    @Suite struct SpellingTests {
        private static let composed = "caf\u{e9}"
        private static let decomposed = "cafe\u{301}"

        @Test("Two calendars whose ids are spellings of one text both answer, and the timeline has the events of both")
        func calendars() async throws {
            try await PipelineFixture.run { pipeline in
                let ids = #"["\#(Self.composed)", "\#(Self.decomposed)"]"#
                pipeline.configuration("c1", #""strategy": "events", "calendarIds": \#(ids)"#)
                pipeline.event(Self.composed, "First", "09:00", "10:00")
                pipeline.event(Self.decomposed, "Second", "11:00", "12:00")
                try await pipeline.settle()
                let uids = Set(try pipeline.timeline("c1").timeline.entries.compactMap(\.event?.uid))
                #expect(uids == ["First", "Second"])
            }
        }

        @Test("A configuration that goes over to the other spelling of its vehicle's id leaves the first one")
        func vehicles() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.moving(Self.composed, "08:00", speed: 10)
                pipeline.configuration("c1", #""vehicleId": "\#(Self.composed)""#)
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "\#(Self.decomposed)""#)
                try await pipeline.settle()
                let memory = try #require(pipeline.memory).memory
                var newest: [[UInt8]: [UInt8]?] = [:]
                for record in memory.records(pipeline.plan.settings.stateTopic) {
                    newest[record.key ?? []] = record.value
                }
                let subscriptions = newest.filter { key, value in key.first == 0x80 | 2 && value != nil }
                #expect(subscriptions.count == 1)
            }
        }

        @Test("A request for a kind is gone on with when one for another spelling of it comes")
        func requests() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.plan.topology.flushPortion = 1
                try await pipeline.restart()
                for (number, kind) in [Self.composed, Self.decomposed].enumerated() {
                    for one in 1...3 {
                        pipeline.configuration("c\(number)-\(one)", #""kind": "\#(kind)", "strategy": "hourly""#)
                    }
                }
                try await pipeline.settle()
                pipeline.advance(.minutes(1))
                try await pipeline.settle()
                let memory = try #require(pipeline.memory).memory
                let exchange = pipeline.plan.settings.exchangeTopic
                for partition in 0..<Partition(memory.partitionCount(of: exchange)) {
                    for kind in [Self.composed, Self.decomposed] {
                        memory.append(exchange, partition, key: nil, value: ReloadRequest(kind: kind).envelope)
                    }
                }
                try await pipeline.settle()
                pipeline.advance(.minutes(1))
                try await pipeline.settle()
                for id in (0...1).flatMap({ number in (1...3).map { "c\(number)-\($0)" } }) {
                    #expect(pipeline.reloads(id).map(\.reason) == [.configurationChanged, .requested], "\(id)")
                }
            }
        }
    }
}
