import TestSupport
import Testing
import Timelines

@Suite("Local time: times of day where the clocks change")
struct LocalTimeOfDayTests {
    @Test("The clocks change at the instant of the tz database", arguments: LocalTimeChange.allCases)
    func clocks(_ change: LocalTimeChange) {
        let before = change.instant - .minutes(1)
        #expect(WallTime(at: before, in: change.calendar) == WallTime(change.change.lastMinute))
        #expect(WallTime(at: change.instant, in: change.calendar) == WallTime(change.change.first))
    }

    @Test("A time of day that a gap skips is taken at the first instant after it", arguments: LocalTimeChange.forward)
    func skipped(_ change: LocalTimeChange) {
        let rows = change.timesOfDay.compactMap(\.skipped)
        #expect(rows.count == 2)
        for row in rows {
            let wall = WallTime(row.wall)
            #expect(change.calendar.instant(of: wall.date, at: wall.time).rfc3339 == row.firstAfter, "\(row.wall)")
        }
    }

    @Test("timesOfDay ticks where its times are, and once a day", arguments: LocalTimeChange.allCases)
    func ticks(_ change: LocalTimeChange) throws {
        // A date that does not exist has no times of day.
        let rows = change.timesOfDay.filter { row in change.days.contains { $0.date == WallTime(row.wall).date } }
        #expect(rows.count >= 2)
        for row in rows {
            let instant = at(row.instant)
            let before = try ticks(change, at: instant - .minutes(1), times: [String(row.wall.suffix(5))])
            #expect(before.prefix(2) == [instant - .minutes(1), instant], "\(row.wall)")
            let after = try ticks(change, at: instant, times: [String(row.wall.suffix(5))])
            #expect(after.count == 2 && after[1] >= instant + .hours(22), "\(row.wall)")
        }
    }

    @Test("timesOfDay leaves out the times of a date that does not exist")
    func missingDay() throws {
        let ticks = try ticks(.apiaDateLine, at: at("2011-12-29T21:00:00Z"), times: ["12:00"])
        #expect(ticks.map(\.rfc3339) == ["2011-12-29T21:00:00Z", "2011-12-29T22:00:00Z", "2011-12-30T22:00:00Z"])
    }

    @Test("The start or end of an event in a gap has the offset before it", arguments: LocalTimeChange.forward)
    func offsetBefore(_ change: LocalTimeChange) {
        for row in change.timesOfDay.compactMap(\.skipped) {
            let wall = WallTime(row.wall)
            let instant = change.calendar.instant(of: wall.date, at: wall.time, inGap: .offsetBefore)
            #expect(instant.rfc3339 == row.offsetBefore, "\(row.wall)")
        }
    }

    @Test("A time of day that occurs twice is taken the first time", arguments: LocalTimeChange.back)
    func twice(_ change: LocalTimeChange) {
        let rows = change.timesOfDay.compactMap(\.twice)
        #expect(rows.count == 2)
        for row in rows {
            let wall = WallTime(row.wall)
            for rule in [LocalCalendar.GapRule.firstInstantAfter, .offsetBefore] {
                let instant = change.calendar.instant(of: wall.date, at: wall.time, inGap: rule)
                #expect(instant.rfc3339 == row.first, "\(row.wall)")
            }
            #expect(WallTime(at: at(row.second), in: change.calendar) == wall)
        }
    }

    @Test("A time of day just before and just after a change occurs once", arguments: LocalTimeChange.allCases)
    func once(_ change: LocalTimeChange) {
        let rows = change.timesOfDay.compactMap(\.once)
        #expect(rows.count == 2)
        for row in rows {
            let wall = WallTime(row.wall)
            for rule in [LocalCalendar.GapRule.firstInstantAfter, .offsetBefore] {
                let instant = change.calendar.instant(of: wall.date, at: wall.time, inGap: rule)
                #expect(instant.rfc3339 == row.instant, "\(row.wall)")
            }
            #expect(WallTime(at: at(row.instant), in: change.calendar) == wall)
        }
    }

    @Test(
        "An instance of a rule does not exist at a time that a gap skips, and at no other",
        arguments: LocalTimeChange.allCases)
    func gaps(_ change: LocalTimeChange) {
        for row in change.timesOfDay {
            let wall = WallTime(row.wall)
            #expect(change.calendar.isInGap(wall.date, wall.time) == (row.skipped != nil), "\(row.wall)")
        }
    }

    @Test("An end that a gap puts before its start means no length", arguments: LocalTimeChange.forward)
    func noLength(_ change: LocalTimeChange) throws {
        // From the middle of the gap, with the offset before it, to the first time after it.
        let start = try at(#require(change.timesOfDay[2].skipped).offsetBefore)
        let end = try at(#require(change.timesOfDay[3].once).instant)
        #expect(end < start)
        let interval = change.calendar.interval(of: .timed(start: start, end: end))
        #expect(interval.start == start && interval.end == start)
        let timeline = try change.timeline(of: [timed("night", start.rfc3339, end.rfc3339)], at: start)
        #expect(timeline.entries[0].phase == .start && timeline.entries[0].date == start)
        #expect(timeline.entries[0].relevance?.duration == 0 && timeline.entries[0].ongoing == [])
        #expect(!timeline.entries.contains { $0.phase == .end })
    }

    private func ticks(_ change: LocalTimeChange, at instant: Instant, times: [String]) throws -> [Instant] {
        let strategy = try TimelineStrategies.strategy(
            named: "timesOfDay", options: options([("times", .array(times.map { .string($0) }))]))
        let used = configuration(strategy, timeZone: change.zoneName)
        return TimelineProvider.timeline(for: TimelineRequest(configuration: used, at: instant)).entries.map(\.date)
    }
}

/// What the clocks show around a change, and when.
enum TimeOfDayRow: Sendable {
    case once(_ wall: String, _ instant: String)
    case skipped(_ wall: String, firstAfter: String, offsetBefore: String)
    case twice(_ wall: String, first: String, second: String)

    var wall: String {
        switch self {
        case .once(let wall, _), .skipped(let wall, _, _), .twice(let wall, _, _): wall
        }
    }

    /// When it is for a time of day.
    var instant: String {
        switch self {
        case .once(_, let instant), .skipped(_, let instant, _), .twice(_, let instant, _): instant
        }
    }

    var once: (wall: String, instant: String)? {
        if case .once(let wall, let instant) = self { (wall, instant) } else { nil }
    }

    var skipped: (wall: String, firstAfter: String, offsetBefore: String)? {
        if case .skipped(let wall, let firstAfter, let offsetBefore) = self {
            (wall, firstAfter, offsetBefore)
        } else {
            nil
        }
    }

    var twice: (wall: String, first: String, second: String)? {
        if case .twice(let wall, let first, let second) = self { (wall, first, second) } else { nil }
    }
}

extension LocalTimeChange {
    /// The last minute before what is skipped or shown twice, its beginning, its middle, and the first time after it.
    var timesOfDay: [TimeOfDayRow] {
        switch self {
        case .berlinForward:
            [
                .once("2026-03-29 01:59", "2026-03-29T00:59:00Z"),
                .skipped("2026-03-29 02:00", firstAfter: "2026-03-29T01:00:00Z", offsetBefore: "2026-03-29T01:00:00Z"),
                .skipped("2026-03-29 02:30", firstAfter: "2026-03-29T01:00:00Z", offsetBefore: "2026-03-29T01:30:00Z"),
                .once("2026-03-29 03:00", "2026-03-29T01:00:00Z"),
            ]
        case .berlinBack:
            [
                .once("2026-10-25 01:59", "2026-10-24T23:59:00Z"),
                .twice("2026-10-25 02:00", first: "2026-10-25T00:00:00Z", second: "2026-10-25T01:00:00Z"),
                .twice("2026-10-25 02:30", first: "2026-10-25T00:30:00Z", second: "2026-10-25T01:30:00Z"),
                .once("2026-10-25 03:00", "2026-10-25T02:00:00Z"),
            ]
        case .newYorkForward:
            [
                .once("2026-03-08 01:59", "2026-03-08T06:59:00Z"),
                .skipped("2026-03-08 02:00", firstAfter: "2026-03-08T07:00:00Z", offsetBefore: "2026-03-08T07:00:00Z"),
                .skipped("2026-03-08 02:30", firstAfter: "2026-03-08T07:00:00Z", offsetBefore: "2026-03-08T07:30:00Z"),
                .once("2026-03-08 03:00", "2026-03-08T07:00:00Z"),
            ]
        case .newYorkBack:
            [
                .once("2026-11-01 00:59", "2026-11-01T04:59:00Z"),
                .twice("2026-11-01 01:00", first: "2026-11-01T05:00:00Z", second: "2026-11-01T06:00:00Z"),
                .twice("2026-11-01 01:30", first: "2026-11-01T05:30:00Z", second: "2026-11-01T06:30:00Z"),
                .once("2026-11-01 02:00", "2026-11-01T07:00:00Z"),
            ]
        case .lordHoweForward:
            [
                .once("2026-10-04 01:59", "2026-10-03T15:29:00Z"),
                .skipped("2026-10-04 02:00", firstAfter: "2026-10-03T15:30:00Z", offsetBefore: "2026-10-03T15:30:00Z"),
                .skipped("2026-10-04 02:15", firstAfter: "2026-10-03T15:30:00Z", offsetBefore: "2026-10-03T15:45:00Z"),
                .once("2026-10-04 02:30", "2026-10-03T15:30:00Z"),
            ]
        case .lordHoweBack:
            [
                .once("2026-04-05 01:29", "2026-04-04T14:29:00Z"),
                .twice("2026-04-05 01:30", first: "2026-04-04T14:30:00Z", second: "2026-04-04T15:00:00Z"),
                .twice("2026-04-05 01:45", first: "2026-04-04T14:45:00Z", second: "2026-04-04T15:15:00Z"),
                .once("2026-04-05 02:00", "2026-04-04T15:30:00Z"),
            ]
        case .saoPauloForward:
            [
                .once("2018-11-03 23:59", "2018-11-04T02:59:00Z"),
                .skipped("2018-11-04 00:00", firstAfter: "2018-11-04T03:00:00Z", offsetBefore: "2018-11-04T03:00:00Z"),
                .skipped("2018-11-04 00:30", firstAfter: "2018-11-04T03:00:00Z", offsetBefore: "2018-11-04T03:30:00Z"),
                .once("2018-11-04 01:00", "2018-11-04T03:00:00Z"),
            ]
        case .saoPauloBack:
            [
                .once("2018-02-17 22:59", "2018-02-18T00:59:00Z"),
                .twice("2018-02-17 23:00", first: "2018-02-18T01:00:00Z", second: "2018-02-18T02:00:00Z"),
                .twice("2018-02-17 23:30", first: "2018-02-18T01:30:00Z", second: "2018-02-18T02:30:00Z"),
                .once("2018-02-18 00:00", "2018-02-18T03:00:00Z"),
            ]
        case .apiaForward:
            [
                .once("2011-09-24 02:59", "2011-09-24T13:59:00Z"),
                .skipped("2011-09-24 03:00", firstAfter: "2011-09-24T14:00:00Z", offsetBefore: "2011-09-24T14:00:00Z"),
                .skipped("2011-09-24 03:30", firstAfter: "2011-09-24T14:00:00Z", offsetBefore: "2011-09-24T14:30:00Z"),
                .once("2011-09-24 04:00", "2011-09-24T14:00:00Z"),
            ]
        case .apiaBack:
            [
                .once("2011-04-02 02:59", "2011-04-02T12:59:00Z"),
                .twice("2011-04-02 03:00", first: "2011-04-02T13:00:00Z", second: "2011-04-02T14:00:00Z"),
                .twice("2011-04-02 03:30", first: "2011-04-02T13:30:00Z", second: "2011-04-02T14:30:00Z"),
                .once("2011-04-02 04:00", "2011-04-02T15:00:00Z"),
            ]
        case .apiaDateLine:
            [
                .once("2011-12-29 23:59", "2011-12-30T09:59:00Z"),
                .skipped("2011-12-30 00:00", firstAfter: "2011-12-30T10:00:00Z", offsetBefore: "2011-12-30T10:00:00Z"),
                .skipped("2011-12-30 12:00", firstAfter: "2011-12-30T10:00:00Z", offsetBefore: "2011-12-30T22:00:00Z"),
                .once("2011-12-31 00:00", "2011-12-30T10:00:00Z"),
            ]
        }
    }
}
