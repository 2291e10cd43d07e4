/// The occurrences of a window, by start, calendarId, uid, and the entries that they give.
struct EventsAgenda {
    var window: AgendaWindow
    var occurrences: [PlacedOccurrence]
    var chosenVehicle: String?
    /// The chosen vehicle, once it has been heard of.
    var vehicle: TimelineEntry.VehicleView?

    /// `preEvent`, `start` and `end` of each, past ones included.
    func occurrenceMoments() -> [TimelineDraft.Moment] {
        var moments: [TimelineDraft.Moment] = []
        moments.reserveCapacity(occurrences.count * 3 + window.midnights.count)
        for (index, placed) in occurrences.enumerated() {
            if let announcement = window.announcement(of: placed.occurrence, startingAt: placed.start) {
                moments.append(.init(.preEvent, at: announcement, index))
            }
            moments.append(.init(.start, at: placed.start, index))
            if placed.hasLength { moments.append(.init(.end, at: placed.end, index)) }
        }
        return moments
    }

    /// A `day` entry at each midnight of the window at which there is no other.
    func dayMoments(besides moments: [TimelineDraft.Moment]) -> [TimelineDraft.Moment] {
        window.midnights.filter { midnight in !moments.contains { $0.date == midnight } }.map { .init(.day, at: $0) }
    }

    /// Nil: a tick, where all entries lie in the future.
    func entry(at moment: TimelineDraft.Moment) -> TimelineEntry? {
        var entry = TimelineEntry(moment.phase, at: moment.date)
        guard moment.isOfOccurrence else { return moment.phase == .day ? withSurroundings(entry) : nil }
        let placed = occurrences[moment.index]
        entry.event = placed.occurrence
        entry.isTentative = placed.occurrence.isTentative
        if moment.phase != .end, let chosenVehicle,
            placed.occurrence.vehicleId?.isSameByUTF8(as: chosenVehicle) == true
        {
            entry.vehicle = vehicle
        }
        return moment.phase == .end || !placed.hasLength && moment.phase == .start ? withSurroundings(entry) : entry
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
