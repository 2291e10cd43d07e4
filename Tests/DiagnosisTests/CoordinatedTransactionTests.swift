import Diagnosis
import RecordLog
import Testing

@Suite("What coordinators have written of transactions")
struct CoordinatedTransactionTests {
    /// Bytes as Kafka serialises fields.
    private struct Bytes {
        var all: [UInt8] = []

        mutating func add<Value: FixedWidthInteger>(_ value: Value) {
            for shift in stride(from: Value.bitWidth - 8, through: 0, by: -8) {
                all.append(UInt8(truncatingIfNeeded: value >> Value(shift)))
            }
        }

        mutating func add(_ text: String, isCompact: Bool = false) {
            if isCompact { all.append(UInt8(text.utf8.count + 1)) } else { add(Int16(text.utf8.count)) }
            all += Array(text.utf8)
        }
    }

    private static func key(_ id: String, version: Int16 = 0) -> [UInt8] {
        var bytes = Bytes()
        bytes.add(version)
        bytes.add(id)
        return bytes.all
    }

    /// A value that began at 5,000 ms and has written to two partitions of one topic.
    private static func value(
        _ state: Int8, version: Int16 = 1, topic: String = "t", begin: Int64 = 5_000
    ) -> [UInt8] {
        let isCompact = version > 0
        var bytes = Bytes()
        bytes.add(version)
        bytes.add(Int64(4711))
        bytes.add(Int16(3))
        bytes.add(Int32(10_000))
        bytes.add(state)
        if isCompact { bytes.all.append(2) } else { bytes.add(Int32(1)) }
        bytes.add(topic, isCompact: isCompact)
        if isCompact { bytes.all.append(3) } else { bytes.add(Int32(2)) }
        for partition in [Int32(258), 0] { bytes.add(partition) }
        // A tagged field of two bytes, which is passed over.
        if isCompact { bytes.all += [1, 0, 2, 9, 9] }
        bytes.add(Int64(6_000))
        bytes.add(begin)
        if isCompact { bytes.all.append(0) }
        return bytes.all
    }

    @Test("both forms of a value are read, with where it has written", arguments: [0, 1] as [Int16])
    func forms(version: Int16) {
        var known = CoordinatedTransactions()
        known.apply(key: Self.key("mine"), value: Self.value(1, version: version))
        let expected = CoordinatedTransaction(
            "mine", .ongoing, timeout: .seconds(10), begin: Instant(milliseconds: 5_000),
            partitions: [TopicPartition("t", 0), TopicPartition("t", 258)])
        #expect(known.open == [expected] && known.unreadable == 0)
        let text = expected.text(at: Instant(milliseconds: 17_000))
        #expect(text == "ongoing for 12 s, may last 10 s: t[0], t[258]")
    }

    @Test("the newest record of an id counts, and a tombstone forgets it; ids come in the order of their bytes")
    func newest() {
        var known = CoordinatedTransactions()
        for id in ["b", "a", "c", "d"] { known.apply(key: Self.key(id), value: Self.value(1)) }
        known.apply(key: Self.key("c"), value: Self.value(4))
        known.apply(key: Self.key("d"), value: nil)
        #expect(known.open.map(\.transactionalId) == ["a", "b"])
        #expect(known["c"]?.state == .completeCommit && known["c"]?.isOpen == false && known["d"] == nil)
        known.apply(key: Self.key("a"), value: Self.value(2))
        #expect(known.open.map(\.state) == [.prepareCommit, .ongoing], "its markers are not written yet")
    }

    @Test("what is of another form, or is cut off, is counted and ends nothing")
    func unreadable() {
        var known = CoordinatedTransactions()
        known.apply(key: Self.key("a"), value: Self.value(1, version: 2))
        known.apply(key: Self.key("a", version: 1), value: Self.value(1))
        known.apply(key: Self.key("a"), value: Self.value(99))
        known.apply(key: [], value: nil)
        #expect(known.unreadable == 4 && known.open.isEmpty)
        let whole = Self.value(1)
        for count in 0..<(whole.count - 1) { known.apply(key: Self.key("a"), value: Array(whole.prefix(count))) }
        #expect(known.unreadable == 4 + whole.count - 1 && known.open.isEmpty)
    }

    @Test("what became of a transaction is told by its begin, though a producer that took over has emptied its id")
    func fate() {
        let found = CoordinatedTransaction(
            "a", .ongoing, timeout: .seconds(10), begin: Instant(milliseconds: 5_000), partitions: [])
        func known(_ records: (state: Int8, begin: Int64)...) -> CoordinatedTransactions {
            var known = CoordinatedTransactions(following: found)
            // Another id, and an earlier one of the same.
            known.apply(key: Self.key("b"), value: Self.value(4))
            known.apply(key: Self.key("a"), value: Self.value(5, begin: 4_000))
            for (state, begin) in records { known.apply(key: Self.key("a"), value: Self.value(state, begin: begin)) }
            return known
        }
        #expect(known((1, 5_000)).fate == nil && known().fate == nil)
        #expect(known((1, 5_000), (3, 5_000), (5, 5_000), (0, -1)).fate == .completeAbort)
        let committed = known((2, 5_000), (4, 5_000), (0, -1))
        #expect(committed.fate == .completeCommit && !committed.hasAbortedLater)
        let later = known((4, 5_000), (1, 6_000), (3, 6_000), (5, 6_000), (0, -1))
        #expect(later.fate == .completeCommit && later.hasAbortedLater)
        #expect(CoordinatedTransactions().fate == nil)
    }

    private static func finding(_ known: CoordinatedTransactions, _ topic: String = "t") -> Finding? {
        let owners = [
            TransactionOwner("app-a.1", "gone", writesTo: ["t"], ending: "'process' ends it."),
            TransactionOwner("app-b.1", "gone", writesTo: ["t"], ending: "Nobody needs this."),
            TransactionOwner(
                "app.sink.NAME", "a sink", writesTo: ["t"], ending: "The sink ends it.", prefix: "app.sink."),
        ]
        return [TransactionFacts(TopicPartition(topic, 0), stableEnd: 7, end: 20, age: .seconds(11))]
            .findings(timeout: .seconds(10), looked: 5, bootstrap: "b:1", owners: owners, known: known) {
                "tideline \($0)"
            }.first
    }

    @Test("whose a transaction is that holds readers up is said, and what ends it, of this application or not")
    func holders() {
        var known = CoordinatedTransactions()
        known.apply(key: Self.key("app-a.1"), value: Self.value(1))
        let own = Self.finding(known)
        #expect(own?.text.hasSuffix("; it is that of app-a.1 (gone)") == true)
        let remedy = "If it is a program's that still runs, end that program; else tideline transactions --end"
        #expect(own?.remedy == "'process' ends it. \(remedy) 'app-a.1'")
        var others = CoordinatedTransactions()
        others.apply(key: Self.key("billing"), value: Self.value(1))
        #expect(Self.finding(others)?.text.hasSuffix("; it is that of billing (ongoing)") == true)
        #expect(Self.finding(others)?.remedy == "\(remedy) 'billing'")
    }

    @Test("a sink is known by the beginning of its id, for its name is its own")
    func sinks() {
        var known = CoordinatedTransactions()
        known.apply(key: Self.key("app.sink.http-a"), value: Self.value(1))
        let finding = Self.finding(known)
        #expect(finding?.text.hasSuffix("; it is that of app.sink.http-a (a sink)") == true)
        #expect(finding?.remedy.hasPrefix("The sink ends it. If it is a program's") == true)
        var other = CoordinatedTransactions()
        other.apply(key: Self.key("app.sinks"), value: Self.value(1))
        #expect(Self.finding(other)?.remedy.hasPrefix("If it is a program's") == true)
    }

    @Test("what is being committed cannot be aborted, so no command is named for it")
    func committing() {
        var known = CoordinatedTransactions()
        known.apply(key: Self.key("billing"), value: Self.value(2))
        let alone = "What is being committed ends by itself when all its brokers are there."
        #expect(Self.finding(known)?.remedy == alone)
        known.apply(key: Self.key("other"), value: Self.value(1))
        let both = Self.finding(known)?.remedy
        #expect(both?.hasPrefix(alone) == true && both?.hasSuffix("transactions --end 'other'") == true)
    }

    @Test("an id of a stranger is one word of the command, whatever it holds, and obeyed by no terminal")
    func quoted() {
        var known = CoordinatedTransactions()
        known.apply(key: Self.key("a'; rm -r b"), value: Self.value(1))
        #expect(Self.finding(known)?.remedy.hasSuffix("--end 'a'\\''; rm -r b'") == true)
        var sly = CoordinatedTransactions()
        sly.apply(key: Self.key("a\u{1B}'"), value: Self.value(1))
        #expect(Self.finding(sly)?.text.contains("a\\u{1B}' (ongoing)") == true)
        #expect(Self.finding(sly)?.remedy.hasSuffix("--end $'a\\033\\''") == true)
    }

    @Test("a transaction of which no coordinator knows hangs, and Kafka's own tool is named for it alone")
    func hanging() {
        var known = CoordinatedTransactions()
        known.apply(key: Self.key("app-a.1"), value: Self.value(4))
        let finding = Self.finding(known)
        #expect(finding?.text.hasSuffix("; no coordinator knows of it") == true)
        #expect(finding?.remedy.contains("kafka-transactions.sh --bootstrap-server b:1 abort --topic t") == true)
        #expect(finding?.remedy.contains("transactions --end") == false)
    }
}
