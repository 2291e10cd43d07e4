import HTTPServer

/// The entries that changed with the latest revisions of a timeline, by their ids.
///
/// It costs nothing for a timeline that has not changed since the server began to read.
struct RevisionHistory: Hashable, Sendable {
    /// The changes since this revision are known.
    private(set) var floor: Int64
    /// In the order in which they were committed.
    private(set) var changes: [Change] = []

    struct Change: Hashable, Sendable {
        var revision: Int64
        var changed: [String]
        var removed: [String]
    }

    /// Ids that are remembered, of all changes of a timeline; two changes always are.
    private static let idsMaximum = 512

    init(floor: Int64, changes: [Change] = []) {
        self.floor = floor
        self.changes = changes
    }

    /// The ids that changed since the first timeline of a revision; `nil` if that is not known.
    func changes(since revision: Int64) -> (changed: Set<String>, removed: Set<String>)? {
        guard revision >= floor else { return nil }
        var (changed, removed): (Set<String>, Set<String>) = ([], [])
        // A timeline that is made again under its old revision counts, too: its entries may differ in what no content
        // is (T6). The first one of the revision is the client's.
        var isAfter = revision == floor
        for change in changes {
            if change.revision > revision || (isAfter && change.revision == revision) {
                changed.formUnion(change.changed)
                removed.formUnion(change.removed)
            }
            if change.revision >= revision { isAfter = true }
        }
        return (changed, removed)
    }

    /// The history of the timeline that follows.
    func appending(_ change: Change) -> RevisionHistory {
        var next = self
        // A revision that went back is another history: its topic was made anew.
        guard change.revision >= (changes.last?.revision ?? floor) else {
            return RevisionHistory(floor: change.revision)
        }
        next.changes.append(change)
        var count = next.changes.reduce(0) { $0 + $1.changed.count + $1.removed.count }
        while count > Self.idsMaximum, next.changes.count > 2 {
            let first = next.changes.removeFirst()
            next.floor = first.revision
            count -= first.changed.count + first.removed.count
        }
        return next
    }
}

extension StoredTimeline {
    /// This timeline with the history of the one before it and the difference to it.
    func following(_ before: StoredTimeline) -> StoredTimeline {
        let old = before.entrySlices()
        let new = entrySlices()
        var changed: [String] = []
        before.value.withBytes { oldBytes in
            value.withBytes { newBytes in
                for (id, place) in new.ordered {
                    let isSame = old.byId[id].map { newBytes[place].elementsEqual(oldBytes[$0]) } ?? false
                    if !isSame { changed.append(id) }
                }
            }
        }
        let removed = old.ordered.map(\.id).filter { new.byId[$0] == nil }
        let change = RevisionHistory.Change(revision: revision, changed: changed, removed: removed)
        return StoredTimeline(self, history: before.history.appending(change))
    }

    private func entrySlices() -> (ordered: [(id: String, place: Range<Int>)], byId: [String: Range<Int>]) {
        withJSON { json in
            let entries = json.member("entries", of: json.whole).map { json.elements(of: $0) } ?? []
            let ordered = entries.compactMap { place in
                json.member("id", of: place).flatMap { json.text(at: $0) }.map { (id: $0, place: place) }
            }
            return (ordered, Dictionary(ordered.map { ($0.id, $0.place) }, uniquingKeysWith: { $1 }))
        }
    }
}
