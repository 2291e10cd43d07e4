extension TimelineDraft {
    /// Applies T3: the moments ascend by date, and at one instant in the order of phases; equal entries of one instant
    /// are there once.
    consuming func inOrder() -> TimelineDraft {
        // Mostly they are in order, and no two are at one instant.
        if areInOrder { return self }
        let sorted = moments.enumerated().map { Key(moment: $1, place: $0) }.sorted { [self] in precedes($0, $1) }
        moments.removeAll(keepingCapacity: true)
        for key in sorted {
            if let last = moments.last, hasSameIdentity(last, key.moment) { continue }
            moments.append(key.moment)
        }
        return self
    }

    private var areInOrder: Bool {
        moments.indices.dropFirst().allSatisfy { moments[$0 - 1].date < moments[$0].date }
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

    /// True if both would have the same id, which is not yet written (T7).
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
    /// The order of phases at one instant: what ends makes room for what begins.
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
    /// True if this occurrence comes first by calendarId, uid, start and original start; `nil` means that all are the
    /// same.
    func precedes(_ other: Occurrence) -> Bool? {
        if !calendarId.isSameByUTF8(as: other.calendarId) { return calendarId.precedesByUTF8(other.calendarId) }
        if !uid.isSameByUTF8(as: other.uid) { return uid.precedesByUTF8(other.uid) }
        if when.nominalStart != other.when.nominalStart { return when.nominalStart < other.when.nominalStart }
        let (moment, otherMoment) = (identifyingMoment.nominal, other.identifyingMoment.nominal)
        return moment == otherMoment ? nil : moment < otherMoment
    }
}

extension TimelineDraft {
    /// Applies T2 to moments in order: the last one with `date ≤ at` is in force, and older ones are left out. If none
    /// is in force, the first entry is a tick that shows what is known.
    consuming func inForce(at: Instant) -> TimelineDraft {
        if let current = moments.lastIndex(where: { $0.date <= at }) {
            if current > 0 { moments.removeSubrange(..<current) }
        } else {
            moments.insert(.tick(at, Moment.whatIsKnown), at: 0)
        }
        return self
    }
}

extension TimelineDraft {
    /// Applies T4 to moments in order, with the one in force first: at most `limit` entries stay. Future `day` entries
    /// go first, the farthest before the nearer, then others from the far end. The one in force stays, and above a
    /// limit of 1 the `day` entry of the next local midnight.
    consuming func limited(to limit: Int, keepingDayAt nextMidnight: Instant) -> TimelineDraft {
        precondition(limit >= 1)
        guard moments.count > limit else { return self }
        var excess = moments.count - limit
        var goes = [Bool](repeating: false, count: moments.count)
        for isDay in [true, false] {
            for index in moments.indices.dropFirst().reversed() where excess > 0 {
                let moment = moments[index]
                guard (moment.phase == .day) == isDay else { continue }
                if isDay && limit > 1 && moment.date == nextMidnight { continue }
                goes[index] = true
                excess -= 1
            }
        }
        // Ascending: the first that goes is the earliest.
        let gone = goes.firstIndex(of: true).map { [moments] in moments[$0].date }
        moments = zip(moments, goes).filter { !$1 }.map(\.0)
        firstLeftOut = [firstLeftOut, gone].compactMap(\.self).min()
        return self
    }
}

extension TimelineDraft {
    /// Applies T4 and T5 to the moments that stay: makes their entries, and says when the next timeline is due and
    /// until when this one can be believed.
    func timeline(for request: TimelineRequest, nextMidnight: Instant, in calendar: LocalCalendar) -> Timeline {
        var policy = policy(at: request.at, nextMidnight: nextMidnight, in: calendar)
        if let due = due(of: policy), let firstLeftOut, firstLeftOut <= due { policy = .after(firstLeftOut) }
        let nextUpdate = due(of: policy)
        precondition(nextUpdate.map { $0 > request.at } ?? true, "a timeline is due before it was made")
        let stale = moments.first { $0.phase == .stale && $0.date > request.at }
        return Timeline(
            entries: entries(for: request, in: calendar), policy: policy, nextUpdate: nextUpdate,
            validUntil: stale?.date ?? nextUpdate)
    }

    private func entries(for request: TimelineRequest, in calendar: LocalCalendar) -> [TimelineEntry] {
        var tickContent: TickContent?
        return moments.map { moment in
            if let entry = entry(moment) { return entry }
            let content = tickContent ?? TickContent(of: request, in: calendar)
            tickContent = content
            return content.tick(at: moment.date)
        }
    }

    private func policy(at: Instant, nextMidnight: Instant, in calendar: LocalCalendar) -> TimelineReloadPolicy {
        guard case .atEnd = policy else { return policy }
        if let last = moments.last?.date, last > at {
            guard let latestUpdate, latestUpdate < last else { return .atEnd }
            return .after(latestUpdate)
        }
        return .after(interval.map { calendar.adding($0, to: at) } ?? nextMidnight)
    }

    private func due(of policy: TimelineReloadPolicy) -> Instant? {
        switch policy {
        case .atEnd: moments.last?.date
        case .after(let date): date
        case .never: nil
        }
    }
}
