import StreamCore
import Timelines

// The stored form of a configuration's state. Fields are only ever added at the end.

extension ConfigurationState: StateValue {
    func encode(into writer: inout ByteWriter) {
        assert((published == nil) == (history.newest == nil), "What is kept of a timeline is kept together.")
        writer.write(optional: value) { $0.write($1) }
        writer.write(optional: origin) { $1.encode(into: &$0) }
        version.encode(into: &writer)
        writer.write(list: sources) { $1.encode(into: &$0) }
        writer.write(history.revision)
        writer.write(history.refreshCount)
        writer.write(optional: history.newest) { writer, newest in
            writer.write(newest.at)
            // Stands twice, for releases that kept it beside the digest.
            writer.write(optional: newest.digest.nextUpdate)
            writer.write(newest.digest)
            writer.write(published?.isFailure ?? false)
        }
        writer.write(history.displayed)
        writer.write(optional: history.offered) { $0.write($1) }
        writer.write(optional: bucket) { $0.write($1) }
        writer.write(optional: pending) { $1.encode(into: &$0) }
        writer.write(optional: renewal)
        writer.write(optional: deletedAt)
        writer.write(optional: traceParent) { $0.write($1) }
        writer.write(kindDigest)
        encodeLaterFields(into: &writer)
    }

    /// Writes the fields that releases before 0.1.0 neither read nor write: state of theirs is of rules 0, with nothing
    /// else to say.
    private func encodeLaterFields(into writer: inout ByteWriter) {
        let rules = published?.rules ?? 0
        let isTooLarge = published?.isTooLarge ?? false
        guard
            rules != 0 || isTooLarge || hasNewData || history.remade != nil || hasLeftOut || hasUnclaimedTimeline
        else { return }
        writer.write(count: rules)
        writer.write(isTooLarge)
        writer.write(hasNewData)
        writer.write(optional: history.remade) { $0.write($1) }
        if hasLeftOut || hasUnclaimedTimeline { encodeLeftOut(into: &writer) }
        if hasUnclaimedTimeline { writer.write(true) }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        value = try reader.bool() ? try reader.array() : nil
        origin = try reader.bool() ? try Origin(from: &reader) : nil
        version = try SubscriptionVersion(from: &reader)
        sources = try reader.list { reader throws(CorruptBytes) in try Source(from: &reader) }
        let revision = try reader.revision()
        let refreshCount = try reader.int64()
        var newest: PublicationHistory.Published?
        if try reader.bool() {
            let at = try reader.instant()
            _ = try reader.optionalInstant()
            newest = .init(at: at, digest: try reader.contentDigest())
            published = Published(isFailure: try reader.bool())
        }
        let displayed = try reader.displayed()
        let offered = try reader.bool() ? try reader.revision() : nil
        bucket = try reader.bool() ? try reader.tokenBucket() : nil
        pending = try reader.bool() ? try PendingTimeline(from: &reader) : nil
        renewal = try reader.optionalInstant()
        deletedAt = try reader.optionalInstant()
        traceParent = try reader.bool() ? try reader.array() : nil
        kindDigest = try reader.uint64()
        let remade = try readLaterFields(from: &reader)
        history = PublicationHistory(
            revision: revision, refreshCount: refreshCount, newest: newest, displayed: displayed, offered: offered,
            remade: remade)
    }

    private mutating func readLaterFields(from reader: inout ByteReader) throws(CorruptBytes) -> ContentDigest? {
        if reader.isAtEnd { return nil }
        let rules = Int(truncatingIfNeeded: try reader.varint())
        let isTooLarge = try reader.bool()
        published?.rules = rules
        published?.isTooLarge = isTooLarge
        hasNewData = try reader.bool()
        let remade = try reader.bool() ? try reader.contentDigest() : nil
        if !reader.isAtEnd { try readLeftOut(from: &reader) }
        if !reader.isAtEnd { hasUnclaimedTimeline = try reader.bool() }
        return remade
    }
}

extension ConfigurationState.Source: StateValue {
    func encode(into writer: inout ByteWriter) {
        id.encode(into: &writer)
        writer.write(isAnswered)
        writer.write(isAwaited)
        revision.encode(into: &writer)
        writer.write(optional: content) { $1.encode(into: &$0) }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        id = try SourceID(from: &reader)
        isAnswered = try reader.bool()
        isAwaited = try reader.bool()
        revision = try SourceRevision(from: &reader)
        content = try reader.bool() ? try SourceContent(from: &reader) : nil
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ displayed: PublicationHistory.Displayed) {
        write(varint: UInt64(displayed.revision.rawValue))
        write(optional: displayed.digest) { $0.write($1) }
    }
}

extension ByteReader {
    fileprivate mutating func displayed() throws(CorruptBytes) -> PublicationHistory.Displayed {
        let revision = Revision(Int64(try varint()))
        return .init(revision: revision, digest: try bool() ? try contentDigest() : nil)
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
