import RecordLog
import StreamCore
import Timelines

/// The state of one kind at a recipient's task while changes are gathered. Without changes there is no state. It
/// follows from the budgets, and up to format 3 it is written nevertheless.
struct GatheringState: StateValue {
    /// When what was gathered goes out.
    var closesAt: Instant

    init(closesAt: Instant) {
        self.closesAt = closesAt
    }

    func encode(into writer: inout ByteWriter) { writer.write(closesAt) }

    init(from reader: inout ByteReader) throws(CorruptBytes) { closesAt = try reader.instant() }
}

/// The state of one configuration at its recipient's task. If its bucket is full and nothing waits, there is no state.
struct BudgetState: StateValue {
    /// `nil` means that the bucket is full.
    var bucket: TokenBucket?
    /// The change that the recipient was not told of yet.
    var offer: ReloadOffer?
    /// There was no token when it should have gone out: it goes out alone when there is one.
    var isHeld = false
    /// When the gathering of the offer closes; `nil` if the offer is in none, and up to format 3.
    var closesAt: Instant?

    init() {}

    var isEmpty: Bool { bucket == nil && offer == nil }

    /// The offer is settled.
    mutating func close() { (offer, isHeld, closesAt) = (nil, false, nil) }

    func encode(into writer: inout ByteWriter) {
        writer.write(optional: bucket) { $0.write($1) }
        writer.write(optional: offer) { $1.encode(into: &$0) }
        writer.write(isHeld)
        if let closesAt { writer.write(closesAt) }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        bucket = try reader.bool() ? try reader.tokenBucket() : nil
        offer = try reader.bool() ? try ReloadOffer(from: &reader) : nil
        isHeld = try reader.bool()
        closesAt = reader.isAtEnd ? nil : try reader.instant()
    }
}

/// The key of a recipient's kind, or of a configuration under it: each part with its length before it, so that no
/// character of an id can be taken for an end.
struct ReloadKey: Hashable {
    var recipient: String
    var kind: String
    /// `nil` makes the key of all configurations of the kind.
    var configurationId: String?

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.write(recipient)
        writer.write(kind)
        if let configurationId { writer.write(configurationId) }
        return writer.bytes
    }

    init(recipient: String, kind: String, configurationId: String? = nil) {
        self.recipient = recipient
        self.kind = kind
        self.configurationId = configurationId
    }

    /// The key of all configurations of the recipient and kind.
    var ofAllConfigurations: ReloadKey { ReloadKey(recipient: recipient, kind: kind) }

    /// Below zero if this key comes before the other, zero if its texts have the same bytes: ids that Unicode takes for
    /// the same are others here. The order is that of recipients, then kinds, then configurations.
    func order(to other: ReloadKey) -> Int {
        let recipients = recipient.orderByUTF8(to: other.recipient)
        if recipients != 0 { return recipients }
        let kinds = kind.orderByUTF8(to: other.kind)
        if kinds != 0 { return kinds }
        return (configurationId ?? "").orderByUTF8(to: other.configurationId ?? "")
    }

    /// A key of this program, which can be read.
    init(_ bytes: UnsafeRawBufferPointer) {
        do throws(CorruptBytes) {
            var reader = ByteReader(bytes)
            recipient = try reader.string()
            kind = try reader.string()
            configurationId = reader.isAtEnd ? nil : try reader.string()
        } catch {
            preconditionFailure("A key of this program cannot be read: \(error)")
        }
    }
}
