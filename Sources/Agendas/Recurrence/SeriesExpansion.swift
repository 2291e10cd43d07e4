import Timelines

/// The instances of one event near a window, in the event's own zone.
struct SeriesExpansion {
    let event: CalendarEvent
    let recurrence: RecurrenceSet?
    let zone: LocalCalendar
    private let length: CalendarEvent.Length

    init(_ event: CalendarEvent, _ recurrence: RecurrenceSet?, viewedIn view: LocalCalendar) {
        self.event = event
        self.recurrence = recurrence
        zone = event.zone(viewedIn: view)
        length = event.length(in: zone)
    }

    /// An instance with the start that the series gave it.
    struct Instance {
        var original: Occurrence.Moment
        var when: Occurrence.Extent
    }

    /// The event itself, as if it did not recur.
    var own: Instance { instance(at: event.start, end: event.end) }

    /// All instances that overlap the window, and perhaps some beside it; each start once, in no certain order.
    func instances(from: Instant, to: Instant) throws(ExpansionLimit) -> [Instance] {
        guard let recurrence else { return [own] }
        var byOriginal: [Occurrence.Moment: Instance] = [:]
        for start in try starts(recurrence, from: from, to: to) {
            let instance = event.isAllDay ? instance(onDay: start.date) : instance(from: zone.instant(of: start))
            byOriginal[instance.original] = instance
        }
        if !endsBeforeStart(recurrence) { byOriginal[own.original] = own }
        for date in recurrence.dates {
            let instance = instance(date)
            byOriginal[instance.original] = instance
        }
        let excluded = Exclusions(recurrence.excluded.map { original($0) }, zone: zone)
        return byOriginal.values.filter { !excluded.contain($0.original) }
    }

    /// True if an EXDATE names this very instance, which no override brings back (RFC 5545 §3.8.5.1).
    func excludes(_ original: Occurrence.Moment) -> Bool {
        recurrence?.excluded.contains { self.original($0) == original } ?? false
    }

    /// A series whose rules all end before its start has no instance by them, not even that: so programs write one
    /// that was ended at its first instance.
    private func endsBeforeStart(_ recurrence: RecurrenceSet) -> Bool {
        !recurrence.rules.isEmpty
            && recurrence.rules.allSatisfy { rule in rule.until.map { !isUntil(firstWall, $0) } ?? false }
    }

    /// The instance of this series for which an EXDATE or RECURRENCE-ID stands.
    func original(_ time: RecurrenceSet.Time) -> Occurrence.Moment {
        if event.isAllDay { return .date(time.time.writtenDate) }
        if case .date(let date) = time.time { return .date(date) }
        return .instant(time.time.instant(in: time.zone ?? zone))
    }

    // MARK: - Starts

    private func starts(
        _ recurrence: RecurrenceSet, from: Instant, to: Instant
    ) throws(ExpansionLimit) -> [WallClock] {
        var steps = ExpansionLimit.steps
        // What clocks go back by, and dates float by, lies within the margin.
        let margin: Int64 = event.isAllDay ? 86_400 : 2 * 3600
        let low = zone.wallClock(at: from - longest).seconds - margin
        let high = zone.wallClock(at: to).seconds + margin
        let request = StartRequest(
            first: firstWall,
            window: WallClock(seconds: low)...WallClock(seconds: max(low, high)),
            isAllDay: event.isAllDay,
            exists: { [zone] in event.isAllDay || !zone.isInGap($0.date, $0.time) },
            isUntil: isUntil)
        var starts: [WallClock] = []
        for rule in recurrence.rules { starts += try rule.starts(request, steps: &steps) }
        return starts
    }

    private var firstWall: WallClock {
        switch event.start {
        case .instant(let instant): zone.wallClock(at: instant)
        case .local(let date, let time): WallClock(date, time)
        case .date(let date): WallClock(date, .midnight)
        }
    }

    /// UNTIL belongs in the form of the start, in UTC for a start with a zone (RFC 5545 §3.3.10); the other forms,
    /// which files contain all the same, are taken by what they show.
    private func isUntil(_ start: WallClock, _ until: EventTime) -> Bool {
        switch until {
        case .date(let date): start.day <= date.dayNumber
        case .local(let date, let time): event.isAllDay ? start.date <= date : start <= WallClock(date, time)
        case .instant(let instant):
            if event.isAllDay {
                start.date <= (event.zone ?? .utc).date(at: instant)
            } else if event.isFloating {
                start.seconds * 1000 <= instant.milliseconds
            } else {
                zone.instant(of: start) <= instant
            }
        }
    }

    // MARK: - Ends

    /// The longest that an instance made by a rule can be.
    private var longest: ElapsedTime {
        switch length {
        case .elapsed(let time): time
        case .nominal(let duration): duration.nominal + .hours(26)
        }
    }

    private func instance(onDay date: LocalDate) -> Instance {
        Instance(original: .date(date), when: .allDay(start: date, end: date.advanced(byDays: event.days)))
    }

    private func instance(from start: Instant) -> Instance {
        let end =
            switch length {
            case .elapsed(let time): start + time
            case .nominal(let duration): zone.end(of: duration, from: start)
            }
        return Instance(original: .instant(start), when: .timed(start: start, end: end))
    }

    private func instance(at start: EventTime, end: EventEnd?) -> Instance {
        if event.isAllDay { return instance(onDay: start.writtenDate) }
        let instant = start.instant(in: zone)
        var own = instance(from: instant)
        // Of the event itself the end is what the record says, not a length.
        if case .at(let time) = end {
            own.when = .timed(start: instant, end: max(instant, time.instant(in: zone)))
        }
        return own
    }

    private func instance(_ date: RecurrenceSet.Date) -> Instance {
        if event.isAllDay { return instance(onDay: date.start.time.writtenDate) }
        let start = date.start.time.instant(in: date.start.zone ?? zone)
        var instance = instance(from: start)
        switch date.end {
        case .at(let time): instance.when = .timed(start: start, end: max(start, time.instant(in: zone)))
        case .after(let duration): instance.when = .timed(start: start, end: zone.end(of: duration, from: start))
        case nil: break
        }
        return instance
    }
}

/// The starts that a series does not have, or that overrides stand for.
struct Exclusions {
    private var instants: Set<Instant> = []
    private var dates: Set<LocalDate> = []
    private let zone: LocalCalendar

    /// A date takes away all that starts on it, in the series' zone.
    init(_ originals: some Sequence<Occurrence.Moment>, zone: LocalCalendar) {
        self.zone = zone
        for original in originals {
            switch original {
            case .instant(let instant): instants.insert(instant)
            case .date(let date): dates.insert(date)
            }
        }
    }

    func contain(_ original: Occurrence.Moment) -> Bool {
        switch original {
        case .instant(let instant):
            instants.contains(instant) || !dates.isEmpty && dates.contains(zone.date(at: instant))
        case .date(let date): dates.contains(date)
        }
    }
}
