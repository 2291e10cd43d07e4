import HTTPServer

/// When each entry of a timeline changed last, and which are gone since: for those that have an older revision.
///
/// It costs nothing for a timeline that has not changed since the server began to read, then a number for each entry
/// and a few ids.
struct RevisionHistory: Hashable, Sendable {
    /// The changes since this revision are known.
    private(set) var floor: Int64
    /// By entry, in the timeline's order; empty if none has changed since the floor.
    private(set) var marks: [Mark] = []
    /// In the order in which they went.
    private(set) var removed: [Removal] = []

    /// The moment of a change: twice its revision, and one more if it came when the timeline was made again under that
    /// revision. Such a change is in what no content is (T6), and may be unknown to whoever has the revision's first
    /// one.
    typealias Mark = Int64

    struct Removal: Hashable, Sendable {
        var mark: Mark
        var id: String
    }

    private static let removedMaximum = 24

    init(floor: Int64, marks: [Mark] = [], removed: [Removal] = []) {
        self.floor = floor
        self.marks = marks
        self.removed = removed
    }

    /// True if the changes since the first timeline of a revision are known.
    func knows(_ revision: Int64) -> Bool { revision >= floor }

    /// True if the entry at this place of the timeline has changed since the first timeline of a revision.
    func hasChanged(_ index: Int, since revision: Int64) -> Bool {
        marks.indices.contains(index) && marks[index] > 2 * revision
    }

    /// The ids of the entries that are gone since the first timeline of a revision.
    func removed(since revision: Int64) -> [String] { removed.filter { $0.mark > 2 * revision }.map(\.id) }

    /// Notes what is gone, and forgets the oldest beyond a bound.
    fileprivate mutating func remove(_ ids: [String], at mark: Mark, present: [String: Range<Int>]) {
        removed.removeAll { present[$0.id] != nil }
        removed += ids.map { Removal(mark: mark, id: $0) }
        while removed.count > Self.removedMaximum {
            floor = max(floor, (removed.removeFirst().mark + 1) / 2)
        }
    }
}

extension StoredTimeline {
    /// This timeline with the history of the one before it and the difference to it.
    func following(_ before: StoredTimeline) -> StoredTimeline {
        // A revision that went back is another history: the topic was made anew.
        guard revision >= before.revision else { return self }
        let old = before.entrySlices()
        let new = entrySlices()
        let mark = 2 * revision + (revision == before.revision ? 1 : 0)
        let unchanged = RevisionHistory.Mark.min
        var marks: [RevisionHistory.Mark] = []
        before.value.withBytes { oldBytes in
            value.withBytes { newBytes in
                for (id, place) in new.ordered {
                    if let entry = old.byId[id], newBytes[place].elementsEqual(oldBytes[old.ordered[entry].place]) {
                        marks.append(before.history.marks.isEmpty ? unchanged : before.history.marks[entry])
                    } else {
                        marks.append(mark)
                    }
                }
            }
        }
        let hasMarks = marks.contains { $0 != unchanged }
        var history = RevisionHistory(
            floor: before.history.floor, marks: hasMarks ? marks : [], removed: before.history.removed)
        let present = Dictionary(new.ordered.map { ($0.id, $0.place) }, uniquingKeysWith: { $1 })
        history.remove(old.ordered.map(\.id).filter { present[$0] == nil }, at: mark, present: present)
        return StoredTimeline(self, history: history)
    }

    /// The entries with their ids. One without an id, which only another program's timeline has, counts as its number.
    private func entrySlices() -> (ordered: [(id: String, place: Range<Int>)], byId: [String: Int]) {
        withJSON { json in
            let entries = json.member("entries", of: json.whole).map { json.elements(of: $0) } ?? []
            let ordered = entries.enumerated().map { index, place in
                (id: json.member("id", of: place).flatMap { json.text(at: $0) } ?? "\(index)", place: place)
            }
            let byId = Dictionary(ordered.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { $1 })
            return (ordered, byId)
        }
    }
}
