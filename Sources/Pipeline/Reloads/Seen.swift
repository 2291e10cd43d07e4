import StreamCore
import Timelines

/// What a configuration's recipient has seen of it: what was announced last or, once the `nextUpdate` of what it saw
/// has passed, what stood then (STRATEGIES.md 4).
enum Seen {
    case nothing
    /// What was published last.
    case published
    case earlier(revision: Int64, ContentDigest)
}

extension ConfigurationState {
    /// Nil: nothing.
    var seenDigest: ContentDigest? {
        switch seen {
        case .nothing: nil
        case .published: published?.digest
        case .earlier(_, let digest): digest
        }
    }

    private var seenRevision: Int64 {
        switch seen {
        case .nothing: 0
        case .published: revision
        case .earlier(let revision, _): revision
        }
    }

    /// Whether what is made for `at`, and is about to take the place of what was published, is a visible change against
    /// what was seen. Moves on what was seen, where its `nextUpdate` has passed.
    mutating func sees(_ made: ContentDigest, at: Instant) -> Bool {
        guard var shown = seenDigest else { return true }
        if let cameBack = shown.nextUpdate, cameBack <= at {
            guard let standing = published?.digest, cameBack < at, standing.nextUpdate.map({ $0 > at }) ?? true else {
                // Whoever shows it comes for this one.
                seen = .published
                return false
            }
            shown = standing
            seen = .earlier(revision: revision, standing)
        } else if case .published = seen {
            seen = .earlier(revision: revision, shown)
        }
        if shown == made { seen = .published }
        return shown.isVisibleChange(to: made, at: at)
    }

    /// The recipient was told of this revision. What was published since is judged against it.
    ///
    /// - Returns: whether what stands now is a visible change against what was announced; nil where nothing newer than
    ///   the announcement, or than what was seen, has to be judged.
    mutating func saw(_ announcement: ReloadAnnouncement, at now: Instant) -> Bool? {
        guard announcement.revision > seenRevision, let published else { return nil }
        if announcement.revision == revision {
            seen = .published
            return nil
        }
        let at = max(now, published.at)
        if let cameBack = announcement.digest.nextUpdate, cameBack <= at {
            seen = .published
            return false
        }
        seen = .earlier(revision: announcement.revision, announcement.digest)
        return announcement.digest.isVisibleChange(to: published.digest, at: at)
    }
}

extension Seen: StateValue {
    func encode(into writer: inout ByteWriter) {
        switch self {
        case .nothing: writer.write(UInt8(0))
        case .published: writer.write(UInt8(1))
        case .earlier(let revision, let digest):
            writer.write(UInt8(2))
            writer.write(revision)
            writer.write(digest)
        }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        switch try reader.byte() {
        case 0: self = .nothing
        case 1: self = .published
        case 2:
            let revision = try reader.int64()
            self = .earlier(revision: revision, try reader.contentDigest())
        case let number: throw CorruptBytes("unknown state of what was seen: \(number)")
        }
    }
}
