import Messages
import StreamCore
import Timelines

/// A message of a configuration's task to the task of its recipient (L1 to L9).
struct ReloadMessage: StateValue {
    var kind: String
    var configurationId: String
    var change: Change

    enum Change {
        /// There is something new to see; replaces an older offer of the same configuration.
        case offer(ReloadOffer)
        /// The offer of this revision still stands, but is void from another instant: the recipient has seen something
        /// else than was known when it was offered.
        case amendment(revision: Revision, voidFrom: Instant?)
        /// The offered content is no longer to be seen: the newest timeline is no visible change.
        case withdrawal
        /// The configuration is no longer this recipient's, of this kind: nothing of it goes out, whoever asked.
        case removal
    }

    init(_ change: Change, kind: String, configurationId: String) {
        self.kind = kind
        self.configurationId = configurationId
        self.change = change
    }

    func encode(into writer: inout ByteWriter) {
        writer.write(kind)
        writer.write(configurationId)
        switch change {
        case .offer(let offer):
            writer.write(UInt8(0))
            offer.encode(into: &writer)
        case .withdrawal: writer.write(UInt8(1))
        case .removal: writer.write(UInt8(2))
        case .amendment(let revision, let voidFrom):
            writer.write(UInt8(3))
            writer.write(revision)
            writer.write(optional: voidFrom)
        }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        kind = try reader.string()
        configurationId = try reader.string()
        switch try reader.byte() {
        case 0: change = .offer(try ReloadOffer(from: &reader))
        case 1: change = .withdrawal
        case 2: change = .removal
        case 3:
            let revision = try reader.revision()
            change = .amendment(revision: revision, voidFrom: try reader.optionalInstant())
        case let number: throw CorruptBytes("unknown message about reloads \(number)")
        }
    }
}

/// A configuration's change that a recipient may be told of.
struct ReloadOffer: StateValue {
    var revision: Revision
    /// The strongest of those that were offered since the last reload.
    var reason: ReloadNotification.Reason
    /// Somebody asked for it: it goes out whatever there is to see.
    var isRequested = false
    /// The instant from which on the recipient has come back by itself and seen what stood (L1 to L9).
    var voidFrom: Instant?
    /// The content to be seen; it comes back with the announcement.
    var digest: ContentDigest
    var traceParent: [UInt8]?

    init(
        revision: Revision, reason: ReloadNotification.Reason, voidFrom: Instant?, digest: ContentDigest,
        traceParent: [UInt8]?
    ) {
        self.revision = revision
        self.reason = reason
        isRequested = reason == .requested
        self.voidFrom = voidFrom
        self.digest = digest
        self.traceParent = traceParent
    }

    /// Changes of the configuration itself, sign-in and sign-out, and requests cost nothing.
    var isFree: Bool { reason >= .configurationChanged }

    /// A renewal is announced where there is a token at once, or not at all: who shows it comes back by itself.
    var isRenewal: Bool { reason <= .scheduled }

    func isVoid(at now: Instant) -> Bool { !isRequested && voidFrom.map { $0 <= now } ?? false }

    /// This offer in place of an older one that nobody was told of.
    func replacing(_ older: ReloadOffer) -> ReloadOffer {
        var offer = self
        offer.reason = max(reason, older.reason)
        offer.isRequested = isRequested || older.isRequested
        offer.traceParent = older.traceParent ?? traceParent
        return offer
    }

    func encode(into writer: inout ByteWriter) {
        writer.write(revision)
        writer.write(reason.rawValue)
        writer.write(isRequested)
        writer.write(optional: voidFrom)
        writer.write(digest)
        writer.write(optional: traceParent) { $0.write($1) }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        revision = try reader.revision()
        reason = try reader.reloadReason()
        isRequested = try reader.bool()
        voidFrom = try reader.optionalInstant()
        digest = try reader.contentDigest()
        traceParent = try reader.bool() ? try reader.array() : nil
    }
}

/// A message of a recipient's task to a configuration's: its change was announced.
struct ReloadAnnouncement: StateValue {
    /// The bucket is the one of this recipient and kind: a configuration may have others by now.
    var recipient: String
    var kind: String
    var revision: Revision
    var digest: ContentDigest
    var bucket: TokenBucket

    init(recipient: String, kind: String, revision: Revision, digest: ContentDigest, bucket: TokenBucket) {
        self.recipient = recipient
        self.kind = kind
        self.revision = revision
        self.digest = digest
        self.bucket = bucket
    }

    func encode(into writer: inout ByteWriter) {
        writer.write(recipient)
        writer.write(kind)
        writer.write(revision)
        writer.write(digest)
        writer.write(bucket)
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        recipient = try reader.string()
        kind = try reader.string()
        revision = try reader.revision()
        digest = try reader.contentDigest()
        bucket = try reader.tokenBucket()
    }
}

extension ByteWriter {
    mutating func write(_ bucket: TokenBucket) {
        write(bucket.level)
        write(bucket.asOf)
    }
}

extension ByteReader {
    mutating func tokenBucket() throws(CorruptBytes) -> TokenBucket {
        let level = try int64()
        return TokenBucket(level: level, asOf: try instant())
    }

    mutating func reloadReason() throws(CorruptBytes) -> ReloadNotification.Reason {
        let name = try string()
        guard let reason = ReloadNotification.Reason(rawValue: name) else {
            throw CorruptBytes("unknown reason \(name)")
        }
        return reason
    }
}
