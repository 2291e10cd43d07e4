extension LocalDate {
    /// The ISO 8601 text, such as `2026-11-20`.
    package var iso8601: String {
        String(unsafeUninitializedCapacity: Self.textRoom) { memory in
            memory.baseAddress.map { writeText(to: $0) } ?? 0
        }
    }

    /// Appends the ISO 8601 text.
    package func write(to bytes: inout [UInt8]) {
        bytes.appendDecimal(year, digits: 4)
        bytes.append(UInt8(ascii: "-"))
        bytes.appendDecimal(month, digits: 2)
        bytes.append(UInt8(ascii: "-"))
        bytes.appendDecimal(day, digits: 2)
    }

    /// Reads `2026-11-20`, in the years 0001 to 9999; `nil` for all other texts and for dates that do not exist.
    package init?(iso8601 text: some Collection<UInt8>) {
        guard let date = TextReader.withBytes(of: text, { LocalDate(iso8601: $0) }) else { return nil }
        self = date
    }

    package init?(iso8601 text: String) {
        self.init(iso8601: text.utf8)
    }

    package init?(iso8601 bytes: UnsafeRawBufferPointer) {
        var text = TextReader(bytes)
        guard let date = text.date(), text.isAtEnd else { return nil }
        self = date
    }
}

extension LocalTime {
    /// Reads `09:30`: 00:00 to 23:59, two digits each.
    package init?(hoursAndMinutes text: String) {
        let time = TextReader.withBytes(of: text.utf8) { bytes -> LocalTime? in
            var text = TextReader(bytes)
            guard let hour = text.number(digits: 2), text.skip(":"), let minute = text.number(digits: 2), text.isAtEnd
            else { return nil }
            return hour < 24 && minute < 60 ? LocalTime(hour: hour, minute: minute) : nil
        }
        guard let time else { return nil }
        self = time
    }

    /// The text, such as `09:30`; seconds are left out.
    package var hoursAndMinutes: String {
        var bytes: [UInt8] = []
        bytes.appendDecimal(hour, digits: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.appendDecimal(minute, digits: 2)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends a number in decimal with leading zeros; more digits where it needs them.
    package mutating func appendDecimal(_ number: Int, digits: Int) {
        if number < 0 { append(UInt8(ascii: "-")) }
        let number = number.magnitude
        var unit: UInt = 1
        for _ in 1..<digits { unit *= 10 }
        while number / unit >= 10 { unit *= 10 }
        while unit > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / unit % 10))
            unit /= 10
        }
    }
}
