import RecordLog
import Simulation
import StreamRuntime
import Synchronization
import TestSupport
import Testing

@Suite("The restoring consumer that threads share")
struct SharedRestorerTests {
    private let cluster = MemoryCluster()

    init() {
        cluster.createTopic("state", partitions: 4)
    }

    /// - Returns: the values, as a reader is to get them.
    @discardableResult
    private func append(_ count: Int, to partition: Partition, bytes: Int = 0) -> [String] {
        let values = (0..<count).map { "\(partition)/\($0)" + String(repeating: ".", count: bytes) }
        for value in values { cluster.append("state", partition, key: "key", value: value) }
        return values
    }

    private func assign(_ partitions: Partition..., to thread: RestoringThread) throws {
        try thread.reader.incrementalAssign(partitions.map { (TopicPartition("state", $0), .earliest) })
    }

    private func unassign(_ partition: Partition, from thread: RestoringThread) throws {
        try thread.reader.incrementalUnassign([TopicPartition("state", partition)])
    }

    @Test("of two threads that poll by turns, each gets its own records in order, and the ends after them")
    func twoThreads() throws {
        let all = (0..<Partition(4)).map { append(50, to: $0) }
        let restorer = try SharedRestorer(cluster, clientId: "restore")
        let (first, second) = (RestoringThread(restorer), RestoringThread(restorer))
        try assign(0, 2, to: first)
        try assign(1, 3, to: second)
        for _ in 0..<60 {
            first.poll(7)
            second.poll(11)
        }
        #expect(first.values == [0: all[0], 2: all[2]])
        #expect(second.values == [1: all[1], 3: all[3]])
        #expect(first.ends == [0: 50, 2: 50])
        #expect(second.ends == [1: 50, 3: 50])
    }

    @Test("an end is delivered with the last record before it, however small the portions are")
    func endsAfterRecords() throws {
        append(10, to: 0)
        append(10, to: 1)
        let restorer = try SharedRestorer(cluster, clientId: "restore")
        let (first, second) = (RestoringThread(restorer), RestoringThread(restorer))
        try assign(0, to: first)
        try assign(1, to: second)
        first.poll(100)
        for count in [3, 6, 9] {
            second.poll(3)
            #expect(second.values[1]?.count == count)
            #expect(second.ends == [:])
        }
        second.poll(3)
        #expect(second.values[1]?.count == 10)
        #expect(second.ends == [1: 10])
    }

    @Test("keys, values and tombstones are the same by way of an inbox, and what is empty is not absent")
    func contents() throws {
        cluster.append("state", 1, key: "a", value: "1")
        cluster.append("state", 1, key: "b", value: nil)
        cluster.append("state", 1, key: [], value: [])
        cluster.append("state", 1, key: nil, value: Array("2".utf8))
        let restorer = try SharedRestorer(cluster, clientId: "restore")
        let (first, second) = (RestoringThread(restorer), RestoringThread(restorer))
        try assign(0, to: first)
        try assign(1, to: second)
        first.poll(100)
        second.poll(100)
        #expect(second.texts == ["0 a=1", "1 b=nil", "2 =", "3 nil=2"])
    }

    @Test("nothing of a partition is delivered after it was given back, also not what waits in the inbox")
    func unassigned() throws {
        append(20, to: 0)
        append(20, to: 1)
        let kept = append(20, to: 2)
        let restorer = try SharedRestorer(cluster, clientId: "restore")
        let (first, second) = (RestoringThread(restorer), RestoringThread(restorer))
        try assign(0, to: first)
        try assign(1, 2, to: second)
        first.poll(1000)
        try unassign(1, from: second)
        second.poll(1000)
        #expect(second.values == [2: kept])
        #expect(second.ends == [2: 20])
        // Assigned again, it begins anew.
        try assign(1, to: second)
        second.poll(1000)
        #expect(second.values[1]?.count == 20)
    }

    @Test("a thread that does not poll fills no more than its share, and holds up nobody; nothing is lost for it")
    func bound() throws {
        let mine = append(300, to: 0, bytes: 100)
        let others = append(300, to: 1, bytes: 100)
        let restorer = try SharedRestorer(cluster, clientId: "restore", inboxBytesMax: 8_000)
        let (first, second) = (RestoringThread(restorer), RestoringThread(restorer))
        try assign(0, to: first)
        try assign(1, to: second)
        for _ in 0..<100 { first.poll(10) }
        #expect(first.values == [0: mine])
        #expect(first.ends == [0: 300])
        // 4,000 bytes, and what the poll that exceeded them brought.
        let waiting = cluster.counters.recordsDelivered - 300
        #expect((10...60).contains(waiting), "\(waiting)")
        for _ in 0..<100 { second.poll(10) }
        #expect(second.values == [1: others])
        #expect(second.ends == [1: 300])
    }

    @Test("a partition whose owner was struck off unawares goes to the new owner from the beginning")
    func struckOff() throws {
        let all = append(40, to: 0)
        let restorer = try SharedRestorer(cluster, clientId: "restore")
        let (former, new) = (RestoringThread(restorer), RestoringThread(restorer))
        try assign(0, to: former)
        former.poll(10)
        try assign(0, to: new)
        for _ in 0..<5 {
            former.poll(10)
            new.poll(10)
        }
        #expect(former.values == [0: Array(all[..<10])])
        #expect(new.values == [0: all])
        // That the former owner hears of it changes nothing.
        try unassign(0, from: former)
        let later = append(1, to: 0)
        new.poll(10)
        #expect(new.values == [0: all + later])
    }

    @Test("a thread that takes a partition by an answer out of date gives it back, and its owner goes on")
    func takenByMistake() throws {
        let all = append(40, to: 0)
        let restorer = try SharedRestorer(cluster, clientId: "restore")
        let (owner, mistaken) = (RestoringThread(restorer), RestoringThread(restorer))
        try assign(0, to: owner)
        owner.poll(10)
        try assign(0, to: mistaken)
        mistaken.poll(15)
        owner.poll(10)
        #expect(owner.values == [0: Array(all[..<10])])
        mistaken.reader.leave()
        for _ in 0..<5 { owner.poll(10) }
        #expect(owner.values == [0: all])
        #expect(owner.ends == [0: 40])
    }

    @Test("a failure goes to the thread that polled, and the other one gets its records")
    func failures() throws {
        let all = append(10, to: 1)
        let restorer = try SharedRestorer(cluster, clientId: "restore")
        let (first, second) = (RestoringThread(restorer), RestoringThread(restorer))
        try first.reader.incrementalAssign([(TopicPartition("gone", 0), .earliest)])
        try assign(1, to: second)
        first.poll(100)
        second.poll(100)
        #expect(first.failures == 1)
        #expect(second.failures == 0)
        #expect(second.values == [1: all])
    }

    @Test("threads that poll at the same time each get all of theirs, in order", .timeLimit(.minutes(10)))
    func atTheSameTime() async throws {
        let all = (0..<Partition(4)).map { append(2000, to: $0) }
        // Small, so that partitions are parked again and again.
        let restorer = try SharedRestorer(cluster, clientId: "restore", inboxBytesMax: 40_000)
        let found = try await withThrowingTaskGroup { group in
            for partition in 0..<Partition(4) {
                group.addTask {
                    try await onThread {
                        let thread = RestoringThread(restorer)
                        try thread.reader.incrementalAssign([(TopicPartition("state", partition), .earliest)])
                        while thread.ends[partition] != 2000 {
                            thread.poll(25, timeout: .milliseconds(partition < 2 ? 1 : 0))
                        }
                        return thread.values
                    }
                }
            }
            return try await group.reduce(into: [:]) { $0.merge($1) { $0 + $1 } }
        }
        #expect(found == Dictionary(uniqueKeysWithValues: (0..<Partition(4)).map { ($0, all[Int($0.rawValue)]) }))
    }
}

/// A thread's side of a restore. Belongs to one thread.
private final class RestoringThread {
    let reader: ChangelogReader
    private(set) var values: [Partition: [String]] = [:]
    private(set) var texts: [String] = []
    private(set) var ends: [Partition: Offset] = [:]
    private(set) var failures = 0

    init(_ restorer: SharedRestorer) {
        reader = restorer.makeReader()
    }

    func poll(_ maximum: Int, timeout: Duration = .zero) {
        let arrivals = reader.poll(maximum: maximum, timeout: timeout) { records in
            for record in records {
                let key = record.key.map { String(decoding: $0, as: UTF8.self) }
                let value = record.value.map { String(decoding: $0, as: UTF8.self) }
                values[record.partition, default: []].append(value ?? "nil")
                texts.append("\(record.offset) \(key ?? "nil")=\(value ?? "nil")")
            }
        }
        for end in arrivals.ends { ends[end.partition] = end.offset }
        failures += arrivals.failures.count
    }
}
