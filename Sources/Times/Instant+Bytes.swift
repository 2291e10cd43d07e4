// The texts of instants and dates, written where they go: an output has many of them.

extension Instant {
    /// The most bytes that `writeText(to:)` writes.
    package static let textRoom = LocalDate.textRoom + 14

    /// Writes the text of `rfc3339`, at most `textRoom` bytes, and returns the number of its bytes.
    package func writeText(to start: UnsafeMutablePointer<UInt8>) -> Int {
        let days = milliseconds.floored(by: Instant.millisecondsOfDay)
        let ofDay = milliseconds - days * Instant.millisecondsOfDay
        let date = LocalDate(dayNumber: Int(days))
        let time = start + date.writeText(to: start)
        let (seconds, fraction) = Int(ofDay).quotientAndRemainder(dividingBy: 1000)
        time[0] = UInt8(ascii: "T")
        (time + 1).writeTwoDigits(seconds / 3600)
        time[3] = UInt8(ascii: ":")
        (time + 4).writeTwoDigits(seconds / 60 % 60)
        time[6] = UInt8(ascii: ":")
        (time + 7).writeTwoDigits(seconds % 60)
        var end = time + 9
        if fraction != 0 {
            end[0] = UInt8(ascii: ".")
            end[1] = UInt8(ascii: "0") + UInt8(fraction / 100)
            (end + 2).writeTwoDigits(fraction % 100)
            end += 4
        }
        end[0] = UInt8(ascii: "Z")
        return end - start + 1
    }

    /// The text of `rfc3339` as bytes.
    package var text: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.textRoom) { memory, count in
            count = memory.baseAddress.map { writeText(to: $0) } ?? 0
        }
    }
}

extension LocalDate {
    /// The most bytes that `writeText(to:)` writes.
    package static let textRoom = 32

    /// Writes the text of `iso8601`, at most `textRoom` bytes, and returns the number of its bytes.
    package func writeText(to start: UnsafeMutablePointer<UInt8>) -> Int {
        guard 0...9999 ~= year else {
            var text: [UInt8] = []
            write(to: &text)
            precondition(text.count <= Self.textRoom)
            start.update(from: text, count: text.count)
            return text.count
        }
        start.writeTwoDigits(year / 100)
        (start + 2).writeTwoDigits(year % 100)
        start[4] = UInt8(ascii: "-")
        (start + 5).writeTwoDigits(month)
        start[7] = UInt8(ascii: "-")
        (start + 8).writeTwoDigits(day)
        return 10
    }
}

extension UnsafeMutablePointer<UInt8> {
    fileprivate func writeTwoDigits(_ number: Int) {
        self[0] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10)
        self[1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
    }
}
