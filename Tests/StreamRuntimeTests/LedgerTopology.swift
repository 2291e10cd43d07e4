// StreamRuntimeTests: the rules of the runtime, R1 to R13 (DESIGN.md), each with a test named after it; exactly-once
// under schedules of random faults; the same scenarios in memory and on a real broker.
//
// What runs is `LedgerTopology`, which books every input offset and every message, so that `LedgerAudit` can tell from
// the topics alone whether each was applied exactly once and in order.

import RecordLog
import StreamCore

/// One source, `a.in`, whose name sorts before the internal topics'; outputs `applied` and `violations`.
enum LedgerTopology {
    static let source = "a.in"
    static let applied = "applied"
    static let violations = "violations"

    static let node = NodeName<LedgerMessage>(0, "ledger")

    static let topology = named("")

    /// The same with a prefix before all names, for a broker that others use as well.
    static func named(_ prefix: String) -> Topology {
        Topology(
            sources: [.init(topic: prefix + source, to: node)],
            nodes: [.init(node, sends: [node.number], writes: [.applied, .violations]) { LedgerProcessor() }],
            outputs: [prefix + applied, prefix + violations])
    }
}

extension OutputName {
    fileprivate static let applied = OutputName(0)
    fileprivate static let violations = OutputName(1)
}

/// The number of a message among those of one task to another.
struct LedgerMessage: StateValue {
    var from: Partition
    var number: Int64

    init(from: Partition, number: Int64) {
        self.from = from
        self.number = number
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        from = Partition(Int32(truncatingIfNeeded: try reader.varint()))
        number = try reader.int64()
    }

    func encode(into writer: inout ByteWriter) {
        writer.write(varint: UInt64(from.rawValue))
        writer.write(number)
    }
}

struct Counter: StateValue, Equatable {
    var value: Int64

    init(_ value: Int64) { self.value = value }
    init(from reader: inout ByteReader) throws(CorruptBytes) { value = try reader.int64() }
    func encode(into writer: inout ByteWriter) { writer.write(value) }
}

/// Books each record under its entity, emits where it stood, and sends one numbered message a record, to each task in
/// turn. What comes twice or out of order it emits as a violation.
final class LedgerProcessor: RecordProcessor, MessageProcessor {
    /// By entity: records applied.
    private let counts = StateStore(StoreName<Counter>(1, "counts"))
    /// By receiving task: messages sent.
    private let sent = StateStore(StoreName<Counter>(2, "sent"))
    /// By sending task: the number of the last message.
    private let received = StateStore(StoreName<Counter>(3, "received"))
    /// By entity and input partition: the offset after the last one applied.
    private let applied = StateStore(StoreName<Counter>(4, "applied"))
    private var recipients: [String] = []

    var stores: [any ChangelogStore] { [counts, sent, received, applied] }

    func process(_ record: InputRecord, _ context: TaskContext) {
        guard let key = record.key else { return }
        let hash = Murmur2.hash(key)
        let owner = context.owner(of: hash)
        if owner != context.partition { return context.forward(record, to: owner, entity: key) }
        let entity = String(decoding: key, as: UTF8.self)
        let place = applied.slot(of: "\(entity)@\(record.origin.partition)")
        if let next = applied[place]?.value, record.origin.offset.rawValue < next {
            report("\(record.origin.partition)/\(record.origin.offset) of \(entity) again, after \(next - 1)", context)
        }
        applied[place] = Counter(record.origin.offset.rawValue + 1)
        advance(counts, entity)
        emit(.applied, "\(record.origin.partition)/\(record.origin.offset)", entity, context)
        send(to: Partition(Int32(record.origin.offset.rawValue % Int64(context.partitions))), context)
    }

    func receive(_ message: LedgerMessage, for entity: UnsafeRawBufferPointer, _ context: TaskContext) {
        let slot = received.slot(of: "\(message.from)")
        let expected = (received[slot]?.value ?? 0) + 1
        if message.number != expected {
            report("\(message.from)→\(context.partition): message \(message.number) where \(expected) was due", context)
        }
        received[slot] = Counter(message.number)
    }

    private func send(to task: Partition, _ context: TaskContext) {
        if recipients.isEmpty {
            recipients = (0..<Partition(context.partitions)).map { Self.entity(of: $0, of: context.partitions) }
        }
        let number = advance(sent, "\(task)")
        let message = LedgerMessage(from: context.partition, number: number)
        context.send(message, to: recipients[Int(task)], at: LedgerTopology.node)
    }

    @discardableResult
    private func advance(_ store: StateStore<Counter>, _ key: String) -> Int64 {
        let slot = store.slot(of: key)
        let value = (store[slot]?.value ?? 0) + 1
        store[slot] = Counter(value)
        return value
    }

    private func report(_ violation: String, _ context: TaskContext) {
        emit(.violations, violation, "violation", context)
    }

    private func emit(_ output: OutputName, _ value: String, _ key: String, _ context: TaskContext) {
        Array(key.utf8).withUnsafeBytes { key in
            Array(value.utf8).withUnsafeBytes { context.emit(output, key: key, value: $0, headers: []) }
        }
    }

    /// Some name that belongs to a task.
    static func entity(of task: Partition, of partitions: Int32, among prefix: String = "entity") -> String {
        for number in 0... {
            let name = "\(prefix)-\(number)"
            if Murmur2.partition(of: name, partitions: partitions) == task { return name }
        }
        preconditionFailure("every task has names")
    }
}
