/// The occurrences of a window, by start, calendarId, uid, with the entries that they give.
struct EventsAgenda {
    var window: AgendaWindow
    var occurrences: [PlacedOccurrence]
    var chosenVehicle: String?
    /// The chosen vehicle, once it has been heard of.
    var vehicle: Indirect<TimelineEntry.VehicleView>?

    /// The moments `preEvent`, `start` and `end` of each occurrence, past ones included.
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

    /// A moment of phase `day` at each midnight of the window at which there is no other.
    func dayMoments(besides moments: [TimelineDraft.Moment]) -> [TimelineDraft.Moment] {
        window.midnights.filter { midnight in !moments.contains { $0.date == midnight } }.map { .init(.day, at: $0) }
    }

    /// The entry of a moment; `nil` stands for the tick before entries that all lie in the future.
    func entry(at moment: TimelineDraft.Moment) -> TimelineEntry? {
        var entry = TimelineEntry(moment.phase, at: moment.date)
        guard moment.phase.isOfOccurrence else { return moment.phase == .day ? withSurroundings(entry) : nil }
        let placed = occurrences[moment.index]
        entry.event = placed.occurrence
        entry.isTentative = placed.occurrence.isTentative
        if moment.phase != .end, let chosenVehicle,
            placed.occurrence.vehicleId?.isSameByUTF8(as: chosenVehicle) == true
        {
            entry.heldVehicle = vehicle
        }
        if moment.phase == .end || moment.phase == .start && !placed.hasLength { return withSurroundings(entry) }
        let others = underWay(at: moment.date, besides: moment.index)
        entry.ongoing = others.isEmpty ? nil : others
        return entry
    }

    /// The entry with what is under way at its date, and with what starts next after it.
    private func withSurroundings(_ entry: TimelineEntry) -> TimelineEntry {
        var entry = entry
        let later = firstIndex(after: entry.date)
        entry.ongoing = underWay(at: entry.date)
        entry.next = later < occurrences.count ? occurrences[later].occurrence : nil
        return entry
    }

    /// The first 20 occurrences that have started at or before `date` and end after it.
    ///
    /// - Parameter own: the index of an occurrence that is not listed.
    private func underWay(at date: Instant, besides own: Int? = nil) -> [Occurrence] {
        occurrences[..<firstIndex(after: date)].indices.lazy
            .filter { occurrences[$0].end > date && $0 != own }
            .prefix(TimelineEntry.ongoingMax).map { occurrences[$0].occurrence }
    }

    /// The place of the first occurrence that starts after `date`.
    private func firstIndex(after date: Instant) -> Int {
        occurrences.partitionPoint { $0.start <= date }
    }
}
