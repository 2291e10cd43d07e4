import Foundation
import TestSupport
import Testing
import Timelines

/// Local time is reckoned with Foundation's zones, but with a civil calendar of our own: it agrees with Foundation's.
@Suite("Local time is that of Foundation's Calendar")
struct FoundationCalendarTests {
    @Test(
        "Dates, times and midnights of random instants are the same",
        arguments: [
            "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Pacific/Apia",
            "Asia/Kathmandu", "Africa/Casablanca",
        ])
    func sameAsFoundation(name: String) throws {
        let local = try #require(LocalCalendar(name))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: name))
        var numbers = SplitMix64(seed: 20)
        for _ in 0..<4000 {
            // 1950 to 2060, in whole seconds.
            let instant = Instant(milliseconds: .random(in: -631_152_000...2_840_140_800, using: &numbers) * 1000)
            let date = Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000)
            let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
            let (day, time) = (local.date(at: instant), local.time(at: instant))
            #expect(day.year == parts.year && day.month == parts.month && day.day == parts.day, "\(instant.rfc3339)")
            #expect(
                time.hour == parts.hour && time.minute == parts.minute && time.second == parts.second,
                "\(instant.rfc3339)")
            let midnight = Int64(calendar.startOfDay(for: date).timeIntervalSince1970) * 1000
            #expect(local.firstInstant(of: day).milliseconds == midnight, "\(instant.rfc3339)")
        }
    }
}
