/// The occurrences of a window, by start, calendarId, uid, and the entries that they give.
struct EventsAgenda {
    var window: AgendaWindow
    var occurrences: [PlacedOccurrence]
    var chosenVehicle: String?
    /// The chosen vehicle, once it has been heard of.
    var vehicle: TimelineEntry.VehicleView?

    /// `preEvent`, `start` and `end` of each, past ones included.
    func occurrenceEntries() -> [TimelineEntry] {
        var entries: [TimelineEntry] = []
        entries.reserveCapacity(occurrences.count * 3 + window.midnights.count)
        for placed in occurrences {
            if let announcement = window.announcement(of: placed) {
                entries.append(entry(.preEvent, at: announcement, of: placed))
            }
            entries.append(entry(.start, at: placed.start, of: placed))
            if placed.hasLength { entries.append(entry(.end, at: placed.end, of: placed)) }
        }
        return entries
    }

    /// A `day` entry at each midnight of the window at which there is no other.
    func dayEntries(besides entries: [TimelineEntry]) -> [TimelineEntry] {
        let dates = Set(entries.lazy.map(\.date))
        return window.midnights.filter { !dates.contains($0) }.map { withSurroundings(TimelineEntry(.day, at: $0)) }
    }

    private func entry(_ phase: TimelineEntry.Phase, at date: Instant, of placed: PlacedOccurrence) -> TimelineEntry {
        var entry = TimelineEntry(phase, at: date)
        entry.event = placed.occurrence
        entry.isTentative = placed.occurrence.isTentative
        if phase != .end, let chosenVehicle, placed.occurrence.vehicleId?.isSameByUTF8(as: chosenVehicle) == true {
            entry.vehicle = vehicle
        }
        return phase == .end || !placed.hasLength && phase == .start ? withSurroundings(entry) : entry
    }

    /// What is under way at the entry's date, and what starts next after it.
    private func withSurroundings(_ entry: TimelineEntry) -> TimelineEntry {
        var entry = entry
        let later = firstIndex(after: entry.date)
        entry.ongoing = occurrences[..<later].filter { $0.end > entry.date }.map(\.occurrence)
        entry.next = later < occurrences.count ? occurrences[later].occurrence : nil
        return entry
    }

    private func firstIndex(after date: Instant) -> Int {
        var low = 0
        var high = occurrences.count
        while low < high {
            let middle = (low + high) / 2
            if occurrences[middle].start <= date { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
