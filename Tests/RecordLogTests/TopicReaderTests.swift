import RecordLog
import Simulation
import Testing

@Suite("The reader of a topic")
struct TopicReaderTests {
    private let cluster = MemoryCluster()
    private let clock = WaitedClock()
    private let topic = "t"
    private let away = LogError(.timedOut, name: "_TIMED_OUT", "Timed out", isRetriable: true)

    @Test("reads every partition from its beginning to the end that it has at the start")
    func readsAll() throws {
        cluster.createTopic(topic, partitions: 3)
        for number in 0..<10 { cluster.append(topic, Partition(Int32(number % 2)), key: "k", value: "\(number)") }
        var told: [Int] = []
        let read = try readAll(progress: { records, total in
            #expect(total == 10)
            told.append(records)
        })
        #expect(read?.sorted() == (0..<10).map { "\($0)" })
        #expect(told.last == 10)
    }

    @Test("passes aborted records and the markers at the end, and waits for a transaction that is open")
    func transactions() throws {
        cluster.createTopic(topic, partitions: 1)
        let producer = try cluster.makeTransactionalProducer(transactionalId: "t", clientId: "t")
        try producer.initialise(timeout: .seconds(1))
        try produce(producer, "aborted")
        try producer.abort(timeout: .seconds(1))
        #expect(try readAll() == [])
        try produce(producer, "open")
        var asked = 0
        let read = try readAll(stop: {
            asked += 1
            if asked == 3 { try? producer.commit(timeout: .seconds(1)) }
            return asked > 50
        })
        #expect(read == ["open"] && asked >= 3)
    }

    @Test("of an open transaction waits for its end, unless the end is that of the committed records")
    func isolation() throws {
        cluster.createTopic(topic, partitions: 1)
        cluster.append(topic, 0, key: "k", value: "before")
        let producer = try cluster.makeTransactionalProducer(transactionalId: "t", clientId: "t")
        try producer.initialise(timeout: .seconds(1))
        try produce(producer, "open")
        try withReader { reader in
            _ = try reader.start()
            #expect(try reader.ends(.readCommitted) == [0: Offset(1)])
            #expect(try reader.ends(.readUncommitted) == [0: Offset(2)])
            #expect(try values(of: reader, to: try reader.ends(.readCommitted)) == ["before"])
            #expect(try values(of: reader, to: try reader.ends(.readUncommitted), patience: .seconds(1)) == nil)
        }
    }

    @Test("begins at positions, and names those behind the end, which are read from the beginning")
    func positions() throws {
        cluster.createTopic(topic, partitions: 3)
        for partition in Partition(0)..<3 {
            for number in 0..<3 { cluster.append(topic, partition, key: "k", value: "\(partition)\(number)") }
        }
        try withReader { reader in
            let start = try #require(
                try reader.start(
                    from: [0: Offset(2), 1: Offset(9), 2: Offset(1), 7: Offset(4)], known: [2: Offset(4)]))
            #expect(start.restarts == [1: .behindEnd, 2: .behindEnd])
            #expect(start.ends == [0: Offset(3), 1: Offset(3), 2: Offset(3)])
            #expect(reader.next == [0: Offset(2), 1: Offset(0), 2: Offset(0)])
            #expect(try values(of: reader, to: start.ends)?.sorted() == ["02", "10", "11", "12", "20", "21", "22"])
        }
    }

    @Test("finds partitions that are added, and reads them from the beginning")
    func newPartitions() throws {
        cluster.createTopic(topic, partitions: 1)
        try withReader { reader in
            _ = try reader.start()
            #expect(try reader.lookForPartitions() == nil)
            cluster.addPartitions(to: topic, total: 3)
            cluster.append(topic, 2, key: "k", value: "late")
            #expect(try reader.lookForPartitions() == 3)
            #expect(try values(of: reader, to: try reader.ends(.readCommitted)) == ["late"])
        }
    }

    // MARK: - Failures

    @Test("repeats requests while brokers are away, for as long as its patience, and until it is to stop")
    func outage() throws {
        cluster.createTopic(topic, partitions: 1)
        cluster.append(topic, 0, key: "k", value: "1")
        cluster.inject(away, into: .describeTopics, times: 3)
        cluster.inject(away, into: .endOffsets, times: 3)
        #expect(try readAll() == ["1"])
        #expect(cluster.pendingFaults.isEmpty)
        cluster.inject(away, into: .describeTopics, times: 10_000)
        let begin = clock.now
        #expect(throws: away) { try readAll() }
        #expect(clock.now - begin >= .seconds(30) && clock.now - begin < .seconds(31))
        var asked = 0
        let read = try readAll(stop: {
            asked += 1
            return asked == 3
        })
        #expect(read == nil && asked == 3)
    }

    @Test("does not repeat a request that failed for good, and names a topic that is missing")
    func failsAtOnce() throws {
        cluster.createTopic(topic, partitions: 1)
        let refused = LogError(.notAuthorised, name: "TOPIC_AUTHORIZATION_FAILED", "no")
        cluster.inject(refused, into: .describeTopics)
        #expect(throws: refused) { try readAll() }
        #expect {
            try readAll("absent")
        } throws: { error in
            let error = error as? LogError
            return error?.code == .unknownTopicOrPartition && error?.message == "topic absent does not exist"
        }
        #expect(clock.now == .zero)
    }

    @Test("ends when its handle is of no use any more", arguments: [nil, Duration.seconds(60)])
    func fatal(patience: Duration?) throws {
        cluster.createTopic(topic, partitions: 1)
        cluster.append(topic, 0, key: "k", value: "1")
        let fatal = LogError(.fatal, name: "_FATAL", "the end")
        cluster.inject(fatal, into: .poll)
        try withReader { reader in
            let start = try #require(try reader.start())
            #expect(throws: fatal) { try values(of: reader, to: start.ends, patience: patience) }
        }
    }

    @Test("ends at once where it may not read if somebody waits for it, and goes on otherwise")
    func refused() throws {
        cluster.createTopic(topic, partitions: 1)
        cluster.append(topic, 0, key: "k", value: "1")
        let refused = LogError(.notAuthorised, name: "TOPIC_AUTHORIZATION_FAILED", "no")
        cluster.inject(refused, into: .poll, times: 2)
        #expect(throws: refused) { try readAll() }
        try withReader { reader in
            let start = try #require(try reader.start())
            var failures: [LogError] = []
            #expect(try values(of: reader, to: start.ends, failed: { failures.append($0) }) == ["1"])
            #expect(failures == [refused])
        }
    }

    @Test("gives up when nothing comes for as long as its patience, with the latest failure")
    func patience() throws {
        cluster.createTopic(topic, partitions: 1)
        cluster.append(topic, 0, key: "k", value: "1")
        cluster.inject(away, into: .poll, times: 10_000)
        #expect(throws: away) { try readAll(stop: { clock.pass(.seconds(1)) }) }
        #expect(clock.now >= .seconds(60) && clock.now < .seconds(65))
        cluster.cancelFaults()
        let producer = try cluster.makeTransactionalProducer(transactionalId: "t", clientId: "t")
        try producer.initialise(timeout: .seconds(1))
        try produce(producer, "open")
        #expect {
            try readAll(stop: { clock.pass(.seconds(1)) })
        } throws: {
            ($0 as? LogError)?.code == .timedOut && "\($0)".contains("the end of t does not come")
        }
    }

    @Test("reads on when a transaction is ended as the patience ends", arguments: [true, false])
    func endedAtLast(isCommitted: Bool) throws {
        cluster.createTopic(topic, partitions: 1)
        let producer = try cluster.makeTransactionalProducer(transactionalId: "t", clientId: "t")
        try producer.initialise(timeout: .seconds(1))
        try produce(producer, "open")
        var isOpen = true
        let read = try readAll(
            stop: { clock.pass(.seconds(1)) },
            progress: { _, _ in
                guard isOpen, clock.now >= .seconds(60) else { return }
                isOpen = false
                if isCommitted {
                    try? producer.commit(timeout: .seconds(1))
                } else {
                    try? producer.abort(timeout: .seconds(1))
                }
            })
        #expect(read == (isCommitted ? ["open"] : []))
        #expect(!isOpen && clock.now < .seconds(65))
    }

    @Test("a record before a kept position that cannot be read is asked for as long as the patience of requests")
    func comparison() throws {
        cluster.createTopic(topic, partitions: 1)
        for value in ["1", "2"] { cluster.append(topic, 0, key: "k", value: value) }
        var last: [Partition: Fingerprint] = [:]
        try withReader { reader in
            _ = try reader.start()
            #expect(try values(of: reader, to: try reader.ends(.readCommitted)) == ["1", "2"])
            last = reader.before
        }
        try #require(last[0]?.offset == Offset(1))
        cluster.inject(away, into: .poll, times: 10_000)
        let began = clock.now
        try withReader { reader in
            #expect(throws: away) { _ = try reader.start(from: [0: 2], before: last) }
        }
        #expect(clock.now - began >= .seconds(30) && clock.now - began < .seconds(35))
        cluster.cancelFaults()
        try withReader { reader in
            let start = try reader.start(from: [0: 2], before: last)
            #expect(start?.restarts.isEmpty == true)
        }
    }

    @Test("a comparison holds the reading up for a second at most, and what nobody answered is asked again in seconds")
    func comparisonWhileReading() throws {
        cluster.createTopic(topic, partitions: 1)
        for value in ["1", "2"] { cluster.append(topic, 0, key: "k", value: value) }
        try withReader { reader in
            func compare() throws -> [Partition: TopicReader.Restart] {
                try reader.compare(every: .seconds(30), failed: { Issue.record("\($0)") })
                return reader.takeRestarts().mapValues(\.reason)
            }
            _ = try reader.start()
            #expect(try values(of: reader, to: try reader.ends(.readCommitted)) == ["1", "2"])
            cluster.recreateTopic(topic)
            for value in ["3", "4", "5"] { cluster.append(topic, 0, key: "k", value: value) }
            cluster.inject(away, into: .poll, times: 10_000, client: "reader-compare")
            _ = clock.pass(.seconds(30))
            let began = clock.now
            #expect(try compare().isEmpty)
            #expect(clock.now - began >= .milliseconds(900) && clock.now - began <= .milliseconds(1100))
            cluster.cancelFaults()
            #expect(try compare().isEmpty)
            _ = clock.pass(.seconds(5))
            let restarts = try compare()
            #expect(restarts == [0: .otherRecord] && reader.next == [0: Offset(0)])
            #expect(try values(of: reader, to: try reader.ends(.readCommitted)) == ["3", "4", "5"])
            _ = clock.pass(.seconds(30))
            #expect(try compare().isEmpty)
        }
    }

    // MARK: - Parts

    private func requests(_ stop: @escaping () -> Bool = { false }) -> PatientRequests {
        PatientRequests(clock: clock, shouldStop: stop)
    }

    /// - Returns: the values; `nil` if it was stopped.
    @discardableResult
    private func readAll(
        _ name: String? = nil, stop: @escaping () -> Bool = { false }, progress: (Int, Int) -> Void = { _, _ in }
    ) throws -> [String]? {
        var values: [String] = []
        let isRead = try TopicReader.readAll(
            of: name ?? topic, cluster: cluster, clientId: "reader", requests: requests(stop),
            patience: .seconds(60), progress: progress,
            each: { view, _ in values.append(String(decoding: view.value ?? .init(start: nil, count: 0), as: UTF8.self))
            })
        return isRead ? values : nil
    }

    private func withReader(_ body: (TopicReader) throws -> Void) throws {
        let admin = try cluster.makeAdmin()
        defer { admin.close() }
        let reader = try TopicReader(
            topic, cluster: cluster, admin: admin, clientId: "reader", requests: requests({ clock.pass(.seconds(1)) }))
        defer { reader.close() }
        try body(reader)
    }

    /// - Returns: the values up to the ends; `nil` if they do not come.
    private func values(
        of reader: TopicReader, to ends: [Partition: Offset], patience: Duration? = nil,
        failed: (LogError) -> Void = { _ in }
    ) throws -> [String]? {
        var values: [String] = []
        do throws(LogError) {
            _ = try reader.read(
                to: ends, maximum: 2, timeout: .zero, patience: patience, failed: failed,
                each: { view, _ in
                    values.append(String(decoding: view.value ?? .init(start: nil, count: 0), as: UTF8.self))
                })
        } catch {
            if error.code == .timedOut { return nil }
            throw error
        }
        return values
    }

    private func produce(_ producer: any TransactionalProducer, _ value: String) throws {
        try producer.begin()
        try Array(value.utf8).withUnsafeBytes { value in
            try producer.produce(topic: topic, partition: 0, key: nil, value: value, headers: [])
        }
    }
}

/// A clock that moves only when somebody waits, or when it is told to.
private final class WaitedClock: BlockingClock {
    private(set) var now = Duration.zero

    func wait(for duration: Duration) { now += duration }

    /// - Returns: false, for the question whether to stop.
    func pass(_ duration: Duration) -> Bool {
        now += duration
        return false
    }
}
