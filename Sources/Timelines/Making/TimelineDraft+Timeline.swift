extension TimelineDraft {
    /// T4 and T5, of the moments that stay: their entries, the policy, when the next timeline is due, and until
    /// when this one can be believed.
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
        var present: Present?
        return moments.map { moment in
            if let entry = entry(moment) { return entry }
            if present == nil { present = Present(of: request, in: calendar) }
            return present!.tick(at: moment.date)
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
