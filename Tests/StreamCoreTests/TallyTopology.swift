import RecordLog
import StreamCore

/// Counts the records of each key; at each flush it emits the counts that changed, and sends one message a key to the
/// key's partner, `partner of KEY`, which counts what it got.
final class TallyProcessor: Processor {
    private let counts = StateStore<Tally>(id: 1)
    private let messages = StateStore<Tally>(id: 2)
    private var touched: [Int] = []
    private(set) var timers = SlotTimers()

    static let silence: ElapsedTime = 1_000

    static let topology = Topology(
        sources: [.init(topic: "in", node: 0, readingOrder: 0)],
        nodes: [.init(name: "tally", make: { TallyProcessor() })], outputs: ["counts", "silent"])

    var stores: [any ChangelogStore] { [messages, counts] }

    func process(_ record: InputRecord, _ context: TaskContext) {
        guard let key = record.key else { return }
        let hash = Murmur2.hash(key)
        let owner = context.owner(of: hash)
        if owner != context.partition { return context.forward(record, to: owner, entity: key) }
        let slot = counts.slot(of: key, hash: hash)
        if !touched.contains(slot) { touched.append(slot) }
        counts[slot] = Tally(integerLiteral: (counts[slot]?.value ?? 0) + 1)
        timers.arm(slot, due: context.now + Self.silence)
    }

    func receive(_ message: NodeMessage, _ context: TaskContext) {
        let slot = messages.slot(of: message.entity)
        messages[slot] = Tally(integerLiteral: (messages[slot]?.value ?? 0) + Int64(message.payload.count))
    }

    func flush(_ context: TaskContext) {
        for slot in touched {
            counts.withKey(of: slot) { key in
                withBytes(of: "\(counts[slot]?.value ?? 0)") { context.emit(0, key: key, value: $0, headers: []) }
            }
            context.send(to: "partner of \(counts.key(of: slot))", node: 0) { $0.write(UInt8(1)) }
        }
        touched = []
    }

    func punctuate(_ context: TaskContext) {
        while let slot = timers.pop(now: context.now) {
            counts.withKey(of: slot) { context.emit(1, key: $0, value: nil, headers: []) }
        }
    }

    func bringUp(_ context: TaskContext) {}

    func finishRestore(_ context: TaskContext) {
        for slot in 0..<counts.slots where counts[slot] != nil { timers.arm(slot, due: context.now + Self.silence) }
    }

    func committed(_ context: TaskContext) {}

    func reverted(_ context: TaskContext) {
        touched = []
        timers.removeAll()
        finishRestore(context)
    }

    var nextDue: Instant? { timers.nextDue }

    func count(of key: String) -> Int64? { counts.find(key).flatMap { counts[$0]?.value } }
}

/// Keeps what is routed.
final class Mailbox: MessageRouter {
    struct Letter: Equatable {
        var envelope: [UInt8]
        var key: String
        var partition: Partition
    }

    private(set) var letters: [Letter] = []

    func route(_ envelope: [UInt8], key: UnsafeRawBufferPointer, to partition: Partition) {
        letters.append(Letter(envelope: envelope, key: text(key), partition: partition))
    }

    func takeLetters() -> [Letter] {
        defer { letters = [] }
        return letters
    }
}
