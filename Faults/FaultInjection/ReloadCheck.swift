import Foundation

/// Reads all that was ever published in `timeline.reloads`, and notes what must not be.
///
/// A reload that names one configuration alone, and that nobody requested, speaks of a revision that no such reload
/// before it spoke of: so none is there twice. What reloads cost stays within each configuration's budget.
package struct ReloadCheck {
    package private(set) var faults: [String] = []
    package private(set) var reloads = 0
    /// By recipient, kind and configuration: the highest revision that a reload spoke of.
    private var told: [[String]: Int] = [:]
    /// The same of reloads that named one configuration alone.
    private var toldAlone: [[String]: Int] = [:]
    private var paid: [[String]: Int] = [:]

    package init() {}

    package mutating func read(_ record: Kcat.Record) {
        let place = "reload of \(record.key) at \(record.partition)/\(record.offset)"
        guard let value = record.value,
            let reload = try? JSONSerialization.jsonObject(with: value) as? [String: Any],
            let recipient = reload["recipient"] as? String, let kind = reload["kind"] as? String,
            let ids = reload["configurationIds"] as? [String], let revision = reload["revision"] as? Int,
            let budget = reload["budget"] as? [String: Any], let limit = budget["limit"] as? Int,
            let remaining = budget["remaining"] as? Int
        else {
            faults.append("\(place) cannot be read")
            return
        }
        reloads += 1
        if recipient != record.key { faults.append("\(place) is for \(recipient)") }
        if remaining < 0 { faults.append("\(place) leaves \(remaining) tokens") }
        let isFree = ["requested", "configurationChanged"].contains(reload["reason"] as? String)
        for id in ids {
            let key = [recipient, kind, id]
            told[key] = max(told[key] ?? 0, revision)
            if !isFree { paid[key, default: 0] += 1 }
            // A run is shorter than a day.
            if let count = paid[key], count == limit + 1 { faults.append("\(place): \(id) has more than \(limit)") }
        }
        guard ids.count == 1, reload["reason"] as? String != "requested" else { return }
        let key = [recipient, kind, ids[0]]
        if let before = toldAlone[key], before >= revision {
            faults.append("\(place): \(ids[0]) with revision \(revision) comes after \(before)")
        }
        toldAlone[key] = max(toldAlone[key] ?? 0, revision)
    }

    /// The revisions that their recipients were never told of.
    package func untold(_ announcements: [Ledger.Announcement]) -> [String] {
        announcements.compactMap { wanted in
            let last = told[[wanted.recipient, wanted.kind, wanted.configuration]]
            if let last, last >= wanted.revision { return nil }
            return "\(wanted.configuration) has revision \(wanted.revision), "
                + "\(wanted.recipient) was told of \(last.map(String.init) ?? "none")"
        }
    }
}
