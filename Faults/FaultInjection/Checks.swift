package import Foundation

/// Reads all that was ever published in `timelines`, in the order of the offsets, and notes what must not be.
///
/// A configuration's revisions begin with 1, and rise by one or stay. `refreshCount` rises by one with each version, and
/// begins anew after a tombstone: so no version is there twice, and none is missing.
package struct RevisionCheck {
    package private(set) var faults: [String] = []
    /// The last value of each configuration; none after a tombstone.
    package private(set) var last: [String: Data] = [:]
    package private(set) var versions = 0
    private var known: [String: (revision: Int, refreshes: Int, partition: Int)] = [:]

    package init() {}

    init(_ records: [Kcat.Record]) { for record in records { read(record) } }

    package var configurations: Int { known.count }

    package mutating func read(_ record: Kcat.Record) {
        let place = "\(record.key) at \(record.partition)/\(record.offset)"
        guard let value = record.value else {
            last[record.key] = nil
            // The counter of revisions goes on after it, that of refreshes begins anew.
            known[record.key]?.refreshes = 0
            return
        }
        versions += 1
        guard let timeline = try? JSONSerialization.jsonObject(with: value) as? [String: Any],
            let revision = timeline["revision"] as? Int, let refreshes = timeline["refreshCount"] as? Int
        else {
            faults.append("\(place) cannot be read")
            return
        }
        if let before = known[record.key] {
            if before.partition != record.partition { faults.append("\(place): it was in \(before.partition) before") }
            if refreshes != before.refreshes + 1 {
                faults.append(
                    "\(place): revision \(revision), refresh \(refreshes) comes after refresh \(before.refreshes)")
            } else if revision != before.revision && revision != before.revision + 1 {
                faults.append("\(place): revision \(revision) comes after \(before.revision)")
            }
        } else if revision != 1 {
            faults.append("\(place): it begins with revision \(revision)")
        }
        known[record.key] = (revision, refreshes, record.partition)
        last[record.key] = value
    }
}

/// Compares two runs over the same input by what a reader sees at one instant.
package enum RunComparison {
    /// The configurations among `keys` whose timelines differ, each with both.
    package static func differences(
        of disturbed: [String: Data], from undisturbed: [String: Data], keys: some Sequence<String>, at date: Date
    ) -> [String] {
        keys.compactMap { key in
            let (one, other) = (content(disturbed[key], at: date), content(undisturbed[key], at: date))
            guard one != other else { return nil }
            return "\(key): \(text(one))\n    undisturbed: \(text(other))"
        }
    }

    /// The configurations that one of the two runs alone has timelines of, ascending.
    ///
    /// - Parameter isWhole: false if an input was made again: then the undisturbed run has read only what stands since,
    ///   and need not have all. What it has is still not to be missing.
    package static func oneSided(disturbed: Set<String>, undisturbed: Set<String>, isWhole: Bool) -> [String] {
        undisturbed.subtracting(disturbed).union(isWhole ? disturbed.subtracting(undisturbed) : []).sorted()
    }

    private static func text(_ content: String?) -> String { content.map { String($0.prefix(600)) } ?? "nothing" }

    /// What counts as content, as JSON with sorted keys: kind, family and the entries from the one in force on, without
    /// what says only when a timeline was made.
    package static func content(_ value: Data?, at date: Date) -> String? {
        guard let value, let timeline = try? JSONSerialization.jsonObject(with: value) as? [String: Any] else {
            return nil
        }
        var entries = timeline["entries"] as? [[String: Any]] ?? []
        let now = date.formatted(.iso8601)
        // Instants of one form, in UTC, ascend as their texts do.
        let current = entries.lastIndex { ($0["date"] as? String ?? "").prefix(19) <= now.prefix(19) } ?? 0
        entries.removeFirst(min(current, entries.count))
        for index in entries.indices {
            entries[index]["id"] = nil
            if index == 0 || entries[index]["phase"] as? String == "stale" { entries[index]["date"] = nil }
            if var vehicle = entries[index]["vehicle"] as? [String: Any] {
                vehicle["observedAt"] = nil
                entries[index]["vehicle"] = vehicle
            }
        }
        let content: [String: Any] = [
            "kind": timeline["kind"] ?? "", "family": timeline["family"] ?? "", "entries": entries,
        ]
        let json = try? JSONSerialization.data(withJSONObject: content, options: .sortedKeys)
        return json.map { String(decoding: $0, as: UTF8.self) }
    }
}
