import Timelines

extension CalendarEvent {
    /// How long every instance of an event is.
    enum Length {
        /// The same elapsed time everywhere: what RFC 5545 §3.8.5.3 asks of an event that says its end.
        case elapsed(ElapsedTime)
        /// Local days, then elapsed time.
        case nominal(CalendarDuration)
    }

    /// Of an event with times. Without end and duration it has no length (RFC 5545 §3.6.1); an end that a gap puts
    /// before the start means none either.
    func length(in zone: LocalCalendar) -> Length {
        switch end {
        case .at(let end): .elapsed(max(.zero, end.instant(in: zone) - start.instant(in: zone)))
        case .after(let duration): .nominal(duration)
        case nil: .elapsed(.zero)
        }
    }

    /// How many days an all-day event has: one at least, as in RFC 5545 §3.6.1 for one without end.
    var days: Int {
        switch (start, end) {
        case (.date(let first), .at(.date(let end))): max(1, end.dayNumber - first.dayNumber)
        case (_, .after(let duration)): max(1, duration.days)
        default: 1
        }
    }

    /// Whether its times are those of whoever looks.
    var isFloating: Bool {
        if case .local = start { timeZone == nil && definedZone == nil } else { false }
    }

    /// The zone in which it takes place and recurs: its own, UTC for instants without one, the viewer's for floating
    /// and all-day events.
    func zone(viewedIn view: LocalCalendar) -> LocalCalendar {
        if isAllDay || isFloating { return view }
        return zone ?? .utc
    }
}
