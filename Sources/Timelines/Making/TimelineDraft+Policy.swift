extension TimelineDraft {
    /// Rules 4 and 5, of the entries that stay: the policy, when the next timeline is due, and until when this one can
    /// be believed.
    func timeline(at: Instant, nextMidnight: Instant, in calendar: LocalCalendar) -> Timeline {
        var policy = policy(at: at, nextMidnight: nextMidnight, in: calendar)
        if let due = due(of: policy), let firstLeftOut, firstLeftOut <= due { policy = .after(firstLeftOut) }
        let nextUpdate = due(of: policy)
        precondition(nextUpdate.map { $0 > at } ?? true, "a timeline is due before it was made")
        let stale = entries.first { $0.phase == .stale && $0.date > at }
        return Timeline(
            entries: entries, policy: policy, nextUpdate: nextUpdate, validUntil: stale?.date ?? nextUpdate)
    }

    private func policy(at: Instant, nextMidnight: Instant, in calendar: LocalCalendar) -> TimelineReloadPolicy {
        guard case .atEnd = policy else { return policy }
        if let last = entries.last?.date, last > at {
            guard let latestUpdate, latestUpdate < last else { return .atEnd }
            return .after(latestUpdate)
        }
        return .after(interval.map { calendar.adding($0, to: at) } ?? nextMidnight)
    }

    private func due(of policy: TimelineReloadPolicy) -> Instant? {
        switch policy {
        case .atEnd: entries.last?.date
        case .after(let date): date
        case .never: nil
        }
    }
}
