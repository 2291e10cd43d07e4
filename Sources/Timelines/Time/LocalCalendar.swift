/// Local time in one time zone: the dates and wall-clock times of instants, and back (T10).
///
/// A calendar is cheap to make and to copy, and any thread may use it. IANA's zones come from Foundation, on the
/// proleptic Gregorian calendar; others come from whoever defines them.
public struct LocalCalendar: Sendable {
    private let offsets: ZoneOffsets

    /// The clocks of a zone of the IANA database, by its name in exact spelling. The result is `nil` for all other
    /// texts, abbreviations and offsets among them.
    public init?(_ timeZone: String) {
        guard let offsets = ZoneOffsets.named(timeZone) else { return nil }
        self.offsets = offsets
    }

    /// The clocks of a zone that IANA's database does not have.
    ///
    /// - Parameters:
    ///   - name: what `timeZone` says; no IANA name.
    ///   - first: the offset from UTC, east of it positive, until the first change.
    ///   - changes: from when on each other offset holds, ascending. The last one holds for ever.
    package init(defined name: String, first: ElapsedTime, changes: [(at: Instant, offset: ElapsedTime)]) {
        offsets = ZoneOffsets(
            name: name, first: first.milliseconds,
            changes: changes.map { (at: $0.at.milliseconds, offset: $0.offset.milliseconds) })
    }

    /// Coordinated universal time.
    public static let utc: LocalCalendar = {
        guard let utc = LocalCalendar("UTC") else { preconditionFailure("Foundation knows no UTC") }
        return utc
    }()

    /// The name of the zone.
    public var timeZone: String { offsets.name }

    /// The rule for a wall-clock time that the zone's clocks skip.
    public enum GapRule: Sendable {
        /// The first instant after the gap counts, as for times of day and midnights (T10).
        case firstInstantAfter
        /// The offset before the gap counts, as for starts and ends of events (RFC 5545 section 3.3.5).
        case offsetBefore
    }

    /// The date on the wall at an instant.
    public func date(at instant: Instant) -> LocalDate {
        LocalDate(dayNumber: Int(local(instant).floored(by: Instant.millisecondsOfDay)))
    }

    /// The time on the wall at an instant; what is less than a second is left out.
    public func time(at instant: Instant) -> LocalTime {
        let local = local(instant)
        let ofDay = local - local.floored(by: Instant.millisecondsOfDay) * Instant.millisecondsOfDay
        let seconds = Int(ofDay / 1000)
        return LocalTime(hour: seconds / 3600, minute: seconds / 60 % 60, second: seconds % 60)
    }

    /// The instant at which the clocks show this date and time; the first one if they show it twice.
    public func instant(
        of date: LocalDate, at time: LocalTime = .midnight, inGap rule: GapRule = .firstInstantAfter
    ) -> Instant {
        instant(
            ofLocal: Int64(date.dayNumber) * Instant.millisecondsOfDay + Int64(time.secondOfDay) * 1000, inGap: rule)
    }

    /// True if the clocks never show this. A start of an RRULE there is left out (RFC 5545 section 3.3.10).
    public func isInGap(_ date: LocalDate, _ time: LocalTime) -> Bool {
        let instant = instant(of: date, at: time)
        return self.date(at: instant) != date || self.time(at: instant) != time
    }
}

// MARK: - Local milliseconds

extension LocalCalendar {
    /// Milliseconds since 1970-01-01 00:00 on the wall.
    func local(_ instant: Instant) -> Int64 {
        instant.milliseconds + offsets.offset(at: instant.milliseconds)
    }

    func instant(ofLocal local: Int64, inGap rule: GapRule) -> Instant {
        // Offsets are less than a day, and no zone changes twice within two: these two are all that can hold.
        let before = offsets.offset(at: local - Instant.millisecondsOfDay)
        let after = offsets.offset(at: local + Instant.millisecondsOfDay)
        let early = local - before
        if before == after || offsets.offset(at: early) == before { return Instant(milliseconds: early) }
        let late = local - after
        if offsets.offset(at: late) == after { return Instant(milliseconds: late) }
        switch rule {
        case .offsetBefore: return Instant(milliseconds: early)
        case .firstInstantAfter: return change(after: late, upTo: early)
        }
    }

    /// The first instant later than `instant` at which the clocks would show `time`, if they did not change until then.
    func next(_ time: LocalTime, after instant: Instant) -> Instant {
        let ofDay = local(instant) - local(instant).floored(by: Instant.millisecondsOfDay) * Instant.millisecondsOfDay
        let distance = Int64(time.secondOfDay) * 1000 - ofDay
        return Instant(
            milliseconds: instant.milliseconds + (distance > 0 ? distance : distance + Instant.millisecondsOfDay))
    }

    /// The first instant in `(instant, end]` at which the clocks change; `nil` means that they do not. `end` is at most
    /// a day later.
    func firstChange(after instant: Instant, upTo end: Instant) -> Instant? {
        let (late, early) = (instant.milliseconds, end.milliseconds)
        return offsets.offset(at: late) == offsets.offset(at: early) ? nil : change(after: late, upTo: early)
    }

    /// In a gap the clocks have not yet changed at `late`, reckoned with the offset after it, but have at `early`.
    private func change(after late: Int64, upTo early: Int64) -> Instant {
        let offsetBefore = offsets.offset(at: late)
        var (low, high) = (late, early)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offsets.offset(at: middle) == offsetBefore { low = middle } else { high = middle }
        }
        return Instant(milliseconds: high)
    }

    var missingDays: [Int] { offsets.missingDays }
}
