/// Says in words for people why an entry is in a timeline.
package enum EntryReason {
    /// "30 minutes before Standup", "local midnight", "every 15 minutes", …
    ///
    /// - Parameter at: the instant for which the timeline was made.
    package static func text(
        of entry: TimelineEntry, in timeline: Timeline, configuration: WidgetConfiguration, at: Instant
    ) -> String {
        let calendar = LocalCalendar(configuration.timeZone) ?? .utc
        switch entry.phase {
        case .preEvent: return lead(of: entry, in: calendar)
        case .start: return entry.event.map { "\($0.title) starts" } ?? "an event starts"
        case .end: return entry.event.map { "\($0.title) ends" } ?? "an event ends"
        case .day: return "local midnight"
        case .status: return "as known then"
        case .stale: return stale(entry, at: at)
        case .tick:
            // What is made once and for all and carries a sample has no other reason: a preview, or a snapshot.
            if entry.isSample, timeline.policy == .never { return "a sample" }
            let strategy = configuration.strategy as? any ConfigurableStrategy
            return strategy?.reason(ofTickAt: entry.date, madeAt: at, for: configuration)
                ?? (entry.date == at ? "what is known now" : "as scheduled")
        case .placeholder:
            let isStatus = configuration.strategy is StatusStrategy
            return isStatus ? "nothing heard of the vehicle yet" : "the data is unknown, silent or unreadable"
        case .signedOut: return "not signed in"
        case .selectVehicle: return "no vehicle is chosen"
        case .error: return error(entry)
        }
    }

    private static func lead(of entry: TimelineEntry, in calendar: LocalCalendar) -> String {
        guard let event = entry.event else { return "before an event" }
        let start = calendar.interval(of: event.when).start
        return "\((start - entry.date).words) before \(event.title)"
    }

    private static func stale(_ entry: TimelineEntry, at: Instant) -> String {
        if entry.date > at { return "if nothing newer comes for \((entry.date - at).words)" }
        guard let observedAt = entry.vehicle?.observedAt else { return "the vehicle is silent" }
        return "nothing heard of the vehicle for \((at - observedAt).words)"
    }

    private static func error(_ entry: TimelineEntry) -> String {
        switch entry.message?.code {
        case .configurationInvalid: "the configuration cannot be used"
        case .vehicleUnknown: "nothing heard of the vehicle yet"
        case .silent: "the vehicle is silent"
        case .unreadable: "the newest record cannot be read"
        default: "what is to be shown is not there"
        }
    }
}

extension ElapsedTime {
    /// "1 day 30 minutes", with days of 24 hours; "0 seconds" for none.
    package var words: String {
        let day = ElapsedTime.hours(24).milliseconds
        let days = milliseconds / day
        let rest = ElapsedTime(milliseconds: milliseconds % day)
        return CalendarDuration(days: Int(days), time: rest).inWords
    }
}

extension TimelineWalk.Cause: CustomStringConvertible {
    package var description: String {
        switch self {
        case .configuration: "configuration received"
        case .firstHeardOf: "the vehicle is heard of for the first time"
        case .statusChange(let before, let after) where before == after: "the vehicle is heard of again"
        case .statusChange(let before, let after): "the vehicle is \(after.rawValue), was \(before.rawValue)"
        case .silence(let length): "nothing heard of the vehicle for \(length.words)"
        case .sensitivity: "the vehicle changed as much as sensitivity says"
        case .renewal: "scheduled update"
        }
    }
}
