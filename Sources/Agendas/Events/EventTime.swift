package import Timelines

/// The start or the end of an event, as its record says it.
package enum EventTime: Hashable, Sendable {
    case instant(Instant)
    /// A wall-clock time in the event's `timeZone`; it floats if the event names none.
    case local(LocalDate, LocalTime)
    /// A day of an all-day event, which floats.
    case date(LocalDate)
}

/// The end of an event, as its record says it. Without one, RFC 5545 §3.6.1 decides: a day, or no length.
package enum EventEnd: Hashable, Sendable {
    /// The exclusive end.
    case at(EventTime)
    case after(CalendarDuration)
}

extension EventTime {
    /// The contract's text: RFC 3339 in UTC, `2019-02-10T09:00:00`, or `2019-02-10`.
    package var text: String {
        switch self {
        case .instant(let instant): instant.rfc3339
        case .local(let date, let time): WallClock(date, time).text
        case .date(let date): date.iso8601
        }
    }

    /// Reads the contract's text; `nil` if it is none of the three forms or a date that does not exist.
    package init?(text: String) {
        if let date = LocalDate(iso8601: text) {
            self = .date(date)
        } else if let instant = Instant(rfc3339: text) {
            self = .instant(instant)
        } else if let instant = Instant(rfc3339: text + "Z") ?? Instant(rfc3339: text + ":00Z") {
            // What is RFC 3339 but for its offset, or its seconds too, is local; less than a second has no place in it.
            let wall = WallClock(seconds: instant.milliseconds.floored(by: 1000))
            self = .local(wall.date, wall.time)
        } else {
            return nil
        }
    }

    /// Reads iCalendar's basic form: `20190210`, `20190210T090000` or `20190210T090000Z` (RFC 5545 §3.3.4, §3.3.5).
    init?(basic text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard [8, 15, 16].contains(bytes.count),
            let year = decimal(bytes[0..<4]), let month = decimal(bytes[4..<6]), let day = decimal(bytes[6..<8])
        else { return nil }
        let date = LocalDate(year: year, month: month, day: day)
        guard date.isValid else { return nil }
        if bytes.count == 8 {
            self = .date(date)
            return
        }
        guard bytes[8] == UInt8(ascii: "T"), let hour = decimal(bytes[9..<11]), let minute = decimal(bytes[11..<13]),
            let second = decimal(bytes[13..<15]), hour < 24, minute < 60, second <= 60
        else { return nil }
        // A leap second counts as the second before it (RFC 5545 §3.3.12).
        let time = LocalTime(hour: hour, minute: minute, second: min(second, 59))
        if bytes.count == 15 {
            self = .local(date, time)
        } else if bytes[15] == UInt8(ascii: "Z") {
            self = .instant(Instant(milliseconds: WallClock(date, time).seconds * 1000))
        } else {
            return nil
        }
    }

    /// The text in iCalendar's basic form; an instant is written in UTC to the second.
    package var basic: String {
        switch self {
        case .instant(let instant): WallClock(seconds: instant.milliseconds.floored(by: 1000)).basic + "Z"
        case .local(let date, let time): WallClock(date, time).basic
        case .date(let date): String(WallClock(date, LocalTime(hour: 0, minute: 0)).basic.prefix(8))
        }
    }

    /// The instant that this stands for in `zone`; a date stands for its first instant. A wall-clock time in a gap
    /// takes the offset before it (RFC 5545 §3.3.5).
    package func instant(in zone: LocalCalendar) -> Instant {
        switch self {
        case .instant(let instant): instant
        case .local(let date, let time): zone.instant(of: date, at: time, inGap: .offsetBefore)
        case .date(let date): zone.firstInstant(of: date)
        }
    }

    /// The day that is written; an instant has its day in UTC.
    var writtenDate: LocalDate {
        switch self {
        case .instant(let instant): WallClock(seconds: instant.milliseconds.floored(by: 1000)).date
        case .local(let date, _), .date(let date): date
        }
    }
}

private func decimal(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for digit in digits {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
        value = value * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return value
}
