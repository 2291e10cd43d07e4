import StreamCore
import Timelines

/// What a configuration's recipient has seen of it: what was announced last or, once the `nextUpdate` of what it saw
/// has passed, what stood then (L1 to L9).
struct Seen {
    /// That it was of when it was seen; 0: nothing was. Later revisions may show the same, but were not seen: an
    /// announcement of one between may still be under way.
    var revision: Int64 = 0
    /// Nil: the same as what was published last.
    var digest: ContentDigest?

    static let nothing = Seen()
}

extension ConfigurationState {
    /// Nil: nothing was seen.
    var seenDigest: ContentDigest? { seen.revision == 0 ? nil : seen.digest ?? standing }

    /// Whether what is made for `at`, and is about to take the place of what was published, is a visible change against
    /// what was seen. Moves on what was seen, where its `nextUpdate` has passed.
    ///
    /// - Parameters:
    ///   - newRevision: of what is made.
    ///   - isTimeAlone: it is made of the same data as what was published: what was seen goes on by itself, but where
    ///     something else is still to be announced.
    mutating func sees(
        _ made: ContentDigest, revision newRevision: Int64, at: Instant, isTimeAlone: Bool = false
    ) -> Bool {
        guard var shown = seenDigest else { return true }
        if isTimeAlone && offered == nil {
            seen = Seen(revision: newRevision)
            return false
        }
        if let cameBack = shown.nextUpdate, cameBack <= at {
            guard let standing, cameBack < at, standing.nextUpdate.map({ $0 > at }) ?? true else {
                // Whoever shows it comes for this one.
                seen = Seen(revision: newRevision)
                return false
            }
            shown = standing
            seen.revision = revision
        }
        seen.digest = shown == made ? nil : shown
        return shown.isVisibleChange(to: made, at: at)
    }

    /// The recipient was told of this revision. What was published since is judged against it.
    ///
    /// - Returns: whether what stands now is a visible change against what was announced; nil where nothing newer than
    ///   the announcement, or than what was seen, has to be judged.
    mutating func saw(_ announcement: ReloadAnnouncement, at now: Instant) -> Bool? {
        guard announcement.revision > seen.revision, let published else { return nil }
        if announcement.revision == revision {
            seen = Seen(revision: revision)
            return nil
        }
        let at = max(now, published.at)
        if let cameBack = announcement.digest.nextUpdate, cameBack <= at {
            seen = Seen(revision: revision)
            return false
        }
        seen = Seen(revision: announcement.revision, digest: announcement.digest)
        return announcement.digest.isVisibleChange(to: published.digest, at: at)
    }
}

extension Seen: StateValue {
    func encode(into writer: inout ByteWriter) {
        writer.write(varint: UInt64(revision))
        writer.write(optional: digest) { $0.write($1) }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        revision = Int64(try reader.varint())
        digest = try reader.bool() ? try reader.contentDigest() : nil
    }
}
