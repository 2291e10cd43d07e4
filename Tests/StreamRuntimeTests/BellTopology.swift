import RecordLog
import StreamCore

/// Rings by the clock alone: when its time comes each task sends a message to the next one, without reading a record or
/// changing its state.
final class BellProcessor: Processor {
    static let topology = Topology(
        sources: [.init(topic: "a.in", node: 0, readingOrder: 0)],
        nodes: [.init(name: "bell", make: { BellProcessor() })], outputs: ["rung"])

    static let period = ElapsedTime(milliseconds: 500)
    private var last = Instant(milliseconds: 0)

    var stores: [any ChangelogStore] { [] }

    func punctuate(_ context: TaskContext) {
        guard context.now >= last + Self.period else { return }
        last = context.now
        let next = (context.partition + 1) % context.partitions
        context.send(to: LedgerProcessor.entity(of: next, of: context.partitions), node: 0) { $0.write(UInt8(1)) }
    }

    func receive(_ message: NodeMessage, _ context: TaskContext) {
        context.emit(0, key: message.entity, value: nil, headers: [])
    }

    var nextDue: Instant? { last + Self.period }

    func process(_ record: InputRecord, _ context: TaskContext) {}
    func flush(_ context: TaskContext) {}
    func bringUp(_ context: TaskContext) {}
    func finishRestore(_ context: TaskContext) { last = context.now }
    func committed(_ context: TaskContext) {}
    func reverted(_ context: TaskContext) {}
}
