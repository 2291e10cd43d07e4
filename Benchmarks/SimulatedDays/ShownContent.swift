import Messages
import Timelines

/// What a published timeline shows, read from its record by the words of T6.
struct ShownContent {
    struct Entry {
        var date: Instant
        var isStale: Bool
        /// A digest of all that counts as content.
        var digest: Int
    }

    let revision: Revision
    let nextUpdate: Instant?
    /// A digest of kind and family.
    private let subject: Int
    private let entries: [Entry]
    /// The place of the configuration's record: another one is a change of the configuration itself.
    let configurationOffset: Int64

    init(_ record: TimelineRecord) {
        revision = record.revision
        nextUpdate = record.timeline.nextUpdate
        subject = Self.digest { hasher in
            hasher.combine(record.kind)
            hasher.combine(record.family)
        }
        entries = record.timeline.entries.map { entry in
            Entry(date: entry.date, isStale: entry.phase == .stale, digest: Self.digest(of: entry))
        }
        configurationOffset = record.sources.first?.offset ?? -1
    }

    /// Everything but id and date, and of a vehicle when it was observed; speed in whole km/h, and where an address or
    /// coordinates are shown, no coordinates beside that.
    private static func digest(of entry: TimelineEntry) -> Int {
        var shown = entry
        shown.id = ""
        shown.date = Instant(milliseconds: 0)
        if let vehicle = entry.vehicle {
            shown.vehicle!.observedAt = nil
            shown.vehicle!.speed = vehicle.speed?.rounded()
            let isPlaceShown = vehicle.location != nil
            shown.vehicle!.latitude = isPlaceShown ? nil : vehicle.latitude.map { ($0 * 100_000).rounded() }
            shown.vehicle!.longitude = isPlaceShown ? nil : vehicle.longitude.map { ($0 * 100_000).rounded() }
        }
        return digest { $0.combine(shown) }
    }

    private static func digest(_ feed: (inout Hasher) -> Void) -> Int {
        var hasher = Hasher()
        feed(&hasher)
        return hasher.finalize()
    }

    /// Whether somebody who saw `seen` would see something else in this one, before he comes back by himself.
    func isVisibleChange(from seen: ShownContent, at: Instant) -> Bool {
        if subject != seen.subject { return true }
        let (old, new) = (seen.shown(at: at, before: seen.nextUpdate), shown(at: at, before: seen.nextUpdate))
        if old.count != new.count { return true }
        for (index, (left, right)) in zip(old, new).enumerated() {
            if left.digest != right.digest || left.isStale != right.isStale { return true }
            // The first is in force, and since when nobody sees; nor when a stale one would have come.
            if index > 0 && !left.isStale && left.date != right.date { return true }
        }
        return false
    }

    /// The entry in force and those that follow, as far as they are dated before `end`.
    private func shown(at: Instant, before end: Instant?) -> ArraySlice<Entry> {
        let first = entries.lastIndex { $0.date <= at } ?? 0
        let rest = entries[first...]
        guard let end else { return rest }
        return rest.prefix { $0.date < end }
    }
}
