extension Duration {
    /// Reads an ISO 8601 duration of weeks, days, hours, minutes and seconds, such as `PT30M` or `P1DT12H`.
    ///
    /// A day is 24 hours, a week seven days. `nil` for anything else: months, years, signs, fractions, lower case, a
    /// unit twice or out of order, a `T` without a time, or more than a hundred thousand years.
    package init?(iso8601 text: String) {
        var rest = text.utf8[...]
        guard rest.popFirst() == UInt8(ascii: "P") else { return nil }
        var units = Self.dateUnits[...]
        var isTime = false
        var total = 0
        var isEmpty = true
        while let first = rest.first {
            if first == UInt8(ascii: "T"), !isTime {
                rest = rest.dropFirst()
                units = Self.timeUnits[...]
                isTime = true
                isEmpty = true
                continue
            }
            var number = 0
            var digits = 0
            while let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                number = number * 10 + Int(byte - UInt8(ascii: "0"))
                digits += 1
                rest = rest.dropFirst()
                guard digits <= 12 else { return nil }
            }
            guard digits > 0, let letter = rest.popFirst(),
                let unit = units.firstIndex(where: { $0.letter == letter })
            else { return nil }
            total += number * units[unit].seconds
            guard total <= Self.longest else { return nil }
            units = units[(unit + 1)...]
            isEmpty = false
        }
        guard !isEmpty else { return nil }
        self = .seconds(total)
    }

    /// The duration in the form that ``init(iso8601:)`` reads. What is below a second is left out.
    package var iso8601: String {
        var rest = Int(components.seconds)
        precondition(rest >= 0, "A setting's duration is not negative.")
        var result = "P"
        if rest >= 86_400 {
            result += "\(rest / 86_400)D"
            rest %= 86_400
        }
        guard rest > 0 || result == "P" else { return result }
        result += "T"
        if rest == 0 { return result + "0S" }
        for (letter, seconds) in Self.timeUnits where rest >= seconds {
            result += "\(rest / seconds)\(Character(Unicode.Scalar(letter)))"
            rest %= seconds
        }
        return result
    }

    private static let longest = 100_000 * 366 * 86_400

    private static var dateUnits: [(letter: UInt8, seconds: Int)] {
        [(UInt8(ascii: "W"), 604_800), (UInt8(ascii: "D"), 86_400)]
    }

    private static var timeUnits: [(letter: UInt8, seconds: Int)] {
        [(UInt8(ascii: "H"), 3600), (UInt8(ascii: "M"), 60), (UInt8(ascii: "S"), 1)]
    }
}
