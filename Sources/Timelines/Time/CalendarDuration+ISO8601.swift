extension CalendarDuration {
    /// Reads ISO 8601 with weeks, days, hours, minutes and seconds in this order, such as `P1W2DT30M`; no months,
    /// years, signs or fractions (T10). Numbers have at most nine digits.
    public init?(iso8601 text: some Collection<UInt8>) {
        guard let duration = TextReader.withBytes(of: text, { CalendarDuration(iso8601: $0) }) else { return nil }
        self = duration
    }

    public init?(iso8601 text: String) {
        self.init(iso8601: text.utf8)
    }

    public init?(iso8601 bytes: UnsafeRawBufferPointer) {
        var text = TextReader(bytes)
        var duration = CalendarDuration()
        guard text.skip("P"), text.parts([("W", 7), ("D", 1)], { duration.days += $0 }) else { return nil }
        if text.skip("T") {
            guard !text.isAtEnd,
                text.parts([("H", 3600), ("M", 60), ("S", 1)], { duration.time = duration.time + .seconds(Int64($0)) })
            else { return nil }
        }
        guard text.isAtEnd, bytes.count > 1 else { return nil }
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

    public static func * (left: CalendarDuration, factor: Int) -> CalendarDuration {
        CalendarDuration(days: left.days * factor, time: left.time * Int64(factor))
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
