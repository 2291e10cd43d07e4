import RecordLog
import StreamCore
import Testing

/// What the topics tell, read_committed, of what `LedgerProcessor` did.
struct LedgerAudit: Sendable {
    /// `partition/offset` of input records, as often as they were applied.
    private(set) var applied: [String: Int] = [:]
    private(set) var violations: [String] = []
    /// `from→to`: messages sent, and the number of the last one received.
    private var sent: [String: Int64] = [:]
    private var received: [String: Int64] = [:]
    /// By task and entity: records applied.
    private var counts: [String: Int64] = [:]

    init() {}

    init(applied: [Record], violations: [Record], changelog: [Record]) {
        for record in applied { noteApplied(record) }
        for record in violations { noteViolation(record) }
        for record in changelog { noteState(record) }
    }

    mutating func noteApplied(_ record: Record) { applied[Self.text(record.value), default: 0] += 1 }

    mutating func noteViolation(_ record: Record) { violations.append(Self.text(record.value)) }

    mutating func noteState(_ record: Record) {
        guard let first = record.key?.first, first > 0, let bytes = record.value else { return }
        let store = first & ~StateFormat.versionedKey
        // Stores have numbers from 1; 0 are the positions and the beginning.
        guard store > 0 else { return }
        // A value with a version begins with it.
        let value = store == first ? bytes : Array(bytes.dropFirst())
        let name = Self.text(record.key.map { Array($0[1...]) })
        let number = value.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
        switch store {
        case 1: counts["\(record.partition) \(name)"] = number
        case 2: sent["\(record.partition)→\(name)"] = number
        case 3: received["\(name)→\(record.partition)"] = number
        default: break
        }
    }

    var appliedOnce: Bool { applied.values.allSatisfy { $0 == 1 } }
    var appliedCount: Int { applied.values.reduce(0, +) }
    var messagesSent: Int64 { sent.values.reduce(0, +) }
    var messagesReceived: Int64 { received.values.reduce(0, +) }

    /// Whether every one of the inputs has left all its traces; says nothing of what came twice.
    func isComplete(inputs: [String]) -> Bool {
        inputs.allSatisfy { applied[$0] != nil } && sent == received
    }

    /// Each input applied exactly once, to the state as to the outputs; each message received once and in order.
    func expectExactlyOnce(
        inputs: [String], _ comment: @autoclosure () -> Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let note = comment()
        #expect(!inputs.isEmpty, "nothing was tested", sourceLocation: sourceLocation)
        let missing = inputs.filter { applied[$0] == nil }
        let repeated = applied.filter { $0.value > 1 }.keys.sorted()
        let about = note.map { "\($0)" } ?? ""
        #expect(
            missing.isEmpty, "\(missing.count) missing: \(missing.prefix(5)) \(about)", sourceLocation: sourceLocation)
        #expect(
            repeated.isEmpty, "\(repeated.count) twice: \(repeated.prefix(5)) \(about)", sourceLocation: sourceLocation)
        #expect(applied.count == inputs.count, note, sourceLocation: sourceLocation)
        #expect(violations.prefix(5) == [], note, sourceLocation: sourceLocation)
        #expect(counts.values.reduce(0, +) == Int64(inputs.count), note, sourceLocation: sourceLocation)
        #expect(messagesSent == Int64(inputs.count), note, sourceLocation: sourceLocation)
        #expect(sent == received, note, sourceLocation: sourceLocation)
    }

    private static func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }
}
