import RecordLog
import StreamCore

/// Counts the records of each key; at each flush it emits the counts that changed, and sends one message a key to the
/// key's partner, `partner of KEY`, which counts what it got.
final class TallyProcessor: RecordProcessor, MessageProcessor, ConflatingProcessor, Punctuator, DerivingProcessor {
    private let counts = StateStore(StoreName<Tally>(1, "counts"))
    private let messages = StateStore(StoreName<Tally>(2, "messages"))
    private var touched: [Slot<Tally>] = []
    private(set) var timers = SlotTimers<Tally>()
    private var restored = RestoreWalk<Tally>()

    static let node = NodeName<Ping>(0, "tally")
    static let countsOutput = OutputName(0)
    static let silentOutput = OutputName(1)

    static let silence: ElapsedTime = 1_000

    static let topology = Topology(
        sources: [.init(topic: "in", to: node)],
        nodes: [.init(node, sends: [0], writes: [countsOutput, silentOutput]) { TallyProcessor() }],
        outputs: ["counts", "silent"])

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

    func receive(_ message: Ping, for entity: UnsafeRawBufferPointer, _ context: TaskContext) {
        let slot = messages.slot(of: entity)
        messages[slot] = Tally(integerLiteral: (messages[slot]?.value ?? 0) + Int64(message.bytes.count))
    }

    func flush(_ context: TaskContext) {
        for slot in touched {
            counts.withKey(of: slot) { key in
                withBytes(of: "\(counts[slot]?.value ?? 0)") {
                    context.emit(Self.countsOutput, key: key, value: $0, headers: [])
                }
            }
            context.send(Ping(), to: "partner of \(counts.key(of: slot))", at: Self.node)
        }
        touched = []
    }

    func punctuate(_ context: TaskContext) {
        while let slot = timers.pop(now: context.now) {
            counts.withKey(of: slot) { context.emit(Self.silentOutput, key: $0, value: nil, headers: []) }
        }
    }

    func finishRestore(_ context: TaskContext, _ portion: inout Int) -> Bool {
        while let slot = restored.next(in: counts, &portion) { timers.arm(slot, due: context.now + Self.silence) }
        return restored.isDone(in: counts)
    }

    func reverted(_ context: TaskContext) {
        touched = []
        timers.removeAll()
        for slot in counts.slots where counts[slot] != nil { timers.arm(slot, due: context.now + Self.silence) }
    }

    var nextDue: Instant? { timers.nextDue }

    func count(of key: String) -> Int64? { counts.find(key).flatMap { counts[$0]?.value } }
}

/// A message of any bytes.
struct Ping: StateValue {
    var bytes: [UInt8] = [1]

    init() {}
    init(from reader: inout ByteReader) throws(CorruptBytes) { bytes = Array(reader.rest()) }
    func encode(into writer: inout ByteWriter) { bytes.withUnsafeBytes { writer.append($0) } }
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
