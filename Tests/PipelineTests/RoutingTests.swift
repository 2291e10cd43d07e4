import Messages
import RecordLog
import Seeds
import StreamCore
import Testing
import Timelines

extension PipelineTests {
    /// Every producer's partitioner and every partition count gives the same (DESIGN.md, "In place or forwarded").
    @Suite struct RoutingTests {
        @Test(
            "Records in partitions that another partitioner chose are forwarded and give the same",
            arguments: Ground.allCases)
        func foreignPartitions(_ ground: Ground) async throws {
            let home = try await scenario(on: .memory, [4, 4, 4], foreign: false, threads: 1)
            let away = try await scenario(on: ground, [4, 4, 4], foreign: true, threads: 1)
            #expect(home == away)
        }

        @Test(
            "Inputs with other partition counts give the same",
            arguments: [[1, 1, 1], [1, 2, 5], [6, 1, 3], [2, 7, 1]])
        func otherCounts(_ counts: [Int32]) async throws {
            let same = try await scenario(on: .memory, [4, 4, 4], foreign: false, threads: 1)
            for threads in [1, 2, 3] {
                #expect(try await scenario(on: .memory, counts, foreign: false, threads: threads) == same)
            }
        }

        @Test("Inputs with other partition counts give the same on a broker, with two threads")
        func otherCountsOnTheBroker() async throws {
            let same = try await scenario(on: .memory, [4, 4, 4], foreign: false, threads: 1)
            #expect(try await scenario(on: .broker, [5, 1, 3], foreign: true, threads: 2) == same)
        }

        @Test("In place nothing is forwarded; elsewhere every record is, once")
        func forwardedOnce() async throws {
            for (foreign, forwarded) in [(false, 0), (true, 20)] {
                try await PipelineFixture.run(.init(partitions: [4, 4, 4])) { pipeline in
                    for number in 0..<20 {
                        let id = "v\(number)"
                        let home = Murmur2.partition(of: id, partitions: 4)
                        pipeline.telemetry(
                            id, "08:00", #""speed": 5"#, partition: foreign ? home.advanced(by: 1) % 4 : home)
                    }
                    try await pipeline.settle()
                    let counters = try #require(pipeline.memory).counters
                    #expect(counters.forwarded == forwarded)
                    #expect(counters.records == 20)
                }
            }
        }

        @Test("A forwarded record keeps key, headers and origin")
        func forwardedOrigin() async throws {
            try await PipelineFixture.run(.init(partitions: [4, 4, 4])) { pipeline in
                let home = Murmur2.partition(of: "v1", partitions: 4)
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                let trace = Header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                pipeline.telemetry("v1", "08:00", #""speed": 5"#, headers: [trace], partition: home.advanced(by: 2) % 4)
                try await pipeline.settle()
                #expect(
                    try pipeline.timeline("c1").sources.last
                        == SourceOffset(
                            topic: pipeline.topics.telemetry, partition: (home.advanced(by: 2) % 4).rawValue, offset: 0)
                )
                #expect(
                    pipeline.published("c1").last?.record.header("traceparent")
                        == trace.value.map { String(decoding: $0, as: UTF8.self) })
            }
        }

        /// The last timelines of a small world, as text, without what depends on the way there.
        private func scenario(
            on ground: Ground, _ counts: [Int32], foreign: Bool, threads: Int
        ) async throws -> [String] {
            var result: [String] = []
            try await PipelineFixture.run(on: ground, .init(partitions: counts, threads: threads)) { pipeline in
                func place(_ key: String, _ count: Int32) -> Partition? {
                    foreign ? Murmur2.partition(of: key, partitions: count).advanced(by: 1) % count : nil
                }
                for number in 0..<8 {
                    let vehicle = "v\(number % 5)"
                    pipeline.configuration(
                        "c\(number)",
                        #""vehicleId": "\#(vehicle)", "calendarIds": ["cal\#(number % 3)", "cal3"]"#
                            + (number % 2 == 0 ? #", "strategy": "events""# : ""),
                        partition: place("c\(number)", counts[2]))
                    pipeline.telemetry(
                        vehicle, "07:5\(number)", #""speed": \#(number * 10)"#, partition: place(vehicle, counts[0]))
                    let calendar = "cal\(number % 4)"
                    pipeline.event(
                        calendar, "e\(number)", "1\(number):00", "1\(number):30",
                        partition: place(calendar, counts[1]))
                }
                try await pipeline.settle()
                pipeline.removeEvent("cal1/e5", partition: place("cal1", counts[1]))
                pipeline.removeConfiguration("c7", partition: place("c7", counts[2]))
                pipeline.telemetry("v1", "07:59:30", #""ignition": false"#, partition: place("v1", counts[0]))
                try await pipeline.settle()
                result = try (0..<7).map { try pipeline.timeline("c\($0)").contentText }
                #expect(pipeline.published("c7").last?.record.value == nil)
            }
            return result
        }
    }
}
