import Foundation
import TestSupport
import Testing
import Timelines

@Suite("Local time")
struct LocalCalendarTests {
    @Test(
        "Only names of the IANA database are zones, in their exact spelling",
        arguments: [
            "europe/berlin", "GMT+2", "GMT+0200", "UTC+1", "+02:00", "PST", "JST", "Z", "", "SystemV/EST5", "../x",
        ])
    func refusedZones(name: String) {
        #expect(LocalCalendar(name) == nil)
    }

    @Test(
        "Links and zones without an area are zones",
        arguments: ["US/Pacific", "UTC", "Etc/GMT+2", "CET", "Asia/Calcutta"])
    func zones(name: String) {
        #expect(LocalCalendar(name)?.timeZone == name)
    }

    struct Skipped: Sendable {
        var zone, date: String
        var time: LocalTime
        var firstAfter, offsetBefore: String
    }

    @Test(
        "A time that the clocks skip is the first instant after the gap, or for RFC 5545 the offset before it",
        arguments: [
            Skipped(
                zone: "Europe/Berlin", date: "2026-03-29", time: LocalTime(hour: 2, minute: 30),
                firstAfter: "2026-03-29T01:00:00Z", offsetBefore: "2026-03-29T01:30:00Z"),
            Skipped(
                zone: "Europe/Berlin", date: "2026-03-29", time: LocalTime(hour: 2, minute: 0),
                firstAfter: "2026-03-29T01:00:00Z", offsetBefore: "2026-03-29T01:00:00Z"),
            Skipped(
                zone: "America/New_York", date: "2026-03-08", time: LocalTime(hour: 2, minute: 30),
                firstAfter: "2026-03-08T07:00:00Z", offsetBefore: "2026-03-08T07:30:00Z"),
            Skipped(
                zone: "Australia/Lord_Howe", date: "2026-10-04", time: LocalTime(hour: 2, minute: 15),
                firstAfter: "2026-10-03T15:30:00Z", offsetBefore: "2026-10-03T15:45:00Z"),
            Skipped(
                zone: "America/Sao_Paulo", date: "2018-11-04", time: LocalTime(hour: 0, minute: 30),
                firstAfter: "2018-11-04T03:00:00Z", offsetBefore: "2018-11-04T03:30:00Z"),
            Skipped(
                zone: "Pacific/Apia", date: "2011-12-30", time: LocalTime(hour: 12, minute: 0),
                firstAfter: "2011-12-30T10:00:00Z", offsetBefore: "2011-12-30T22:00:00Z"),
            Skipped(
                zone: "Europe/Berlin", date: "2150-06-01", time: LocalTime(hour: 12, minute: 0),
                firstAfter: "2150-06-01T10:00:00Z", offsetBefore: "2150-06-01T10:00:00Z"),
        ])
    func gaps(_ skipped: Skipped) {
        let calendar = zone(skipped.zone)
        let date = on(skipped.date)
        #expect(calendar.instant(of: date, at: skipped.time).rfc3339 == skipped.firstAfter)
        #expect(calendar.instant(of: date, at: skipped.time, inGap: .offsetBefore).rfc3339 == skipped.offsetBefore)
        #expect(calendar.isInGap(date, skipped.time) == (skipped.date != "2150-06-01"))
    }

    @Test(
        "A time that the clocks show twice is taken the first time",
        arguments: [
            ("Europe/Berlin", "2026-10-25", LocalTime(hour: 2, minute: 30), "2026-10-25T00:30:00Z"),
            ("America/New_York", "2026-11-01", LocalTime(hour: 1, minute: 30), "2026-11-01T05:30:00Z"),
            ("Australia/Lord_Howe", "2026-04-05", LocalTime(hour: 1, minute: 45), "2026-04-04T14:45:00Z"),
            ("America/Sao_Paulo", "2018-02-17", LocalTime(hour: 23, minute: 30), "2018-02-18T01:30:00Z"),
            ("America/St_Johns", "2010-11-07", LocalTime(hour: 0, minute: 0), "2010-11-07T02:30:00Z"),
        ])
    func repeatedTimes(name: String, date: String, time: LocalTime, instant: String) {
        for rule in [LocalCalendar.GapRule.firstInstantAfter, .offsetBefore] {
            #expect(zone(name).instant(of: on(date), at: time, inGap: rule).rfc3339 == instant)
        }
        #expect(!zone(name).isInGap(on(date), time))
    }

    @Test("A day without midnight begins with its first instant")
    func noMidnight() {
        let calendar = zone("America/Sao_Paulo")
        let next = calendar.nextDay(after: at("2018-11-04T02:59:59Z"))
        #expect(next == LocalDay(date: on("2018-11-04"), start: at("2018-11-04T03:00:00Z")))
        #expect(calendar.day(at: at("2018-11-04T03:00:00Z")) == next)
        #expect(calendar.nextDay(after: at("2018-11-04T03:00:00Z")).start == at("2018-11-05T02:00:00Z"))
    }

    @Test("In Apia, 31 December 2011 comes after the 29th")
    func missingDay() {
        let calendar = zone("Pacific/Apia")
        let lastMorning = at("2011-12-29T20:00:00Z")
        #expect(calendar.date(at: lastMorning) == on("2011-12-29"))
        #expect(
            calendar.nextDay(after: lastMorning) == LocalDay(date: on("2011-12-31"), start: at("2011-12-30T10:00:00Z")))
        let dayLater = calendar.adding(lasting("P1D"), to: lastMorning)
        #expect(dayLater == at("2011-12-30T20:00:00Z"))
        #expect(calendar.subtracting(lasting("P1D"), from: dayLater) == lastMorning)
        #expect(calendar.adding(lasting("P2D"), to: lastMorning) == at("2011-12-31T20:00:00Z"))
        #expect(calendar.firstInstant(of: on("2011-12-30")) == at("2011-12-30T10:00:00Z"))
    }

    @Test("Where clocks go back over midnight, a day has begun with its first midnight")
    func repeatedMidnight() {
        let calendar = zone("America/St_Johns")
        let day = calendar.day(at: at("2010-11-07T03:00:00Z"))
        #expect(calendar.date(at: at("2010-11-07T03:00:00Z")) == on("2010-11-06"))
        #expect(day == LocalDay(date: on("2010-11-07"), start: at("2010-11-07T02:30:00Z")))
        #expect(calendar.nextDay(after: at("2010-11-07T03:00:00Z")).date == on("2010-11-08"))
    }

    @Test("Days are counted on the wall, the rest elapses")
    func durations() {
        let calendar = zone("Europe/Berlin")
        let noonBefore = at("2026-03-28T11:00:00Z")
        #expect(calendar.adding(lasting("P1D"), to: noonBefore) == at("2026-03-29T10:00:00Z"))
        #expect(calendar.adding(lasting("PT24H"), to: noonBefore) == at("2026-03-29T11:00:00Z"))
        #expect(calendar.adding(lasting("P1DT1H"), to: at("2026-03-28T01:30:00Z")) == at("2026-03-29T02:00:00Z"))
        #expect(calendar.subtracting(lasting("P1DT1H"), from: at("2026-03-30T00:30:00Z")) == at("2026-03-29T00:00:00Z"))
        // 02:30 the second time: without days nothing is taken from the wall.
        #expect(calendar.adding(lasting("PT0S"), to: at("2026-10-25T01:30:00Z")) == at("2026-10-25T01:30:00Z"))
        #expect(calendar.adding(lasting("P1W"), to: Instant(milliseconds: 1_774_695_600_001)).milliseconds % 1000 == 1)
    }

    @Test(
        "Midnights and wall-clock times are those of Foundation's calendar",
        arguments: [
            "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Kathmandu",
            "Africa/Casablanca", "Pacific/Chatham", "UTC",
        ])
    func foundation(name: String) throws {
        var numbers = SplitMix64(seed: 7)
        var reference = Calendar(identifier: .gregorian)
        reference.timeZone = try #require(TimeZone(identifier: name))
        let calendar = zone(name)
        for _ in 0..<2000 {
            let instant = Instant(milliseconds: Int64.random(in: 0..<4_500_000_000, using: &numbers) * 1000)
            let date = Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000)
            let parts = reference.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
            let local = calendar.date(at: instant)
            let time = calendar.time(at: instant)
            #expect([parts.year, parts.month, parts.day] == [local.year, local.month, local.day])
            #expect([parts.hour, parts.minute, parts.second] == [time.hour, time.minute, time.second])
            let start = reference.startOfDay(for: date).timeIntervalSince1970
            #expect(calendar.day(at: instant).start.milliseconds == Int64(start) * 1000)
            #expect(calendar.instant(of: local, at: time) <= instant)
            #expect(calendar.nextDay(after: instant).start > instant)
        }
    }
}
