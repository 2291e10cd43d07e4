/// A duration as configurations and events write it (`P1DT30M`): local days, which are counted first, then elapsed time
/// (T10). Weeks are seven days.
public struct CalendarDuration: Hashable, Sendable {
    /// The number of local days, not negative.
    public var days: Int
    /// The elapsed time after the days, not negative.
    public var time: ElapsedTime

    /// A duration of days and time, neither negative.
    public init(days: Int = 0, time: ElapsedTime = .zero) {
        self.days = days
        self.time = time
    }

    /// A duration without days.
    public static func minutes(_ minutes: Int64) -> CalendarDuration { CalendarDuration(time: .minutes(minutes)) }

    /// True if there are neither days nor time.
    public var isZero: Bool { days == 0 && time == .zero }

    /// The length with days of 24 hours: for bounds and for comparisons, never for local dates.
    public var nominal: ElapsedTime { .hours(24) * Int64(days) + time }

    /// The days and the time as many times.
    public static func * (left: CalendarDuration, factor: Int) -> CalendarDuration {
        CalendarDuration(days: left.days * factor, time: left.time * Int64(factor))
    }
}

// MARK: - Texts

extension CalendarDuration {
    /// Reads ISO 8601 with weeks, days, hours, minutes and seconds in this order, such as `P1W2DT30M`. Months, years,
    /// signs and fractions are not allowed, and numbers have at most nine digits (T10). The result is `nil` for all
    /// other texts.
    public init?(iso8601 text: String) {
        let duration = TextReader.withBytes(of: text.utf8) { bytes -> CalendarDuration? in
            var text = TextReader(bytes)
            var duration = CalendarDuration()
            guard text.skip("P"), text.parts([("W", 7), ("D", 1)], { duration.days += $0 }) else { return nil }
            if text.skip("T") {
                let units: [(Unicode.Scalar, Int)] = [("H", 3600), ("M", 60), ("S", 1)]
                guard !text.isAtEnd, text.parts(units, { duration.time = duration.time + .seconds(Int64($0)) }) else {
                    return nil
                }
            }
            return text.isAtEnd && bytes.count > 1 ? duration : nil
        }
        guard let duration else { return nil }
        self = duration
    }

    /// The ISO 8601 text: `P1DT30M`. Weeks are written as days; what is less than a second is left out.
    public var iso8601: String {
        var text = days > 0 ? "P\(days)D" : "P"
        let seconds = time.milliseconds / 1000
        let parts = [(seconds / 3600, "H"), (seconds / 60 % 60, "M"), (seconds % 60, "S")].filter { $0.0 > 0 }
        if !parts.isEmpty { text += "T" + parts.map { "\($0.0)\($0.1)" }.joined() }
        return text == "P" ? "PT0S" : text
    }

    /// The duration in English words: "15 minutes", "1 day 2 hours"; "0 seconds" for none. What is less than a second
    /// is left out.
    package var inWords: String {
        let seconds = time.milliseconds / 1000
        let parts = [
            (Int64(days), "day"), (seconds / 3600, "hour"), (seconds / 60 % 60, "minute"), (seconds % 60, "second"),
        ]
        let words = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
        return words.isEmpty ? "0 seconds" : words.joined(separator: " ")
    }
}

extension TextReader {
    /// Numbers with the given units, each at most once and in this order, up to a `T` or the end.
    fileprivate mutating func parts(_ units: [(unit: Unicode.Scalar, factor: Int)], _ add: (Int) -> Void) -> Bool {
        var units = units[...]
        while !isAtEnd, next != UInt8(ascii: "T") {
            guard let number = number(upToDigits: 9), let next,
                let index = units.firstIndex(where: { UInt8(ascii: $0.unit) == next })
            else { return false }
            _ = skip(units[index].unit)
            add(number * units[index].factor)
            units = units[(index + 1)...]
        }
        return true
    }
}
