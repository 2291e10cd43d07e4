import RecordLog
import Simulation
import Testing

@Suite("Topics, and producers without transactions")
struct AdminTests {
    let cluster = MemoryCluster()

    @Test("a topic is made once and described with the settings that it was not given, too")
    func topics() throws {
        let admin = try cluster.makeAdmin()
        let topic = NewTopic(name: "state", partitions: 3, settings: [.init("cleanup.policy", "compact")])
        try admin.createTopic(topic, timeout: .zero)
        #expect(outcome { try admin.createTopic(topic, timeout: .zero) } == "TOPIC_ALREADY_EXISTS")
        let none = NewTopic(name: "none", partitions: 0)
        #expect(outcome { try admin.createTopic(none, timeout: .zero) } == "INVALID_PARTITIONS")
        let descriptions = try admin.describeTopics(["state", "none"], timeout: .zero)
        #expect(Array(descriptions.keys) == ["state"])
        let state = try #require(descriptions["state"])
        #expect(state.partitions == 3 && state.replication == 1)
        #expect(state.settings["cleanup.policy"] == "compact")
        #expect(state.settings["retention.ms"] == "604800000")
    }

    @Test("records are not deleted from topics that are only compacted")
    func compacted() throws {
        cluster.createTopic("state", partitions: 1, settings: [.init("cleanup.policy", "compact")])
        let admin = try cluster.makeAdmin()
        let first = [(TopicPartition("state", 0), Offset(0))]
        #expect(outcome { try admin.deleteRecords(before: first, timeout: .zero) } == "POLICY_VIOLATION")
    }

    @Test("a plain producer writes at once, at the cluster's time, and refuses what the broker refuses")
    func plainProducer() throws {
        let clock = ManualClock(Instant(milliseconds: 1000))
        let cluster = MemoryCluster(clock: clock)
        cluster.createTopic("t", partitions: 4)
        let producer = try cluster.makePlainProducer(clientId: "p")
        clock.advance(by: .milliseconds(234))
        try Array("key".utf8).withUnsafeBytes { key in
            try producer.produce(topic: "t", partition: nil, key: key, value: nil, headers: [Header("a", "b")])
        }
        let expected = Record(
            topic: "t", partition: Murmur2.partition(of: "key", partitions: 4), offset: Offset(0),
            timestamp: Instant(milliseconds: 1234),
            key: Array("key".utf8), value: nil, headers: [Header("a", "b")])
        #expect(cluster.records("t") == [expected])
        #expect(
            outcome { try producer.produce(topic: "t", partition: 4, key: nil, value: nil, headers: []) }
                == "UNKNOWN_TOPIC_OR_PART")
        try producer.flush(timeout: .zero)
        producer.close()
    }

    @Test("the same steps give the same log")
    func determinism() throws {
        func run() throws -> [Record] {
            let cluster = MemoryCluster()
            cluster.createTopic("t", partitions: 5)
            cluster.createTopic("out", partitions: 3)
            for n in 0..<50 { cluster.appendKeyed("t", key: "k\(n)", value: "\(n)") }
            let members = try (0..<3).map { try Member(cluster, "m\($0)") }
            let producers = try (0..<3).map { try cluster.producer("p\($0)") }
            for round in 0..<12 {
                let member = members[round % 3]
                if round == 5 { cluster.expel(member.consumer) }
                let records = member.consumer.poll(7).records
                try producers[round % 3].begin()
                for record in records { try producers[round % 3].produce("out", nil, key: record, "\(round)") }
                if round % 4 == 3 { try producers[round % 3].abort() } else { try producers[round % 3].commit() }
            }
            return cluster.records("out")
        }
        // A literal, because the order of dictionaries differs between processes and not within one.
        let log = try run().map { "\($0.partition)/\($0.offset)=\(String(decoding: $0.key!, as: UTF8.self))" }
        #expect(Array(log.prefix(3)) == ["0/2=3/1=7", "0/3=3/2=10", "0/7=0/7=42"])
        #expect(Array(log.joined(separator: " ").utf8).withUnsafeBytes { Murmur2.hash($0) } == 3_405_186_237)
    }
}
