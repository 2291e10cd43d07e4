extension Instant {
    /// The milliseconds of the years 0001 to 9999, which RFC 3339 can write.
    @inlinable
    package static var writable: ClosedRange<Int64> { -62_135_596_800_000...253_402_300_799_999 }

    /// RFC 3339 in UTC, such as `2026-11-20T06:25:00Z`; milliseconds only where they are not zero. Years have four
    /// digits from 0000 to 9999, more beyond.
    public var rfc3339: String {
        String(unsafeUninitializedCapacity: Self.textRoom) { memory in
            memory.baseAddress.map { writeText(to: $0) } ?? 0
        }
    }
}

// MARK: - Reading

extension Instant {
    /// Reads RFC 3339 with `Z` or an offset; `t` and `z` may be small. More than milliseconds is cut off; a leap
    /// second is the first instant of the next minute. The result is `nil` for other texts, for dates and times that
    /// do not exist, and for instants outside the years 0001 to 9999 in UTC.
    public init?(rfc3339 text: some Collection<UInt8>) {
        guard let instant = TextReader.withBytes(of: text, { Instant(rfc3339: $0) }) else { return nil }
        self = instant
    }

    public init?(rfc3339 text: String) {
        self.init(rfc3339: text.utf8)
    }

    package init?(rfc3339 bytes: UnsafeRawBufferPointer) {
        var text = TextReader(bytes)
        guard let date = text.date(), text.skip("T") || text.skip("t"), let time = text.timeOfDay(),
            let offset = text.offset(), text.isAtEnd
        else { return nil }
        let minutes = Int64(date.dayNumber) * 1440 + Int64(time.minutes - offset)
        let isLeapSecond = time.milliseconds >= 60_000
        // RFC 3339 section 5.7: only the last minute of a day, in UTC, can have one.
        if isLeapSecond, minutes - minutes.floored(by: 1440) * 1440 != 1439 { return nil }
        self.init(milliseconds: minutes * 60_000 + Int64(isLeapSecond ? 60_000 : time.milliseconds))
        guard Instant.writable ~= milliseconds else { return nil }
    }
}

extension TextReader {
    /// `06:25:00.123` as minutes of the day and milliseconds of the minute, which reach 60 999 in a leap second.
    fileprivate mutating func timeOfDay() -> (minutes: Int, milliseconds: Int)? {
        guard let hour = number(digits: 2), hour < 24, skip(":"), let minute = number(digits: 2), minute < 60,
            skip(":"), let second = number(digits: 2), second <= 60
        else { return nil }
        var milliseconds = second * 1000
        if skip(".") {
            guard var digit = digit() else { return nil }
            var weight = 100
            while true {
                milliseconds += digit * weight
                weight /= 10
                guard let following = self.digit() else { break }
                digit = following
            }
        }
        return (hour * 60 + minute, milliseconds)
    }

    /// `Z` or `+01:00`, in minutes east of Greenwich.
    fileprivate mutating func offset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let sign = skip("-") ? -1 : 1
        guard sign < 0 || skip("+"), let hours = number(digits: 2), hours < 24, skip(":"),
            let minutes = number(digits: 2), minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
