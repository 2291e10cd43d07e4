extension TimelineDraft {
    /// Rule 3: ascending by date, at one instant in the order of phases, equal entries of one instant once.
    func inOrder() -> TimelineDraft {
        guard entries.count > 1 else { return self }
        // Entries are large: the keys are sorted, then each entry moves once.
        let keys = entries.indices.map { OrderKey(entry: entries[$0], index: $0) }.sorted { left, right in
            if left.date != right.date { return left.date < right.date }
            if left.rank != right.rank { return left.rank < right.rank }
            return entries[left.index].precedesAtOneInstant(entries[right.index], orderBefore: left.index < right.index)
        }
        var ordered = self
        ordered.entries = []
        ordered.entries.reserveCapacity(entries.count)
        for key in keys {
            let entry = entries[key.index]
            if let last = ordered.entries.last, last.date == entry.date, last.hasSameIdentity(as: entry) { continue }
            ordered.entries.append(entry)
        }
        return ordered
    }
}

private struct OrderKey {
    var date: Instant
    var rank: Int
    var index: Int

    init(entry: TimelineEntry, index: Int) {
        date = entry.date
        rank = entry.phase.rank
        self.index = index
    }
}

extension TimelineEntry.Phase {
    /// What comes first at one instant: what ends makes room for what begins.
    fileprivate var rank: Int {
        switch self {
        case .end: 0
        case .preEvent: 1
        case .start: 2
        default: 3
        }
    }
}

extension TimelineEntry {
    /// The order of two entries with the same date and rank: calendarId, uid, occurrence start, then the identity.
    fileprivate func precedesAtOneInstant(_ other: TimelineEntry, orderBefore isBefore: Bool) -> Bool {
        guard let event, let otherEvent = other.event else {
            if (event == nil) != (other.event == nil) { return event == nil }
            return phase == other.phase ? isBefore : phase.rawValue.precedesByUTF8(other.phase.rawValue)
        }
        return event.precedes(otherEvent) ?? isBefore
    }
}

extension Occurrence {
    /// Whether this one comes first by calendarId, uid, start and original start; nil where all are the same.
    func precedes(_ other: Occurrence) -> Bool? {
        if !calendarId.isSameByUTF8(as: other.calendarId) { return calendarId.precedesByUTF8(other.calendarId) }
        if !uid.isSameByUTF8(as: other.uid) { return uid.precedesByUTF8(other.uid) }
        if when.nominalStart != other.when.nominalStart { return when.nominalStart < other.when.nominalStart }
        let (moment, otherMoment) = (identifyingMoment.nominal, other.identifyingMoment.nominal)
        return moment == otherMoment ? nil : moment < otherMoment
    }
}
