import StreamCore
import Timelines

/// What a configuration's task keeps of it: the record, what its sources said, what was published.
struct ConfigurationState: StateValue {
    /// The record's value; nil: deleted, and only the counters stay.
    var value: [UInt8]?
    var origin: Origin?
    /// Of the declaration of its kind that it was adopted under; 0: the kind was not declared.
    var kindDigest: UInt64 = 0
    /// The version of its subscriptions: older answers do not count.
    var version: UInt64 = 0
    var sources: [Source] = []
    /// Of the configuration's record, for the first timeline that is made of it.
    var traceParent: [UInt8]?
    /// Rises with every differing content, over deletions too.
    var revision: Int64 = 0
    var refreshCount: Int64 = 0
    var published: Published?
    /// By the recipient, which may have been told of less than what was published.
    var seen = Seen.nothing
    /// The revision that was offered to the recipient and, as far as is known here, not announced yet.
    var offered: Int64?
    /// As the recipient's task said last; nil: it said nothing yet, so it is full.
    var bucket: TokenBucket?
    /// A timeline that is to be made in the next transaction: one was published in this one already.
    var pending: Pending?
    /// The instant of a renewal that waits for its sources' snapshots.
    var renewal: Instant?
    var deletedAt: Instant?
    /// A source has other data than what was published was made of.
    var hasNewData = false
    /// What was published as the rules of now would have made it then, of what was known then. Nil: they did make it,
    /// or nothing has been heard since.
    var remade: ContentDigest?

    struct Source {
        var id: SourceID
        var isAnswered = false
        var isAwaited = false
        var revision: UInt64 = 0
        var content: SourceContent?

        init(id: SourceID) {
            self.id = id
        }
    }

    struct Published {
        var at: Instant
        var nextUpdate: Instant?
        var digest: ContentDigest
        /// It shows that something could not be had.
        var isFailure: Bool
        /// `ContentRules.version` by which it was made.
        var rules = 0
        /// It says that the timeline was too large.
        var isTooLarge = false
    }

    struct Pending {
        var at: Instant
        var cause: Cause
        var traceParent: [UInt8]?
        /// A calendar has news, but the vehicle told only what it was when it had news itself.
        var needsSnapshots = false
    }

    init() {}

    var areAllAnswered: Bool { sources.allSatisfy(\.isAnswered) }

    /// What was published last, to be compared with what the rules of now make. Nil: nothing was.
    var standing: ContentDigest? { published.map { remade ?? $0.digest } }

    /// Another recipient, or another kind, begins with nothing.
    mutating func forgetRecipient() {
        seen = .nothing
        offered = nil
        bucket = nil
    }

    var hasVehicle: Bool { sources.contains { !$0.id.isCalendar } }

    func encode(into writer: inout ByteWriter) {
        writer.write(optional: value) { $0.write($1) }
        writer.write(optional: origin) { $1.encode(into: &$0) }
        writer.write(varint: version)
        writer.write(list: sources) { writer, source in
            source.id.encode(into: &writer)
            writer.write(source.isAnswered)
            writer.write(source.isAwaited)
            writer.write(varint: source.revision)
            writer.write(optional: source.content) { $1.encode(into: &$0) }
        }
        writer.write(revision)
        writer.write(refreshCount)
        writer.write(optional: published) { writer, published in
            writer.write(published.at)
            writer.write(optional: published.nextUpdate)
            writer.write(published.digest)
            writer.write(published.isFailure)
        }
        seen.encode(into: &writer)
        writer.write(optional: offered)
        writer.write(optional: bucket) { $0.write($1) }
        writer.write(optional: pending) { writer, pending in
            writer.write(pending.at)
            writer.write(pending.cause.rawValue)
            writer.write(optional: pending.traceParent) { $0.write($1) }
            writer.write(pending.needsSnapshots)
        }
        writer.write(optional: renewal)
        writer.write(optional: deletedAt)
        writer.write(optional: traceParent) { $0.write($1) }
        writer.write(kindDigest)
        encodeLaterFields(into: &writer)
    }

    /// What releases before 0.1.0 neither read nor write: state of theirs is of rules 0, with nothing else to say.
    private func encodeLaterFields(into writer: inout ByteWriter) {
        let rules = published?.rules ?? 0
        let isTooLarge = published?.isTooLarge ?? false
        guard rules != 0 || isTooLarge || hasNewData || remade != nil else { return }
        writer.write(count: rules)
        writer.write(isTooLarge)
        writer.write(hasNewData)
        writer.write(optional: remade) { $0.write($1) }
    }

    private mutating func readLaterFields(from reader: inout ByteReader) throws(CorruptBytes) {
        if reader.isAtEnd { return }
        let rules = Int(truncatingIfNeeded: try reader.varint())
        let isTooLarge = try reader.bool()
        published?.rules = rules
        published?.isTooLarge = isTooLarge
        hasNewData = try reader.bool()
        remade = try reader.bool() ? try reader.contentDigest() : nil
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        value = try reader.bool() ? try reader.array() : nil
        origin = try reader.bool() ? try Origin(from: &reader) : nil
        version = try reader.varint()
        sources = try reader.list { reader throws(CorruptBytes) in
            var source = Source(id: try SourceID(from: &reader))
            source.isAnswered = try reader.bool()
            source.isAwaited = try reader.bool()
            source.revision = try reader.varint()
            source.content = try reader.bool() ? try SourceContent(from: &reader) : nil
            return source
        }
        revision = try reader.int64()
        refreshCount = try reader.int64()
        if try reader.bool() {
            let at = try reader.instant()
            let nextUpdate = try reader.optionalInstant()
            let digest = try reader.contentDigest()
            published = Published(at: at, nextUpdate: nextUpdate, digest: digest, isFailure: try reader.bool())
        }
        seen = try Seen(from: &reader)
        offered = try reader.optionalInt64()
        bucket = try reader.bool() ? try reader.tokenBucket() : nil
        if try reader.bool() {
            let at = try reader.instant()
            let cause = try Cause(from: &reader)
            let traceParent = try reader.bool() ? try reader.array() : nil
            pending = Pending(
                at: at, cause: cause, traceParent: traceParent, needsSnapshots: try reader.bool())
        }
        renewal = try reader.optionalInstant()
        deletedAt = try reader.optionalInstant()
        traceParent = try reader.bool() ? try reader.array() : nil
        kindDigest = try reader.uint64()
        try readLaterFields(from: &reader)
    }
}

/// A counter in state.
struct CounterState: StateValue {
    var value: UInt64

    init(_ value: UInt64) {
        self.value = value
    }

    func encode(into writer: inout ByteWriter) { writer.write(varint: value) }

    init(from reader: inout ByteReader) throws(CorruptBytes) { value = try reader.varint() }
}
