import RecordLog
import Simulation
import Testing

@Suite("Reading partitions assigned by hand")
struct ReadingTests {
    let cluster = MemoryCluster()

    init() {
        cluster.createTopic("t", partitions: 3)
    }

    @Test("records come in order, and each end is told once, past the markers")
    func endsOnce() throws {
        cluster.append("t", 0, key: "k", value: "a")
        let producer = try cluster.producer("id")
        try producer.begin()
        try producer.produce("t", 0, "b")
        try producer.commit()
        let reader = try cluster.reader()
        try reader.assign("t", 0)
        #expect(reader.poll() == Polled(records: ["0/0=a", "0/1=b"], ends: ["0/3"], failures: [], rebalanced: false))
        #expect(reader.poll().ends == [])
        cluster.append("t", 0, key: "k", value: "c")
        #expect(reader.poll() == Polled(records: ["0/3=c"], ends: ["0/4"], failures: [], rebalanced: false))
    }

    @Test("the end of an empty partition is told too, and again after a seek")
    func emptyPartition() throws {
        let reader = try cluster.reader()
        try reader.assign("t", 1)
        #expect(reader.poll().ends == ["1/0"])
        #expect(try reader.seek([(TopicPartition("t", 1), Offset(0))], timeout: .zero) == [])
        #expect(reader.poll().ends == ["1/0"])
    }

    @Test("a poll gives no more events than asked for, and no partition starves")
    func maximumAndTurns() throws {
        for n in 0..<4 {
            cluster.append("t", 0, key: "k", value: "a\(n)")
            cluster.append("t", 1, key: "k", value: "b\(n)")
        }
        let reader = try cluster.reader()
        try reader.incrementalAssign([(TopicPartition("t", 1), .earliest), (TopicPartition("t", 0), .earliest)])
        #expect(reader.poll(2).records == ["0/0=a0", "0/1=a1"])
        #expect(reader.poll(2).records == ["1/0=b0", "1/1=b1"])
        #expect(reader.poll(3).records == ["0/2=a2", "0/3=a3"], "and the end, which is an event")
        #expect(reader.poll(3).records == ["1/2=b2", "1/3=b3"])
    }

    @Test("a reader starts where it is told to")
    func starts() throws {
        for n in 0..<3 { cluster.append("t", 0, key: "k", value: "\(n)") }
        for (start, expected) in [(StartOffset.earliest, 3), (.latest, 0), (.at(Offset(2)), 1)] {
            let reader = try cluster.reader()
            try reader.assign("t", 0, start)
            #expect(reader.poll().records.count == expected)
        }
    }

    @Test("a partition moves only after a poll has seen it, and is silent once it is unassigned")
    func seekAndUnassign() throws {
        for n in 0..<3 { cluster.append("t", 0, key: "k", value: "\(n)") }
        let place = TopicPartition("t", 0)
        let reader = try cluster.reader()
        try reader.assign("t", 0)
        #expect(try reader.seek([(place, Offset(2))], timeout: .zero) == [place])
        #expect(reader.poll().records.count == 3)
        #expect(try reader.seek([(place, Offset(2))], timeout: .zero) == [])
        #expect(reader.poll().records == ["0/2=2"])
        try reader.incrementalUnassign([place])
        cluster.append("t", 0, key: "k", value: "3")
        #expect(reader.poll().records == [])
    }

    @Test("a reader below the first offset starts from there, and nothing that was deleted is delivered")
    func deletedRecords() throws {
        for n in 0..<4 { cluster.append("t", 0, key: "k", value: "\(n)") }
        let admin = try cluster.makeAdmin()
        let place = TopicPartition("t", 0)
        try admin.deleteRecords(before: [(place, Offset(3))], timeout: .zero)
        let reader = try cluster.reader()
        #expect(try reader.watermarks(of: place, timeout: .zero) == Watermarks(low: Offset(3), high: Offset(4)))
        try reader.assign("t", 0, .at(Offset(1)))
        #expect(reader.poll().records == ["0/3=3"])
        #expect(cluster.counters.offsetResets == 1)
        let pastTheEnd = outcome { try admin.deleteRecords(before: [(place, Offset(9))], timeout: .zero) }
        #expect(pastTheEnd == "OFFSET_OUT_OF_RANGE")
    }

    @Test("keys, values, headers and time stamps come as they were written; nil and empty stay apart")
    func contents() throws {
        let headers = [Header("a", "1"), Header("a", nil)]
        cluster.append("t", 2, key: [], value: [UInt8]?.none, headers: headers, timestamp: Instant(milliseconds: 77))
        let reader = try cluster.reader()
        try reader.assign("t", 2)
        let batch = reader.poll(maximum: 10, timeout: .zero)
        let view = try #require(batch.records.first)
        #expect(view.key?.count == 0)
        #expect(view.value == nil)
        #expect(view.timestamp.milliseconds == 77)
        #expect(batch.headers(of: view) == headers)
        #expect(reader.topics[Int(view.topic)] == "t")
    }

    @Test("a partition that is not there is told once, and read when it is")
    func unknownPartition() throws {
        let reader = try cluster.reader()
        try reader.assign("later", 0)
        #expect(reader.poll().failures.map(\.code) == [.unknownTopicOrPartition])
        #expect(reader.poll().failures == [])
        cluster.createTopic("later", partitions: 1)
        cluster.append("later", 0, key: "k", value: "v")
        #expect(reader.poll().records == ["0/0=v"])
    }

    @Test("compaction keeps the newest of each key below the last stable offset, at its offset, and no markers")
    func compaction() throws {
        let producer = try cluster.producer("id")
        func transaction(_ key: String, _ value: String?, commits: Bool) throws {
            try producer.begin()
            try producer.produce("t", 0, key: key, value)
            if commits { try producer.commit() } else { try producer.abort() }
        }
        try transaction("a", "1", commits: true)
        try transaction("b", "1", commits: true)
        try transaction("a", "2", commits: true)
        try transaction("b", "no", commits: false)
        try transaction("c", nil, commits: true)
        try producer.begin()
        try producer.produce("t", 0, key: "a", "open")
        cluster.append("t", 0, key: "b", value: "after the open one")
        cluster.compact("t")
        #expect(cluster.contents("t") == ["0/2=1", "0/4=2", "0/8=nil"])
        try producer.commit()
        #expect(cluster.contents("t") == ["0/2=1", "0/4=2", "0/8=nil", "0/10=open", "0/11=after the open one"])
        cluster.compact("t", removingTombstones: true)
        #expect(cluster.contents("t") == ["0/10=open", "0/11=after the open one"])
        let reader = try cluster.reader()
        try reader.assign("t", 0)
        #expect(
            reader.poll()
                == Polled(
                    records: ["0/10=open", "0/11=after the open one"], ends: ["0/13"], failures: [], rebalanced: false))
    }
}
