// The texts of instants and dates, written where they go: an output has many of them.

extension Instant {
    /// The most bytes that `writeText(to:)` writes.
    package static let textRoom = LocalDate.textRoom + 14

    /// Writes the text of `rfc3339`, at most `textRoom` bytes, and returns the number of its bytes.
    package func writeText(to start: UnsafeMutablePointer<UInt8>) -> Int {
        let days = milliseconds.floored(by: Instant.millisecondsOfDay)
        let ofDay = milliseconds - days * Instant.millisecondsOfDay
        let date = LocalDate(dayNumber: Int(days))
        return Self.writeTime(ofDay, to: start + date.writeText(to: start)) - start
    }

    /// The same with a day at hand that was written before: most instants of an output are of few days.
    ///
    /// - Parameter day: becomes this instant's.
    package func writeText(to start: UnsafeMutablePointer<UInt8>, _ day: inout DayText) -> Int {
        let days = milliseconds.floored(by: Instant.millisecondsOfDay)
        if day.number != days { day = DayText(days) }
        let ofDay = milliseconds - days * Instant.millisecondsOfDay
        return Self.writeTime(ofDay, to: day.write(to: start)) - start
    }

    /// Writes the text behind that of the day, and returns its end.
    private static func writeTime(
        _ ofDay: Int64, to time: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
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
        return end + 1
    }

    /// The text of `rfc3339` as bytes.
    package var text: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.textRoom) { memory, count in
            count = memory.baseAddress.map { writeText(to: $0) } ?? 0
        }
    }
}

/// The text of a day, for whoever writes many instants.
package struct DayText: Sendable {
    /// Days since 1970-01-01.
    fileprivate var number: Int64
    /// The ten bytes of a year of four digits.
    private var bytes: (UInt64, UInt16) = (0, 0)
    private var hasBytes = false

    /// A day that no instant is of.
    package init() { number = .min }

    fileprivate init(_ number: Int64) {
        self.number = number
        let date = LocalDate(dayNumber: Int(number))
        guard 0...9999 ~= date.year else { return }
        hasBytes = true
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: LocalDate.textRoom) { room in
            guard let start = room.baseAddress else { return }
            _ = date.writeText(to: start)
            let text = UnsafeRawPointer(start)
            bytes = (text.loadUnaligned(as: UInt64.self), text.loadUnaligned(fromByteOffset: 8, as: UInt16.self))
        }
    }

    /// - Returns: the end of what was written.
    fileprivate func write(to start: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        guard hasBytes else { return start + LocalDate(dayNumber: Int(number)).writeText(to: start) }
        let text = UnsafeMutableRawPointer(start)
        text.storeBytes(of: bytes.0, as: UInt64.self)
        text.storeBytes(of: bytes.1, toByteOffset: 8, as: UInt16.self)
        return start + 10
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
