extension LocalTime {
    /// Reads `09:30`: 00:00 to 23:59, two digits each.
    package init?(hoursAndMinutes text: String) {
        let time = withBytes(of: text.utf8) { bytes -> LocalTime? in
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
