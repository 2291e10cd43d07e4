import Timelines

extension EventCalendar.Series {
    /// The reach of all events of the series; `nil` means that there are none.
    var wholeReach: ClosedRange<Instant>? {
        let whole = overrides.values.reduce(nil) { reach, entry in entry.announcedReach.union(reach) }
        return master.map { $0.announcedReach.union(whole) } ?? whole
    }

    /// The longest lead that an event of the series names.
    var longestLead: CalendarDuration? {
        var longest = master?.event.preEventLead
        for entry in overrides.values {
            guard let lead = entry.event.preEventLead else { continue }
            if lead.nominal > longest?.nominal ?? .zero { longest = lead }
        }
        return longest
    }
}

extension EventCalendar.Entry {
    func reaches(_ from: Instant, _ to: Instant) -> Bool {
        reach.lowerBound < to && reach.upperBound > from
    }

    /// The reach with the lead that the event names. An event that moves everything after it, however far, reaches
    /// everywhere.
    var announcedReach: ClosedRange<Instant> {
        if event.isThisAndFuture { return .everything }
        guard let lead = event.preEventLead, !lead.isZero else { return reach }
        return reach.lowerBound - lead.nominal - .hours(26)...reach.upperBound
    }
}

extension ClosedRange<Instant> {
    /// More than any time that an event can say, with room for leads and lengths.
    static let everything = Instant(milliseconds: -1 << 60)...Instant(milliseconds: 1 << 60)

    func union(_ other: ClosedRange<Instant>?) -> ClosedRange<Instant> {
        guard let other else { return self }
        return Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
    }
}

extension CalendarEvent {
    /// The stretch within which all occurrences of the event lie, in every zone.
    func reach(_ recurrence: RecurrenceSet?) -> ClosedRange<Instant> {
        let zone = isAllDay ? .utc : zone ?? .utc
        // Zones lie within fourteen hours of UTC, and clocks change by less than the rest.
        let margin = ElapsedTime.hours(26)
        let first = start.instant(in: zone)
        let length = longest(in: zone)
        var reach = first - margin...first + length + margin
        guard let recurrence else { return reach }
        for date in recurrence.dates {
            let start = date.start.time.instant(in: date.start.zone ?? zone)
            let end =
                switch date.end {
                case .at(let time): time.instant(in: date.start.zone ?? zone)
                case .after(let duration): start + duration.nominal
                case nil: start + length
                }
            reach = (start - margin...max(start, end) + margin).union(reach)
        }
        for rule in recurrence.rules {
            guard let last = rule.lastStart(from: first) else {
                return reach.lowerBound...ClosedRange.everything.upperBound
            }
            reach = (first...max(first, last) + length + margin).union(reach)
        }
        return reach
    }

    private func longest(in zone: LocalCalendar) -> ElapsedTime {
        if isAllDay { return .hours(24) * Int64(days) }
        return switch length(in: zone) {
        case .elapsed(let time): time
        case .nominal(let duration): duration.nominal
        }
    }
}

extension RecurrenceRule {
    /// An instant after which by more than a day the rule has no start; `nil` means that none is known.
    fileprivate func lastStart(from first: Instant) -> Instant? {
        if let until { return until.instant(in: .utc) + .hours(24) }
        // Reckoned, not counted: a rule whose starts are rare would be followed for long.
        guard let count, count <= 10_000, interval <= 1_000, isInEveryPeriod else { return nil }
        let days =
            switch frequency {
            case .secondly, .minutely, .hourly, .daily: 1
            case .weekly: 7
            case .monthly: 31
            case .yearly: 366
            }
        // Clocks skip some starts; of months and years some have no 31st, or no 29th of February.
        let rarity = frequency < .monthly ? 2 : 9
        return first + .hours(24) * Int64((count + 2) * interval * days * rarity)
    }

    /// True if each period of the rule has a start, but for days that are not in each month or year.
    private var isInEveryPeriod: Bool {
        let picks = [months, monthDays, yearDays, weekNumbers, positions]
        guard picks.allSatisfy({ $0.isEmpty }) else { return false }
        if frequency < .daily { return hours.isEmpty && minutes.isEmpty && seconds.isEmpty && weekdays.isEmpty }
        return weekdays.isEmpty || frequency >= .weekly && weekdays.allSatisfy { abs($0.number ?? 1) <= 4 }
    }
}

/// Which series can have occurrences in a stretch of time, without a look at the others.
struct ReachIndex: Sendable {
    /// Series that lie within a few stretches of some 25 days, by the numbers of these.
    private var stretches: [Int64: Set<String>] = [:]
    /// All others, with what they lie within.
    private var long: [String: ClosedRange<Instant>] = [:]

    mutating func move(_ uid: String, from old: ClosedRange<Instant>?, to new: ClosedRange<Instant>?) {
        guard old != new else { return }
        if let old { remove(uid, old) }
        guard let new else { return }
        guard let numbers = Self.short(new) else {
            long[uid] = new
            return
        }
        for number in numbers { stretches[number, default: []].insert(uid) }
    }

    private mutating func remove(_ uid: String, _ reach: ClosedRange<Instant>) {
        guard let numbers = Self.short(reach) else {
            long[uid] = nil
            return
        }
        for number in numbers {
            stretches[number]?.remove(uid)
            if stretches[number]?.isEmpty ?? false { stretches[number] = nil }
        }
    }

    /// Each once, in no certain order; perhaps some beside the stretch of time.
    func candidates(from: Instant, to: Instant) -> Set<String> {
        var found = Set(long.lazy.filter { $0.value.lowerBound < to && $0.value.upperBound > from }.map(\.key))
        let numbers = Self.number(from)...Self.number(to)
        if numbers.count > stretches.count {
            for (number, uids) in stretches where numbers.contains(number) { found.formUnion(uids) }
        } else {
            for number in numbers {
                if let uids = stretches[number] { found.formUnion(uids) }
            }
        }
        return found
    }

    /// The numbers of the stretches of what is short.
    private static func short(_ reach: ClosedRange<Instant>) -> ClosedRange<Int64>? {
        let numbers = number(reach.lowerBound)...number(reach.upperBound)
        return numbers.count <= 4 ? numbers : nil
    }

    private static func number(_ instant: Instant) -> Int64 { instant.milliseconds >> 31 }
}
