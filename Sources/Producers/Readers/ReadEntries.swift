import Timelines

/// The entries that a reader of a depot's rounds scrolls over: those that `SimulatedCalendars` causes in a timeline of
/// the strategy `events`, by number, ascending by date. Each round has three: its announcement, its start, its end.
struct ReadEntries {
    let calendarId: String
    private let calendar: Int

    /// How long before its start a round is announced, and how long it goes on.
    static let lead = ElapsedTime.minutes(1)
    static let length = ElapsedTime.minutes(3)

    /// - Parameter calendar: the index of the calendar in `FleetCalendars.all`.
    init(calendar: Int) {
        self.calendar = calendar
        calendarId = FleetCalendars.all[calendar]
    }

    /// The number of the entry that is in force at an instant.
    func inForce(at instant: Instant) -> Int64 {
        // One round later than the one that begins now, and back.
        var number = (FleetCalendars.round(at: instant, calendar: calendar, of: FleetCalendars.all.count) + 2) * 3
        while date(of: number) > instant { number -= 1 }
        return number
    }

    func date(of number: Int64) -> Instant {
        let start = start(ofEntry: number)
        return switch phase(of: number) {
        case .preEvent: start - Self.lead
        case .end: start + Self.length
        default: start
        }
    }

    func id(of number: Int64) -> String {
        "\(phase(of: number).rawValue)/\(calendarId)/round-\(round(of: number))/\(start(ofEntry: number).rfc3339)"
    }

    func title(of number: Int64) -> String { "Round \(round(of: number) % 1000)" }

    func location(of number: Int64) -> String { "Gate \(round(of: number) % 5 + 1)" }

    private func round(of number: Int64) -> Int64 { (number - number.inRound) / 3 }

    private func phase(of number: Int64) -> TimelineEntry.Phase {
        [.preEvent, .start, .end][Int(number.inRound)]
    }

    private func start(ofEntry number: Int64) -> Instant {
        FleetCalendars.start(ofRound: round(of: number), calendar: calendar, of: FleetCalendars.all.count)
    }
}

extension Int64 {
    /// The place of an entry among the three of its round, also before 1970.
    fileprivate var inRound: Int64 { (self % 3 + 3) % 3 }
}
