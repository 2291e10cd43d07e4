import RecordLog
import StreamCore
import Testing

@Suite("Tasks")
struct StreamTaskTests {
    private static let partitions: Int32 = 2
    private static let mine = (0...).lazy.map { "key \($0)" }.first { Murmur2.partition(of: $0, partitions: 2) == 1 }!
    private static let others = (0...).lazy.map { "key \($0)" }.first { Murmur2.partition(of: $0, partitions: 2) == 0 }!

    let mailbox = Mailbox()
    let task: StreamTask

    init() {
        task = Self.task(mailbox)
        task.advance(to: 10_000)
    }

    private static func task(_ mailbox: Mailbox) -> StreamTask {
        StreamTask(partition: 1, partitions: partitions, topology: TallyProcessor.topology, router: mailbox)
    }

    private func process(_ key: String, offset: Offset = 0) {
        withBytes(of: key) { key in
            task.process(
                RecordView(topic: 0, partition: 3, offset: offset, timestamp: 5, key: key, value: nil, handle: nil),
                source: 0)
        }
    }

    /// What was emitted, as `topic:key=value`.
    private func takeOutputs() -> [String] {
        var outputs: [String] = []
        task.context.outputs.forEach { entry, key, value in
            outputs.append("\(entry.topic):\(key.map(text) ?? "")=\(value.map(text) ?? "nil")")
        }
        task.context.outputs.removeAll()
        return outputs
    }

    @Test("a record of its own entity changes state, is emitted at the flush and announced to the partner")
    func inPlace() {
        process(Self.mine)
        process(Self.mine)
        #expect(mailbox.letters == [], "conflated until the flush")
        task.flush()
        #expect(takeOutputs() == ["counts:\(Self.mine)=2"])
        let letters = mailbox.takeLetters()
        #expect(letters.map(\.key) == ["partner of \(Self.mine)"])
        #expect(letters.map(\.partition) == letters.map { Murmur2.partition(of: $0.key, partitions: 2) })
        #expect(task.isDirty)
    }

    @Test("a record of another task's entity is forwarded with its origin and headers, and works there as in place")
    func forwarded() throws {
        task.context.headerReader = { _ in [Header("h", "1")] }
        process(Self.others, offset: 9)
        let letters = mailbox.takeLetters()
        #expect(letters.map(\.partition) == [0])
        #expect(letters.map(\.key) == [Self.others])
        #expect(!task.isDirty, "the record changed nothing here")
        let owner = StreamTask(partition: 0, partitions: 2, topology: TallyProcessor.topology, router: mailbox)
        try letters[0].envelope.withUnsafeBytes { bytes in
            guard case .forwarded(let record, let headers) = try Envelope.read(bytes) else {
                Issue.record("not a forwarded record")
                return
            }
            #expect(record.origin == Origin(source: 0, partition: 3, offset: 9))
            #expect(record.timestamp == 5)
            #expect(headers == [Header("h", "1")])
            try owner.receive(bytes)
        }
        #expect(owner.isDirty)
        #expect(mailbox.letters == [], "forwarded once, not for ever")
    }

    @Test("exchange records that no task of this program wrote are refused, and change nothing")
    func strangers() {
        let unknownNode = withBytes(of: "e") { Envelope.message(node: 1, NodeMessage(entity: $0, payload: $0)) }
        let unknownSource = withBytes(of: "k") { key in
            let view = RecordView(topic: 0, partition: 0, offset: 0, timestamp: 0, key: key, value: nil, handle: nil)
            let origin = Origin(source: 1, partition: 0, offset: 0)
            return Envelope.forwarded(InputRecord(origin: origin, view: view), headers: [])
        }
        for bytes in [unknownNode, unknownSource, [], [9]] {
            #expect(throws: CorruptBytes.self) { try bytes.withUnsafeBytes { try task.receive($0) } }
        }
        #expect(!task.isDirty)
    }

    @Test("the changelog gets the stores in the order of their ids, once its beginning, then the positions")
    func changelog() throws {
        let index = task.positions.add(source: 0, partition: 3, next: 0)
        let letter = withBytes(of: "someone") { Envelope.message(node: 0, NodeMessage(entity: $0, payload: $0)) }
        try letter.withUnsafeBytes { try task.receive($0) }
        process(Self.mine)
        task.positions.move(index, to: 1)
        var header = task.header
        #expect(!header.hasBeginning)
        header.hasBeginning = true
        var positions = ByteWriter()
        task.positions.encode(of: task.context.topology.sources, header: header, into: &positions)
        let expected = [
            ChangelogEntry(store: 1, Self.mine, 1, format: 4), ChangelogEntry(store: 2, "someone", 7, format: 4),
            ChangelogEntry(key: [0x80], value: [4]), ChangelogEntry(key: [0], value: positions.bytes),
        ]
        #expect(captured(task.captureChangelog) == expected)
        task.commit()
        #expect(captured(task.captureChangelog) == [])
        #expect(!task.isDirty)
        task.positions.move(index, to: 2)
        #expect(captured(task.captureChangelog).map(\.key) == [[0]])
    }

    @Test("the beginning is written again after an abort, and never in a format without versions")
    func beginning() {
        let index = task.positions.add(source: 0, partition: 3, next: 0)
        task.positions.move(index, to: 1)
        #expect(captured(task.captureChangelog).map(\.key) == [[0x80], [0]])
        _ = task.revert()
        task.positions.move(index, to: 1)
        #expect(captured(task.captureChangelog).map(\.key) == [[0x80], [0]])
        var topology = TallyProcessor.topology
        topology.stateFormat = StateFormat.unversioned
        let older = StreamTask(partition: 1, partitions: Self.partitions, topology: topology, router: mailbox)
        older.positions.move(older.positions.add(source: 0, partition: 3, next: 0), to: 1)
        #expect(captured(older.captureChangelog).map(\.key) == [[0]] && !older.header.hasBeginning)
    }

    @Test("positions in other topics are refused: a state belongs to the topics that it was made from")
    func otherTopics() {
        var positions = ByteWriter()
        task.positions.encode(of: [.init(topic: "another.topic", to: TallyProcessor.node)], into: &positions)
        #expect(throws: CorruptBytes.self) {
            try [UInt8(0)].withUnsafeBytes { key in
                try positions.bytes.withUnsafeBytes { try task.restore(key: key, value: $0) }
            }
        }
    }

    @Test("a revert drops state, positions, outputs and counters of the transaction, and timers follow the state")
    func revert() {
        let index = task.positions.add(source: 0, partition: 3, next: 0)
        task.commit()
        _ = task.takeCounters()
        process(Self.mine)
        task.positions.move(index, to: 1)
        task.flush()
        #expect(!task.context.outputs.isEmpty && task.nextDue != nil)
        #expect(task.revert() == [index])
        #expect(!task.isDirty)
        #expect(task.positions.entries[index].next == 0)
        #expect(task.nextDue == nil)
        #expect(task.takeCounters().records == 0)
        process(Self.mine)
        task.flush()
        #expect(takeOutputs() == ["counts:\(Self.mine)=1"], "counted from the beginning again")
    }

    @Test("counters are those of committed transactions")
    func counters() {
        process(Self.mine)
        process(Self.others)
        #expect(task.takeCounters().records == 0)
        task.flush()
        _ = takeOutputs()
        task.commit()
        let counters = task.takeCounters()
        #expect(counters.records == 2 && counters.forwarded == 1)
        #expect(counters[TallyProcessor.countsOutput] == 1 && counters[TallyProcessor.silentOutput] == 0)
        #expect(task.takeCounters().records == 0)
    }

    @Test("a task restored from the changelog goes on where the other one was, with its timers")
    func restore() throws {
        let index = task.positions.add(source: 0, partition: 3, next: 0)
        for offset in [0, 1, 2] as [Offset] { process(Self.mine, offset: offset) }
        task.positions.move(index, to: 3)
        let entries = captured(task.captureChangelog)
        let heir = Self.task(mailbox)
        heir.advance(to: 20_000)
        for entry in entries {
            try entry.key.withUnsafeBytes { key in
                try entry.value?.withUnsafeBytes { try heir.restore(key: key, value: $0) }
            }
        }
        #expect(heir.nextDue == nil)
        try heir.finishRestore()
        #expect(heir.nextDue == Instant(milliseconds: 20_000) + TallyProcessor.silence)
        #expect(heir.positions.restoredNext(source: 0, partition: 3) == 3)
        #expect(!heir.isDirty)
    }

    @Test("what follows from the state is derived in portions, and none looks at more than it may")
    func restorePortions() throws {
        let keys = (0...).lazy.map { "key \($0)" }.filter { Murmur2.partition(of: $0, partitions: 2) == 1 }.prefix(20)
        for key in keys { process(key) }
        let heir = Self.task(mailbox)
        heir.advance(to: 20_000)
        for entry in captured(task.captureChangelog) {
            try entry.key.withUnsafeBytes { key in
                try entry.value?.withUnsafeBytes { try heir.restore(key: key, value: $0) }
            }
        }
        var calls = 0
        var isDone = false
        while !isDone {
            #expect(heir.nextDue == nil || calls > 0)
            var portion = 3
            isDone = try heir.finishRestore(&portion)
            #expect(portion >= 0 && (isDone || portion == 0), "\(portion)")
            calls += 1
        }
        #expect(calls >= 7)
        heir.advance(to: 20_000 + TallyProcessor.silence)
        heir.punctuate()
        var fired = 0
        heir.context.outputs.forEach { _, _, _ in fired += 1 }
        #expect(fired == 20)
    }

    @Test("changelog records of stores that no version had are refused")
    func unknownStore() {
        for key: [UInt8] in [[], [9, 1]] {
            #expect(throws: CorruptBytes.self) {
                try key.withUnsafeBytes { try task.restore(key: $0, value: nil) }
            }
        }
    }

    @Test("timers fire at the time of the iteration, not before")
    func punctuation() {
        process(Self.mine)
        #expect(task.nextDue == 11_000)
        task.advance(to: 10_999)
        task.punctuate()
        #expect(takeOutputs() == [])
        task.advance(to: 11_000)
        task.punctuate()
        #expect(takeOutputs() == ["silent:\(Self.mine)=nil"])
        #expect(task.nextDue == nil)
    }
}
