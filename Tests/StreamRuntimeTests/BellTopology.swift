import RecordLog
import StreamCore

/// Rings by the clock alone: when its time comes each task sends a message to the next one, without reading a record or
/// changing its state.
final class BellProcessor: RecordProcessor, MessageProcessor, Punctuator, DerivingProcessor {
    static let node = NodeName<LedgerMessage>(0, "bell")

    static let topology = Topology(
        sources: [.init(topic: "a.in", to: node)],
        nodes: [.init(node, sends: [0], writes: [OutputName(0)]) { BellProcessor() }], outputs: ["rung"])

    static let period = ElapsedTime(milliseconds: 500)
    private var last = Instant(milliseconds: 0)

    var stores: [any ChangelogStore] { [] }

    func punctuate(_ context: TaskContext) {
        guard context.now >= last + Self.period else { return }
        last = context.now
        let next = context.partition.advanced(by: 1) % context.partitions
        let message = LedgerMessage(from: context.partition, number: 1)
        context.send(message, to: LedgerProcessor.entity(of: next, of: context.partitions), at: Self.node)
    }

    func receive(_ message: LedgerMessage, for entity: UnsafeRawBufferPointer, _ context: TaskContext) {
        context.emit(OutputName(0), key: entity, value: nil, headers: [])
    }

    var nextDue: Instant? { last + Self.period }

    func process(_ record: InputRecord, _ context: TaskContext) {}
    func finishRestore(_ context: TaskContext, _ portion: inout Int) -> Bool {
        last = context.now
        return true
    }
    func reverted(_ context: TaskContext) {}
}
