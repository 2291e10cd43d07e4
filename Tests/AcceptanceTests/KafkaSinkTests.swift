import FaultInjection
import Foundation
import RdKafka
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    @Suite struct KafkaSinkTests {
        @Test("a topic of another cluster is the compacted source, row by row, whatever was killed in between")
        func killed() async throws {
            var data = GeneratedData(steps: 80)
            let application = try await Application("mirrored")
            try await data.publish(to: application, telemetry: false)
            let telemetry = try application.file("telemetry.jsonl", data.telemetry())
            let target = try await TestBroker.dedicated()
            let mirror = try await makeTopic(on: target)
            let to = "kafka:\(mirror)@\(target.bootstrap)"

            let process = try application.start("process", "--clock", GeneratedData.clock)
            let producer = try application.start("produce", "telemetry", "--json", telemetry, "--rate", "250")
            var (kills, outages, seen) = (0, 0, 0)
            while producer.isRunning && kills < 6 {
                let sink = try application.start("sink", "--to", to)
                let hasWritten = try await eventually(within: .seconds(30), every: .milliseconds(100)) {
                    try await end(of: mirror, on: target) > seen + 20 || !producer.isRunning
                }
                #expect(hasWritten, "\(sink.errorOutput)")
                if kills % 2 == 1 && outages < 2 {
                    // The target dies in the middle, and comes back while the sink waits.
                    try await target.kill()
                    let isTold = await eventually { sink.errorOutput.contains("cannot write to topic \(mirror)") }
                    #expect(isTold, "\(sink.errorOutput)")
                    #expect(sink.isRunning)
                    try await target.restart()
                    let goesOn = await eventually(within: .seconds(60)) { sink.errorOutput.contains("can write again") }
                    #expect(goesOn, "\(sink.errorOutput)")
                    outages += 1
                }
                sink.kill()
                _ = await sink.result()
                seen = try await end(of: mirror, on: target)
                kills += 1
            }
            for program in [producer, process] {
                program.terminate()
                let result = await program.result()
                #expect(result.succeeded, "\(result.failure)")
            }
            try await application.run("sink", "--to", to, "--until-caught-up")
            #expect(kills >= 3 && outages >= 1)

            let written = try await records(of: mirror, at: target.bootstrap)
            let timelines = try await records(of: application.topic("timelines"), at: application.bootstrap)
            let (rows, wanted) = (newest(written), newest(timelines))
            #expect(rows == wanted && rows.count == 220)
            let values = written.compactMap { record in record.value.map { "\(record.key) \($0.base64EncodedString())" }
            }
            #expect(Set(values).count == values.count, "a timeline is there twice")
            let again = try await application.run("sink", "--to", to, "--until-caught-up")
            #expect(again.standardOutput.contains(#""records":0"#), "\(again.standardOutput)")
            show(
                "a topic of another cluster: sink killed -9 \(kills) times, its target \(outages) times: "
                    + "\(values.count) timelines written, none twice; 220 rows as the source has them")
            try await target.stop()
        }

        @Test("of two sinks of one topic the newer goes on, the older ends and says so; what cannot work is refused")
        func refused() async throws {
            let application = try await Application("fenced", partitions: 1)
            try await application.publish(configurations: #"{"configurationId":"a","kind":"K"}"# + "\n")
            _ = try await application.process(clock: GeneratedData.clock)
            let broker = try await TestBroker.shared()
            let mirror = try await makeTopic(on: broker)
            let to = "kafka:\(mirror)@\(application.bootstrap)"
            let first = try application.start("sink", "--to", to)
            #expect(try await eventually { try await end(of: mirror, on: broker) > 0 }, "\(first.errorOutput)")
            let second = try application.start("sink", "--to", to)
            // The first hears of it when it writes next.
            let isOpen = try await eventually { try await end(of: "\(mirror).positions", on: broker) >= 8 }
            #expect(isOpen, "\(second.errorOutput)")
            try await application.publish(configurations: #"{"configurationId":"b","kind":"K"}"# + "\n")
            _ = try await application.process(clock: GeneratedData.clock)
            let ended = await first.result()
            #expect(ended.status == 70, "\(ended.failure)")
            #expect(ended.standardError.contains("another sink of this topic has started and goes on in its place"))
            let hasWritten = try await eventually {
                newest(try await records(of: mirror, at: application.bootstrap)).count == 2
            }
            #expect(hasWritten && second.isRunning, "\(second.errorOutput)")
            second.terminate()
            #expect(await second.result().succeeded)

            for (to, status, text) in [
                ("kafka:none-\(mirror)@\(application.bootstrap)", 70, "--create --topic none-\(mirror)"),
                ("kafka:\(application.topic("timelines"))@\(application.bootstrap)", 70, "name another one"),
                ("kafka:x", 64, "an @ is missing"), ("kafka:a b@h:1", 64, "must name a topic before the @"),
                ("kafka:x@h", 64, "HOST:PORT"),
            ] as [(String, Int32, String)] {
                let words = ["sink", "--to", to, "--until-caught-up"] + application.options
                let result = try await tideline(words)
                #expect(result.status == status && result.standardError.contains(text), "\(to): \(result.failure)")
            }
            let setting = try await tideline(
                ["sink", "--to", to, "--set", "sink.kafka.acsk=1"] + application.options)
            #expect(setting.status == 64 && setting.standardError.contains("sink.kafka.acsk"), "\(setting.failure)")
        }

        private func makeTopic(on broker: TestBroker) async throws -> String {
            let name = uniqueName("mirror")
            let bootstrap = broker.bootstrap
            try await onItsOwnThread {
                let admin = try RdKafkaCluster(RdKafkaSettings(bootstrapServers: bootstrap)).makeAdmin()
                defer { admin.close() }
                try admin.createTopic(
                    NewTopic(name: name, partitions: 3, settings: [.init("cleanup.policy", "compact")]),
                    timeout: .seconds(20))
            }
            return name
        }

        /// The records of a topic, markers included; 0 while nobody can say.
        private func end(of topic: String, on broker: TestBroker) async throws -> Int {
            let bootstrap = broker.bootstrap
            return try await onItsOwnThread {
                let admin = try RdKafkaCluster(RdKafkaSettings(bootstrapServers: bootstrap)).makeAdmin()
                defer { admin.close() }
                guard let found = try? admin.describeTopics([topic], timeout: .seconds(5))[topic] else { return 0 }
                let places = (0..<found.partitions).map { TopicPartition(topic, Partition($0)) }
                let ends = try? admin.endOffsets(of: places, isolation: .readCommitted, timeout: .seconds(5))
                return ends?.values.reduce(0) { $0 + Int($1.rawValue) } ?? 0
            }
        }

        private func records(of topic: String, at bootstrap: String) async throws -> [Kcat.Record] {
            try await onItsOwnThread { try Kcat(bootstrap: bootstrap).read(topic) }
        }

        /// What compaction leaves.
        private func newest(_ records: [Kcat.Record]) -> [String: Data] {
            var rows: [String: Data] = [:]
            for record in records { rows[record.key] = record.value }
            return rows
        }
    }
}
