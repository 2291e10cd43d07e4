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
        guard moment.phase.isOfOccurrence else { return moment.phase == .day ? withSurroundings(entry) : nil }
        let placed = occurrences[moment.index]
        entry.event = placed.occurrence
        entry.isTentative = placed.occurrence.isTentative
        if moment.phase != .end, let chosenVehicle,
            placed.occurrence.vehicleId?.isSameByUTF8(as: chosenVehicle) == true
        {
            entry.vehicle = vehicle
        }
        if moment.phase == .end || moment.phase == .start && !placed.hasLength { return withSurroundings(entry) }
        let others = underWay(at: moment.date, besides: moment.index)
        entry.ongoing = others.isEmpty ? nil : others
        return entry
    }

    /// What is under way at the entry's date, and what starts next after it.
    private func withSurroundings(_ entry: TimelineEntry) -> TimelineEntry {
        var entry = entry
        let later = firstIndex(after: entry.date)
        entry.ongoing = underWay(at: entry.date)
        entry.next = later < occurrences.count ? occurrences[later].occurrence : nil
        return entry
    }

    /// What has started at or before `date` and ends after it: the first 20.
    ///
    /// - Parameter own: the index of an occurrence that is not listed.
    private func underWay(at date: Instant, besides own: Int? = nil) -> [Occurrence] {
        occurrences[..<firstIndex(after: date)].indices.lazy
            .filter { occurrences[$0].end > date && $0 != own }
            .prefix(TimelineEntry.ongoingMax).map { occurrences[$0].occurrence }
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
