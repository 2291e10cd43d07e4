import Timelines

/// Changes the instances after an override with RANGE=THISANDFUTURE (RFC 5545 §3.2.13): they move on the wall of the
/// series as the override has moved, and are as long as it is.
struct ThisAndFuture {
    let event: CalendarEvent
    /// Instances that begin after this are changed.
    let original: Occurrence.Moment
    private let master: SeriesExpansion
    private let zone: LocalCalendar
    private let length: CalendarEvent.Length
    /// How far instances move, in seconds on the wall.
    private let shift: Int64

    init(_ event: CalendarEvent, original: Occurrence.Moment, of master: SeriesExpansion) {
        self.event = event
        self.original = original
        self.master = master
        zone = master.zone
        let own = event.zone(viewedIn: master.zone)
        length = event.length(in: own)
        let start: WallClock =
            switch event.start {
            case .date(let date): WallClock(date, .midnight)
            case .instant, .local: zone.wallClock(at: event.start.instant(in: own))
            }
        let wall = Self.wall(original, zone, daysOnly: event.isAllDay)
        shift = start.seconds - wall.seconds
    }

    /// How much further from a window its instances' originals can lie, before and after it.
    var margin: (before: ElapsedTime, after: ElapsedTime) {
        var length = ElapsedTime.hours(24) * Int64(event.days)
        if !event.isAllDay {
            switch self.length {
            case .elapsed(let time): length = time
            case .nominal(let duration): length = duration.nominal
            }
        }
        let slack = ElapsedTime.hours(50)
        return (.seconds(max(0, shift)) + length + slack, .seconds(max(0, -shift)) + slack)
    }

    /// The start and end of an instance after the change.
    func extent(of instance: Occurrence.Moment) -> Occurrence.Extent {
        let wall = Self.wall(instance, zone, daysOnly: event.isAllDay)
        let moved = WallClock(seconds: wall.seconds + shift)
        guard !event.isAllDay else {
            return .allDay(start: moved.date, end: moved.date.advanced(byDays: event.days))
        }
        let start = zone.instant(of: moved)
        switch length {
        case .elapsed(let time): return .timed(start: start, end: start + time)
        case .nominal(let duration): return .timed(start: start, end: zone.end(of: duration, from: start))
        }
    }

    func isBefore(_ instance: Occurrence.Moment) -> Bool {
        master.instant(original) < master.instant(instance)
    }

    private static func wall(_ moment: Occurrence.Moment, _ zone: LocalCalendar, daysOnly: Bool) -> WallClock {
        switch moment {
        case .date(let date): WallClock(date, .midnight)
        case .instant(let instant) where daysOnly: WallClock(zone.date(at: instant), .midnight)
        case .instant(let instant): zone.wallClock(at: instant)
        }
    }
}

extension SeriesExpansion {
    /// The start of an instance, for the order of instances.
    func instant(_ moment: Occurrence.Moment) -> Instant {
        switch moment {
        case .instant(let instant): instant
        case .date(let date): zone.firstInstant(of: date)
        }
    }
}
