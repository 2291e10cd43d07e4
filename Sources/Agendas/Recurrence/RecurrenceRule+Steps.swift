extension CalendarEvent {
    /// The steps after which a series is left out.
    package static let stepsMax = ExpansionLimit.steps

    /// About the steps, periods and starts, that it takes to find the instances of a month; 0 if it does not recur.
    /// At most `stepsMax`, where a series is left out.
    package var steps: Int {
        guard !recurrence.isEmpty, let set = try? RecurrenceSet(lines: recurrence) else { return 0 }
        return set.rules.reduce(0) { min($0 + $1.steps, ExpansionLimit.steps) }
    }
}

extension RecurrenceRule {
    /// As of an event. To know which instance is the last of a COUNT, all before it are looked at.
    fileprivate var steps: Int {
        let seconds = max(1, seconds.count)
        let minutes = max(1, minutes.count) * seconds
        let startsOfDay =
            switch frequency {
            case .secondly: 86_400 / interval + 1
            case .minutely: (1_440 / interval + 1) * seconds
            case .hourly: (24 / interval + 1) * minutes
            case .daily, .weekly, .monthly, .yearly: max(1, hours.count) * minutes
            }
        return min(count ?? 0, ExpansionLimit.steps) + min(31 * startsOfDay, ExpansionLimit.steps)
    }
}
