package import RecordLog
package import Times

/// The newest that its coordinator has written of a transactional id: in the topic `__transaction_state`, which is
/// Kafka's own (KIP-98, KIP-890).
package struct CoordinatedTransaction: Hashable, Sendable {
    package var transactionalId: String
    package var state: State
    /// So long it may last.
    package var timeout: ElapsedTime
    /// The moment at which it began; `nil` if none has.
    package var begin: Instant?
    /// Where it has written, ascending; `__consumer_offsets` among them stands for offsets of groups.
    package var partitions: [TopicPartition]

    /// The states, by the numbers that coordinators write.
    package enum State: Int8, Sendable {
        case empty = 0
        case ongoing, prepareCommit, prepareAbort, completeCommit, completeAbort, dead, prepareEpochFence

        package var text: String {
            switch self {
            case .empty: "empty"
            case .ongoing: "ongoing"
            case .prepareCommit: "being committed"
            case .prepareAbort, .prepareEpochFence: "being aborted"
            case .completeCommit: "committed"
            case .completeAbort: "aborted"
            case .dead: "forgotten"
            }
        }
    }

    /// True if readers of committed records wait for its end.
    package var isOpen: Bool { [.ongoing, .prepareCommit, .prepareAbort, .prepareEpochFence].contains(state) }

    /// True if its coordinator has decided to commit it, and brokers lack the markers of that. Nobody can abort it.
    package var isBeingCommitted: Bool { state == .prepareCommit }

    package init(
        _ transactionalId: String, _ state: State, timeout: ElapsedTime, begin: Instant?, partitions: [TopicPartition]
    ) {
        self.transactionalId = transactionalId
        self.state = state
        self.timeout = timeout
        self.begin = begin
        self.partitions = partitions
    }

    /// Reads a record's value in the forms 0 and 1; `nil` if it is of another form.
    init?(of transactionalId: String, _ value: [UInt8]) {
        var reader = CoordinatorReader(value)
        guard let version = reader.integer(Int16.self), (0...1).contains(version) else { return nil }
        reader.isCompact = version == 1
        // The producer's id and epoch.
        guard reader.integer(Int64.self) != nil, reader.integer(Int16.self) != nil,
            let timeout = reader.integer(Int32.self), let number = reader.integer(Int8.self),
            let state = State(rawValue: number), let partitions = reader.partitions(),
            reader.integer(Int64.self) != nil, let begin = reader.integer(Int64.self)
        else { return nil }
        self.init(
            transactionalId, state, timeout: ElapsedTime(milliseconds: Int64(timeout)),
            begin: begin > 0 ? Instant(milliseconds: begin) : nil, partitions: partitions.sorted())
    }

    /// The words for a line: `ongoing for 12 s, may last 10 s: t[0], t[1]`.
    ///
    /// - Parameter now: the time at which it is looked at.
    package func text(at now: Instant) -> String {
        let age = begin.map { " for \((now - $0).text)" } ?? ""
        let named = partitions.prefix(Self.namedMax).map { "\($0)" }.joined(separator: ", ")
        let more = partitions.count > Self.namedMax ? " and \(partitions.count - Self.namedMax) more" : ""
        return "\(state.text)\(age), may last \(timeout.text): \(named)\(more)"
    }

    private static var namedMax: Int { 5 }
}

/// What coordinators have written, of all transactional ids.
package struct CoordinatedTransactions: Sendable {
    package static let topic = "__transaction_state"

    private var newest: [String: CoordinatedTransaction] = [:]
    /// So many records are of a form that this release does not know.
    package private(set) var unreadable = 0
    /// What became of the transaction that is followed: `completeCommit` or `completeAbort` once that is decided.
    package private(set) var fate: CoordinatedTransaction.State?
    /// True if another of the same id was aborted that began after the one that is followed.
    package private(set) var hasAbortedLater = false

    private let followed: CoordinatedTransaction?

    /// - Parameter followed: the transaction whose end is looked for among the records.
    package init(following followed: CoordinatedTransaction? = nil) {
        self.followed = followed
    }

    /// Takes a record in. Those of a partition come in the order of their offsets.
    package mutating func apply(key: [UInt8], value: [UInt8]?) {
        var reader = CoordinatorReader(key)
        guard reader.integer(Int16.self) == 0, let id = reader.text() else {
            unreadable += 1
            return
        }
        guard let value else {
            newest[id] = nil
            return
        }
        let read = CoordinatedTransaction(of: id, value)
        newest[id] = read
        if let read { follow(read) } else { unreadable += 1 }
    }

    /// A producer that is initialised writes its id anew as empty, so the newest record does not tell how the last
    /// transaction ended. Each of them is known by the moment at which it began.
    private mutating func follow(_ read: CoordinatedTransaction) {
        guard let followed, let begin = followed.begin, let now = read.begin, now >= begin,
            read.transactionalId == followed.transactionalId
        else { return }
        switch read.state {
        case .prepareCommit, .completeCommit: if now == begin { fate = .completeCommit }
        case .prepareAbort, .prepareEpochFence, .completeAbort:
            if now == begin { fate = .completeAbort } else { hasAbortedLater = true }
        case .empty, .ongoing, .dead: break
        }
    }

    package subscript(id: String) -> CoordinatedTransaction? { newest[id] }

    /// Those that are open, ascending by transactional id.
    package var open: [CoordinatedTransaction] {
        newest.values.filter(\.isOpen).sorted {
            $0.transactionalId.utf8.lexicographicallyPrecedes($1.transactionalId.utf8)
        }
    }
}

/// Reads Kafka's serialised fields, one after the other. Each function gives `nil` where the bytes end too early.
private struct CoordinatorReader {
    private var bytes: ArraySlice<UInt8>
    /// True for texts and lists with lengths of variable size and with tagged fields behind (KIP-482).
    var isCompact = false

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
        let size = Value.bitWidth / 8
        guard bytes.count >= size else { return nil }
        defer { bytes = bytes.dropFirst(size) }
        return bytes.prefix(size).reduce(Value.zero) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    }

    private mutating func variableLength() -> Int? {
        var result = 0
        for shift in stride(from: 0, to: 35, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            result |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return result }
        }
        return nil
    }

    /// The length of a list; a list that is absent is as an empty one.
    private mutating func count() -> Int? {
        isCompact ? variableLength().map { max($0 - 1, 0) } : integer(Int32.self).map { max(Int($0), 0) }
    }

    mutating func text() -> String? {
        let length = isCompact ? variableLength().map { $0 - 1 } : integer(Int16.self).map { Int($0) }
        guard let length, length >= 0, bytes.count >= length else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return String(decoding: bytes.prefix(length), as: UTF8.self)
    }

    mutating func partitions() -> [TopicPartition]? {
        guard let topics = count() else { return nil }
        var found: [TopicPartition] = []
        for _ in 0..<topics {
            guard let topic = text(), let numbers = count() else { return nil }
            for _ in 0..<numbers {
                guard let number = integer(Int32.self) else { return nil }
                found.append(TopicPartition(topic, Partition(number)))
            }
            if isCompact, !skipTaggedFields() { return nil }
        }
        return found
    }

    private mutating func skipTaggedFields() -> Bool {
        guard let fields = variableLength() else { return false }
        for _ in 0..<fields {
            guard variableLength() != nil, let size = variableLength(), bytes.count >= size else { return false }
            bytes = bytes.dropFirst(size)
        }
        return true
    }
}
