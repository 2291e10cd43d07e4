import Testing
import Times

@Suite("Instants and dates as text")
struct TextTests {
    @Test(
        "An instant is written in UTC, with milliseconds only where they are not zero",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1, "1970-01-01T00:00:00.001Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"), (1_795_155_900_120, "2026-11-20T06:25:00.120Z"),
            (-62_135_596_800_000, "0001-01-01T00:00:00Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func writtenInstants(milliseconds: Int64, text: String) {
        #expect(Instant(milliseconds: milliseconds).rfc3339 == text)
        #expect(Instant(rfc3339: text)?.milliseconds == milliseconds)
    }

    @Test(
        "Offsets, fractions, small letters and leap seconds are read",
        arguments: [
            ("2026-11-20T07:25:00+01:00", "2026-11-20T06:25:00Z"),
            ("2026-11-19T22:55:00-07:30", "2026-11-20T06:25:00Z"),
            ("2026-11-20t06:25:00.5z", "2026-11-20T06:25:00.500Z"),
            ("2026-11-20T06:25:00.1239999999999Z", "2026-11-20T06:25:00.123Z"),
            ("2026-11-20T06:25:00.000Z", "2026-11-20T06:25:00Z"),
            ("1960-01-01T00:00:00.25-00:00", "1960-01-01T00:00:00.250Z"),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
            ("2017-01-01T05:29:60.7+05:30", "2017-01-01T00:00:00Z"),
            ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"),
        ])
    func readInstants(text: String, same: String) {
        #expect(Instant(rfc3339: text)?.rfc3339 == same)
        #expect(Instant(rfc3339: AnyCollection(text.utf8))?.rfc3339 == same)
    }

    @Test(
        "What is no instant is refused",
        arguments: [
            "", "2026-11-20", "2026-11-20T06:25:00", "2026-11-20 06:25:00Z", "2026-11-20T06:25Z",
            "2026-02-29T00:00:00Z",
            "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
            "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z",
            "2026-01-01T12:00:60Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+01:60",
            "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00Zz", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01", "+026-01-01T00:00:00Z", "9999-12-31T23:59:60Z",
        ])
    func refusedInstants(text: String) {
        #expect(Instant(rfc3339: text) == nil)
    }

    @Test("Every day of 400 years is its own date, and the next one follows it")
    func dayNumbers() {
        var last = LocalDate(dayNumber: -200_000)
        for number in -199_999...(-199_999 + 146_097) {
            let date = LocalDate(dayNumber: number)
            #expect(date.dayNumber == number && date.isValid)
            let isNextDay = date.day == last.day + 1 && date.month == last.month
            let isNextMonth = date.day == 1 && (date.month == last.month + 1 || date.month == 1 && last.month == 12)
            #expect(date > last && (isNextDay || isNextMonth))
            last = date
        }
        #expect(LocalDate(dayNumber: 0) == LocalDate(year: 1970, month: 1, day: 1))
        #expect(LocalDate(iso8601: "2000-03-01")?.dayNumber == 11_017)
    }

    @Test("Dates are read and written in ISO 8601, and only those that exist")
    func dates() {
        #expect(LocalDate(iso8601: "2026-11-20") == LocalDate(year: 2026, month: 11, day: 20))
        #expect(LocalDate(iso8601: "0009-01-02")?.iso8601 == "0009-01-02")
        for text in ["", "2026-11-31", "2023-02-29", "2026-1-1", "20261120", "2026-11-20T", "0000-01-01"] {
            #expect(LocalDate(iso8601: text) == nil, "\(text)")
        }
    }

    @Test("Times of day are read and written in hours and minutes")
    func timesOfDay() {
        #expect(LocalTime(hoursAndMinutes: "09:30") == LocalTime(hour: 9, minute: 30))
        #expect(LocalTime(hour: 9, minute: 5, second: 59).hoursAndMinutes == "09:05")
        for text in ["", "9:30", "09:3", "24:00", "09:60", "09:30:00", "09.30", "-9:30"] {
            #expect(LocalTime(hoursAndMinutes: text) == nil, "\(text)")
        }
    }

    @Test(
        "A duration becomes whole milliseconds, and elapsed time a duration",
        arguments: [
            (.milliseconds(1500), 1500), (.microseconds(1999), 1), (.microseconds(-1999), -1), (.seconds(-2), -2000),
            (.zero, 0), (.nanoseconds(999_999), 0),
        ] as [(Duration, Int64)])
    func durations(duration: Duration, milliseconds: Int64) {
        let elapsed = ElapsedTime(duration)
        #expect(elapsed.milliseconds == milliseconds)
        #expect(Duration(elapsed) == .milliseconds(milliseconds))
    }
}
