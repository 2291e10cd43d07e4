import Access
import RecordLog
import Timelines

/// The timelines in force, with an index by recipient and by kind. A value: `TopicViews` guards it.
struct TimelineTable: Sendable {
    private var timelines: [TextKey: StoredTimeline] = [:]
    private var ids = SortedKeys()
    private var byRecipient: [TextKey: SortedKeys] = [:]
    private var byKind: [TextKey: SortedKeys] = [:]
    /// The recipients and kinds of deleted timelines: who may hear of the deletion.
    private var deleted: [TextKey: DeletedTimeline] = [:]
    private(set) var log = ChangeLog()

    var count: Int { timelines.count }

    subscript(id: String) -> StoredTimeline? { timelines[TextKey(id)] }

    /// The kinds of all timelines, ascending.
    var kinds: [String] { byKind.keys.sorted().map(\.text) }

    /// The timelines of a kind, of which there is at least one if `kinds` names it.
    func count(ofKind kind: String) -> Int { byKind[TextKey(kind)]?.count ?? 0 }

    /// One string for all recipients and kinds in force that are the same.
    func shared(_ name: String) -> String {
        if let known = byKind.index(forKey: TextKey(name)) { return byKind[known].key.text }
        return byRecipient.index(forKey: TextKey(name)).map { byRecipient[$0].key.text } ?? name
    }

    // MARK: - Changes

    /// Puts a timeline in the place of the one before it.
    mutating func put(_ new: StoredTimeline) {
        let key = TextKey(new.configurationId)
        let old = timelines.updateValue(new, forKey: key)
        deleted[key] = nil
        log.append(key, at: new.place, isDeletion: false, replaced: old != nil)
        if let old, old.recipient == new.recipient, old.kind == new.kind { return }
        if let old { unlist(old) }
        ids.insert(key)
        byRecipient[TextKey(new.recipient), default: SortedKeys()].insert(key)
        byKind[TextKey(new.kind), default: SortedKeys()].insert(key)
    }

    /// Puts another history beside a timeline.
    mutating func replace(_ timeline: StoredTimeline) {
        timelines[TextKey(timeline.configurationId)] = timeline
    }

    /// Takes a timeline away.
    ///
    /// - Returns: what is remembered of it; `nil` if there was none.
    mutating func remove(_ id: String, at place: ViewPlace) -> DeletedTimeline? {
        let key = TextKey(id)
        let old = timelines.removeValue(forKey: key)
        log.append(key, at: place, isDeletion: true, replaced: old != nil)
        guard let old else {
            // The broker has compacted its timeline away: who had that cannot be told whose it was.
            if deleted[key] == nil { log.forgetDeletions(before: ViewPlace(place.partition, place.offset.next)) }
            return nil
        }
        unlist(old)
        let gone = DeletedTimeline(configurationId: id, kind: old.kind, recipient: old.recipient, place: place)
        deleted[key] = gone
        return gone
    }

    private mutating func unlist(_ timeline: StoredTimeline) {
        let key = TextKey(timeline.configurationId)
        ids.remove(key)
        Self.remove(key, from: &byRecipient, at: TextKey(timeline.recipient))
        Self.remove(key, from: &byKind, at: TextKey(timeline.kind))
    }

    private static func remove(_ key: TextKey, from index: inout [TextKey: SortedKeys], at name: TextKey) {
        index[name]?.remove(key)
        if index[name]?.isEmpty == true { index[name] = nil }
    }

    mutating func compactIfNeeded() {
        log.compactIfNeeded { [timelines] in timelines[$0]?.place }
        if deleted.count > 100_000 { deleted = deleted.filter { log.remembersDeletion(of: $0.key) } }
    }

    mutating func forgetDeletions(before place: ViewPlace) { log.forgetDeletions(before: place) }

    // MARK: - Reading

    /// The timelines that came at or behind the offsets, of a configuration, of recipients or of all.
    ///
    /// - Parameters:
    ///   - recipients: only theirs; `nil` stands for all.
    ///   - limit: the most timelines to look at.
    /// - Returns: `nil` if there are more to look at.
    func changed(
        since offsets: [Partition: Offset], configurationId: String?, recipients: [String]?, limit: Int
    ) -> [StoredTimeline]? {
        let candidates: [TextKey]
        if let configurationId {
            candidates = [TextKey(configurationId)]
        } else if let recipients {
            let sorted = recipients.compactMap { byRecipient[TextKey($0)] }
            guard sorted.reduce(0, { $0 + $1.count }) <= limit else { return nil }
            candidates = sorted.flatMap { $0.all }
        } else {
            guard let keys = log.changed(since: offsets, limit: limit, current: { timelines[$0]?.place }) else {
                return nil
            }
            candidates = keys
        }
        return candidates.compactMap { timelines[$0] }.filter { timeline in
            timeline.place.offset >= offsets[timeline.place.partition] ?? Offset(0)
        }
    }

    /// The timelines that were deleted at or behind the offsets; `nil` if not all are known, or there are more than
    /// `limit` to look at.
    func deleted(since offsets: [Partition: Offset], limit: Int) -> [DeletedTimeline]? {
        log.deleted(since: offsets, limit: limit)?.compactMap { deleted[$0] }
    }

    /// The timelines behind `after` in the order of their ids.
    ///
    /// - Parameters:
    ///   - recipients: those that the caller may see.
    ///   - limit: the most timelines that are given.
    /// - Returns: the timelines, and true beside them if there are more.
    func page(
        recipient: String?, kind: String?, recipients: Confinement, after: String?, limit: Int
    ) -> (timelines: [StoredTimeline], hasMore: Bool) {
        if let recipient {
            guard recipients.contains(recipient) else { return ([], false) }
            return page(byRecipient[TextKey(recipient)], after: after, limit: limit) { kind == nil || $0.kind == kind }
        }
        guard case .only(let allowed) = recipients else {
            let keys = kind.map { byKind[TextKey($0)] } ?? ids
            return page(keys, after: after, limit: limit) { _ in true }
        }
        // Of each recipient no more than a page can be in the result.
        var found: [StoredTimeline] = []
        for recipient in allowed {
            let part = page(byRecipient[TextKey(recipient)], after: after, limit: limit + 1) {
                kind == nil || $0.kind == kind
            }
            found += part.timelines
        }
        found.sort { $0.configurationId.precedesByUTF8($1.configurationId) }
        return (Array(found.prefix(limit)), found.count > limit)
    }

    private func page(
        _ keys: SortedKeys?, after: String?, limit: Int, where isWanted: (StoredTimeline) -> Bool
    ) -> (timelines: [StoredTimeline], hasMore: Bool) {
        var found: [StoredTimeline] = []
        var hasMore = false
        keys?.forEach(after: after.map { TextKey($0) }) { key in
            guard let timeline = timelines[key], isWanted(timeline) else { return true }
            hasMore = found.count == limit
            if !hasMore { found.append(timeline) }
            return !hasMore
        }
        return (found, hasMore)
    }
}

/// A timeline that is there no more.
package struct DeletedTimeline: Hashable, Sendable {
    package let configurationId: String
    package let kind: String
    package let recipient: String
    package let place: ViewPlace
}
