import RecordLog
import Simulation
import Testing

@Suite("What brokers remove, and topics that come and go")
struct CleaningTests {
    let stage = Stage(partitions: 1)
    var cluster: MemoryCluster { stage.cluster }
    var clock: ManualClock { stage.clock }
    var place: TopicPartition { stage.place }

    init() {
        cluster.createTopic(
            "state", partitions: 1,
            settings: [.init("cleanup.policy", "compact"), .init("delete.retention.ms", "60000")])
    }

    private func write(_ key: String, _ value: String?, commits: Bool = true) throws {
        let producer = try stage.open()
        try producer.produce("state", 0, key: key, value)
        if commits { try producer.commit() } else { try producer.abort() }
        producer.destroy()
    }

    @Test("a tombstone stays for delete.retention.ms after the cleaner has met it, by the cluster's clock")
    func tombstones() throws {
        try write("a", "1")
        try write("a", nil)
        clock.advance(by: .seconds(3_600))
        cluster.clean("state")
        #expect(cluster.contents("state") == ["0/2=nil"], "a reader that is on its way must meet it")
        clock.advance(by: .seconds(59))
        cluster.clean("state")
        #expect(cluster.contents("state") == ["0/2=nil"])
        clock.advance(by: .seconds(1))
        cluster.clean("state")
        #expect(cluster.contents("state") == [])
        #expect(cluster.count(.tombstonesRemoved) == 1)
    }

    @Test("a marker goes when nothing is left of its transaction, and a reader passes over the hole")
    func markers() throws {
        try write("a", "1")
        try write("b", "1", commits: false)
        try write("a", "2")
        let state = TopicPartition("state", 0)
        func remains() throws -> [String] {
            let reader = try cluster.reader(.readUncommitted)
            try reader.assign("state", 0)
            let batch = reader.poll()
            return batch.records + batch.ends
        }
        cluster.clean("state")
        clock.advance(by: .seconds(60))
        cluster.clean("state")
        #expect(cluster.contents("state") == ["0/4=2"])
        #expect(try remains() == ["0/4=2", "0/6"])
        let reader = try cluster.reader()
        try reader.incrementalAssign([(state, .at(1))])
        #expect(reader.poll() == Polled(records: ["0/4=2"], ends: ["0/6"], failures: [], rebalanced: false))
        #expect(cluster.count(.compaction) == 2, "records first, markers later")
        cluster.clean("state")
        #expect(cluster.count(.compaction) == 2, "nothing was left to do")
    }

    @Test("retention removes by time stamps what is decided, and a reader that it overtakes begins at the earliest")
    func retention() throws {
        for n in 0..<3 {
            cluster.append("t", 0, key: "k", value: "\(n)")
            clock.advance(by: .seconds(60))
        }
        let reader = try cluster.reader()
        try reader.assign("t", 0)
        #expect(reader.poll(1).records == ["0/0=0"])
        #expect(cluster.retain("t", for: .seconds(90)) == 2)
        #expect(cluster.start(of: place) == 2)
        #expect(reader.poll() == Polled(records: ["0/2=2"], ends: ["0/3"], failures: [], rebalanced: false))
        #expect(cluster.count(.readerOvertaken) == 1)
        #expect(cluster.retain("t") == 0, "the topic's own time is a week")
        clock.advance(by: .seconds(8 * 86_400))
        #expect(cluster.retain("t") == 1)
        #expect(cluster.count(.retention) == 2)
    }

    @Test("retention does not pass an open transaction")
    func retentionStops() throws {
        cluster.append("t", 0, key: "k", value: "a")
        let producer = try stage.open()
        try producer.produce("t", 0, "open")
        clock.advance(by: .seconds(5))
        #expect(cluster.retain("t", for: .zero) == 1)
        cluster.removeRecords(of: place, before: 99)
        #expect(cluster.start(of: place) == 1)
        try producer.commit()
        #expect(cluster.contents("t") == ["0/1=open"])
    }

    @Test("another topic of the same name has no record, no committed offset and another identity")
    func recreated() throws {
        let member = try Member(cluster, "m")
        member.consumer.poll()
        for n in 0..<3 { cluster.append("t", 0, key: "k", value: "\(n)") }
        #expect(member.consumer.poll().records.count == 3)
        let producer = try stage.open()
        try producer.sendOffset(place, 3, member.consumer.groupMetadata())
        try producer.commit()
        let identity = cluster.identity(of: "t")
        cluster.recreateTopic("t")
        #expect(cluster.identity(of: "t") != identity)
        #expect(cluster.committedOffsets(of: "g") == [:])
        cluster.append("t", 0, key: "k", value: "other 0")
        #expect(try cluster.reader().watermarks(of: place, timeout: .zero) == Watermarks(low: 0, high: 1))
        let reader = try cluster.reader()
        try reader.incrementalAssign([(place, .at(3))])
        #expect(reader.poll().records == ["0/0=other 0"], "a position behind the end begins anew")
        for n in 1..<5 { cluster.append("t", 0, key: "k", value: "other \(n)") }
        let unaware = try cluster.reader()
        try unaware.incrementalAssign([(place, .at(3))])
        #expect(unaware.poll().records == ["0/3=other 3", "0/4=other 4"], "one before it skips in silence")
    }

    @Test("a transaction that wrote to a topic that is gone ends without touching its successor")
    func openAcross() throws {
        cluster.createTopic("other", partitions: 1)
        let producer = try stage.open()
        try producer.produce("t", 0, "a")
        try producer.produce("other", 0, "b")
        cluster.recreateTopic("t", partitions: 3)
        cluster.append("t", 0, key: "k", value: "new")
        try producer.commit()
        #expect(cluster.contents("other") == ["0/0=b"])
        #expect(cluster.ends(of: place) == (1, 1))
        #expect(cluster.partitionCount(of: "t") == 3)
    }

    @Test("a topic that was deleted is unknown to readers, producers and admins, until it is there again")
    func deleted() throws {
        let reader = try cluster.reader()
        try reader.assign("t", 0)
        reader.poll()
        cluster.deleteTopic("t")
        #expect(reader.poll().failures.map(\.code) == [.unknownTopicOrPartition])
        let producer = try stage.open()
        #expect(outcome { try producer.produce("t", 0, "a") } == "abortable UNKNOWN_TOPIC_OR_PART")
        try producer.abort()
        #expect(try cluster.makeAdmin().describeTopics(["t"], timeout: .zero).isEmpty)
        cluster.createTopic("t", partitions: 1)
        cluster.append("t", 0, key: "k", value: "a")
        #expect(reader.poll().records == ["0/0=a"])
        #expect(cluster.happened.map { "\($0.kind)=\($0.count)" } == ["topic deleted=1"])
    }

    @Test("the members of a topic that grows get its new partitions")
    func grows() throws {
        let member = try Member(cluster, "m")
        member.consumer.poll()
        cluster.addPartitions(to: "t", total: 3)
        member.consumer.poll()
        #expect(member.takeNotes() == ["+0", "+1,2"])
        #expect(cluster.count(.partitionsAdded) == 1)
    }

    @Test("another partitioner puts keys elsewhere, and a record may come again")
    func inputs() throws {
        cluster.createTopic("wide", partitions: 16)
        let ours = cluster.appendKeyed("wide", key: "vehicle-7", value: "a")
        let theirs = cluster.appendKeyed("wide", key: "vehicle-7", value: "a", partitioner: .crc32)
        #expect(ours.partition == Murmur2.partition(of: "vehicle-7", partitions: 16))
        #expect(ours.partition != theirs.partition)
        let record = try #require(cluster.records("wide", partition: ours.partition).first)
        cluster.appendAgain(record)
        #expect(cluster.records("wide", partition: ours.partition).map(\.value) == [record.value, record.value])
        #expect(cluster.count(.foreignPartitioner) == 1)
        #expect(cluster.count(.duplicateInput) == 1)
    }
}
