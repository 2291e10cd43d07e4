import RecordLog
package import StreamCore

/// A small topology that books every input and every message: one source, one node that sends to itself, and four
/// outputs that tell what was done.
package enum LedgerTopology {
    package static let source = "a.in"
    package static let outputs = ["applied", "violations", "totals", "rung"]
    package static let node = NodeName<LedgerMessage>(0, "ledger")

    static let applied = OutputName(0)
    static let violations = OutputName(1)
    static let totals = OutputName(2)
    static let rung = OutputName(3)

    /// The topology with the processor as it should be.
    package static var topology: Topology { topology { LedgerProcessor() } }

    /// - Parameter makeProcessor: the processor of a task; a test puts one with a defect in here.
    package static func topology<P: RecordProcessor & MessageProcessor & SendableMetatype>(
        _ makeProcessor: @escaping @Sendable () -> P
    ) -> Topology where P.Message == LedgerMessage {
        Topology(
            sources: [.init(topic: source, to: node)],
            nodes: [
                .init(node, sends: [node.number], writes: [applied, violations, totals, rung]) { makeProcessor() }
            ],
            outputs: outputs)
    }

    /// Some name that belongs to a task.
    static func entity(of task: Partition, of partitions: Int32) -> String {
        for number in 0... {
            let name = "entity-\(number)"
            if Murmur2.partition(of: name, partitions: partitions) == task { return name }
        }
        preconditionFailure("every task has names")
    }
}

/// The number of a message among those of one task to another.
package struct LedgerMessage: StateValue {
    var from: Partition
    var number: Int64

    init(from: Partition, number: Int64) {
        self.from = from
        self.number = number
    }

    package init(from reader: inout ByteReader) throws(CorruptBytes) {
        from = Partition(Int32(truncatingIfNeeded: try reader.varint()))
        number = try reader.int64()
    }

    package func encode(into writer: inout ByteWriter) {
        writer.write(varint: UInt64(from.rawValue))
        writer.write(number)
    }
}

/// A count in a store.
package struct LedgerCount: StateValue, Equatable {
    package var value: Int64

    package init(_ value: Int64) { self.value = value }
    package init(from reader: inout ByteReader) throws(CorruptBytes) { value = try reader.int64() }
    package func encode(into writer: inout ByteWriter) { writer.write(value) }
}

/// A bell that waits: when it is due, and how many records it will ring for.
package struct LedgerBell: StateValue, Equatable {
    var due: Instant
    var records: Int64

    init(due: Instant, records: Int64) {
        self.due = due
        self.records = records
    }

    package init(from reader: inout ByteReader) throws(CorruptBytes) {
        due = Instant(milliseconds: try reader.int64())
        records = try reader.int64()
    }

    package func encode(into writer: inout ByteWriter) {
        writer.write(due.milliseconds)
        writer.write(records)
    }
}
