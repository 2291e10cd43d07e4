extension TimelineDraft {
    /// T3: ascending by date, at one instant in the order of phases, equal entries of one instant once.
    func inOrder() -> TimelineDraft {
        guard moments.count > 1 else { return self }
        let sorted = moments.enumerated().map { Key(moment: $1, place: $0) }.sorted { precedes($0, $1) }
        var draft = self
        draft.moments.removeAll(keepingCapacity: true)
        for key in sorted {
            if let last = draft.moments.last, hasSameIdentity(last, key.moment) { continue }
            draft.moments.append(key.moment)
        }
        return draft
    }

    private struct Key {
        var moment: Moment
        var place: Int
    }

    private func precedes(_ left: Key, _ right: Key) -> Bool {
        if left.moment.date != right.moment.date { return left.moment.date < right.moment.date }
        let (phase, otherPhase) = (left.moment.phase, right.moment.phase)
        if phase.rank != otherPhase.rank { return phase.rank < otherPhase.rank }
        guard left.moment.phase.isOfOccurrence else {
            return phase == otherPhase ? left.place < right.place : phase.rawValue.precedesByUTF8(otherPhase.rawValue)
        }
        let (occurrence, other) = (self.occurrence(of: left.moment), self.occurrence(of: right.moment))
        return occurrence.precedes(other) ?? (left.place < right.place)
    }

    /// Whether both would have the same id, which is not yet written (T7).
    private func hasSameIdentity(_ left: Moment, _ right: Moment) -> Bool {
        guard left.date == right.date, left.phase == right.phase else { return false }
        guard left.phase.isOfOccurrence else { return true }
        let (occurrence, other) = (occurrence(of: left), occurrence(of: right))
        return occurrence.calendarId.isSameByUTF8(as: other.calendarId) && occurrence.uid.isSameByUTF8(as: other.uid)
            && occurrence.identifyingMoment == other.identifyingMoment
    }

    private func occurrence(of moment: Moment) -> Occurrence { occurrences[moment.index].occurrence }
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
