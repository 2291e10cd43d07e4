import Positions
import SplitMix
import TestSupport
import Timelines

/// A reader with two devices, who comes back after minutes, hours or days for a month.
struct MonthReader {
    /// One restore, with what the test reckons by itself.
    struct Restore {
        var at: Instant
        /// How long the reader was away.
        var away: ElapsedTime
        var entries: [PositionedEntry]
        /// The place that is to be restored, by the rule of the newest and the one that is ahead.
        var target: PositionSnapshot
        var restoration: Restoration
    }

    private var numbers: SplitMix64
    private var positions = ReaderPositions()
    /// Where each device was last.
    private var last: [String: PositionSnapshot] = [:]
    private let settings = PositionSettings()

    init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    /// Reads the timelines of one configuration, and tells of each restore.
    mutating func read(_ timelines: MonthOfTimelines, _ restored: (Restore) -> Void) {
        var now = MonthWorld.begin + .minutes(.random(in: 0...600, using: &numbers))
        var left = now
        while now < MonthWorld.end {
            let device = Bool.random(using: &numbers) ? "phone" : "tablet"
            var entries = timelines.entries(at: now).map { PositionedEntry($0) }
            var index = 0
            if let target = target(of: device) {
                let restoration = PositionRestorer(settings: settings).restore(
                    positions, deviceId: device, into: entries, at: now)
                restored(
                    Restore(at: now, away: now - left, entries: entries, target: target, restoration: restoration))
                index = restoration.index ?? 0
            }
            // Scrolls up to four times; most people read on.
            for _ in 0...Int.random(in: 0...3, using: &numbers) {
                index = min(entries.count - 1, max(0, index + Int.random(in: -1...3, using: &numbers)))
                stop(at: entries[index], index, device, at: now)
                now = now + .seconds(.random(in: 5...90, using: &numbers))
                // The app shows what stands now.
                entries = timelines.entries(at: now).map { PositionedEntry($0) }
            }
            left = last[device]?.observedAt ?? now
            now = now + away()
        }
    }

    /// Half of the time the reader is back within a quarter of an hour.
    private mutating func away() -> ElapsedTime {
        switch Int.random(in: 0..<10, using: &numbers) {
        case 0..<5: .seconds(.random(in: 20...900, using: &numbers))
        case 5..<8: .minutes(.random(in: 15...360, using: &numbers))
        default: .minutes(.random(in: 360...4 * 1440, using: &numbers))
        }
    }

    private mutating func stop(at entry: PositionedEntry, _ index: Int, _ device: String, at now: Instant) {
        let place = PositionSnapshot(
            entryId: entry.id, observedAt: now, index: index, offset: .random(in: 0...500, using: &numbers),
            fraction: .random(in: 0...1, using: &numbers), entryDate: entry.date, title: entry.title,
            location: entry.location, restorationMethod: .manual)
        last[device] = place
        let record = PositionRecord(
            readerId: "ana", configurationId: "c1", deviceId: device, position: place)
        positions.record(record, arrival: now, settings: settings)
    }

    /// The place that is to be restored, reckoned apart from the module.
    private func target(of device: String) -> PositionSnapshot? {
        guard let newest = last.values.max(by: { $0.observedAt < $1.observedAt }) else { return nil }
        guard let own = last[device], let ownDate = own.entryDate, let newestDate = newest.entryDate else {
            return newest
        }
        let isAhead =
            ownDate != newestDate
            ? ownDate > newestDate
            : own.entryId != newest.entryId
                ? newest.entryId.precedesByUTF8(own.entryId) : (own.fraction ?? 0) > (newest.fraction ?? 0)
        return isAhead ? own : newest
    }
}
