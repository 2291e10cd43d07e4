import TestSupport
import Testing
import Timelines

@Suite("Local time: days where the clocks change")
struct LocalTimeDaysTests {
    @Test(
        "Midnights are local; one that a gap skips is the first instant after it", arguments: LocalTimeChange.allCases)
    func midnights(_ change: LocalTimeChange) {
        for day in change.days {
            #expect(change.calendar.firstInstant(of: day.date) == day.start, "\(day.date.iso8601)")
        }
    }

    @Test("A local day lasts from its midnight to the next", arguments: LocalTimeChange.allCases)
    func today(_ change: LocalTimeChange) {
        for (day, next) in zip(change.days, change.days.dropFirst()) {
            for instant in [day.start, day.start + .hours(12), next.start - .milliseconds(1)] {
                #expect(change.calendar.day(at: instant) == day, "\(instant.rfc3339)")
            }
        }
        for instant in [change.instant - .milliseconds(1), change.instant, change.instant + .hours(1)] {
            #expect(change.calendar.day(at: instant) == change.today(at: instant), "\(instant.rfc3339)")
        }
        #expect(change.days[2].start - change.days[1].start == .minutes(change.minutesOfDay))
    }

    @Test("Tomorrow is the local date of the next local midnight", arguments: LocalTimeChange.allCases)
    func tomorrow(_ change: LocalTimeChange) {
        for (day, next) in zip(change.days, change.days.dropFirst()) {
            #expect(change.calendar.day(after: day) == next)
            for instant in [day.start, day.start + .hours(12), next.start - .milliseconds(1)] {
                #expect(change.calendar.nextDay(after: instant) == next, "\(instant.rfc3339)")
            }
        }
    }

    @Test("The window goes from today's midnight over local days", arguments: LocalTimeChange.allCases)
    func windows(_ change: LocalTimeChange) {
        let starts = change.days.map(\.start)
        for instant in [starts[0], starts[1] - .milliseconds(1)] {
            let window = AgendaWindow(at: instant, days: 3, preEventLead: .minutes(30), in: change.calendar)
            #expect(window.midnights == Array(starts[0..<3]) && window.end == starts[3])
            #expect(window.begin == starts[0] && window.nextMidnight == starts[1])
        }
        for instant in [starts[1], starts[2] - .milliseconds(1)] {
            let window = AgendaWindow(at: instant, days: 1, preEventLead: .minutes(30), in: change.calendar)
            #expect(window.midnights == [starts[1]] && window.end == starts[2] && window.nextMidnight == starts[2])
        }
    }

    @Test(
        "What ends after the window's first midnight and is announced before its end is in",
        arguments: LocalTimeChange.allCases)
    func windowEdges(_ change: LocalTimeChange) {
        let (begin, end) = (change.days[1].start, change.days[2].start)
        let window = AgendaWindow(at: begin, days: 1, preEventLead: .minutes(30), in: change.calendar)
        let includes = { (start: Instant, end: Instant) in
            window.includes(timed("e", start.rfc3339, end.rfc3339))
        }
        #expect(!includes(begin - .hours(2), begin))
        #expect(includes(begin - .hours(2), begin + .milliseconds(1)))
        #expect(includes(begin, begin) && !includes(begin - .milliseconds(1), begin - .milliseconds(1)))
        #expect(includes(end + .minutes(30) - .milliseconds(1), end + .hours(1)))
        #expect(!includes(end + .minutes(30), end + .hours(1)))
        #expect(window.includes(allDay("d", change.days[1].date.iso8601, change.days[2].date.iso8601)))
        #expect(!window.includes(allDay("d", change.days[0].date.iso8601, change.days[1].date.iso8601)))
        #expect(!window.includes(allDay("d", change.days[2].date.iso8601, change.days[3].date.iso8601)))
    }

    @Test("events has a day entry at each midnight and is made again at the next", arguments: LocalTimeChange.allCases)
    func dayEntries(_ change: LocalTimeChange) throws {
        for (index, day) in change.days.prefix(2).enumerated() {
            let next = change.days[index + 1].start
            for instant in [day.start, day.start + .hours(12), next - .milliseconds(1)] {
                let timeline = try change.timeline(of: [], at: instant)
                #expect(lines(timeline) == ["\(day.start.rfc3339) day", "\(next.rfc3339) day"])
                #expect(timeline.policy == .after(next) && timeline.nextUpdate == next)
            }
        }
    }

    @Test("An all-day occurrence lasts from local midnight to local midnight", arguments: LocalTimeChange.allCases)
    func allDays(_ change: LocalTimeChange) throws {
        let days = change.days
        let day = allDay("fair", days[1].date.iso8601, days[2].date.iso8601)
        #expect(change.calendar.interval(of: day.when) == (days[1].start, days[2].start))
        let timeline = try change.timeline(of: [day], at: days[0].start)
        #expect(
            lines(timeline) == [
                "\(days[0].start.rfc3339) day", "\(days[1].start.rfc3339) start fair",
                "\(days[2].start.rfc3339) end fair",
            ])
        #expect(timeline.entries[1].relevance?.duration == change.minutesOfDay * 60)
        let three = allDay("fair", days[0].date.iso8601, days[3].date.iso8601)
        #expect(change.calendar.interval(of: three.when) == (days[0].start, days[3].start))
    }

    @Test(
        "An all-day occurrence is announced a lead, in local days, before its start",
        arguments: LocalTimeChange.allCases)
    func allDayLeads(_ change: LocalTimeChange) throws {
        let (before, day, after) = (change.days[0], change.days[1], change.days[2])
        // A day without midnight starts at one o'clock, and so it is one o'clock a local day before that.
        let dayBefore = change == .saoPauloForward ? at("2018-11-03T04:00:00Z") : before.start
        for (lead, announced) in [("P1D", dayBefore), ("PT1H", day.start - .hours(1))] {
            let fair = allDay("fair", day.date.iso8601, after.date.iso8601, lead: lead)
            let entry = try #require(try change.timeline(of: [fair], at: announced).entries.first)
            #expect(entry.phase == .preEvent && entry.date == announced, "\(lead)")
        }
        let fair = allDay("fair", after.date.iso8601, change.days[3].date.iso8601, lead: "P1D")
        let entry = try #require(try change.timeline(of: [fair], at: day.start).entries.first)
        #expect(entry.phase == .preEvent && entry.date == day.start)
    }

    @Test("A date that a zone leaves out begins and ends with the day after it")
    func missingDay() throws {
        let change = LocalTimeChange.apiaDateLine
        let next = change.days[1]
        #expect(change.calendar.firstInstant(of: on("2011-12-30")) == next.start)
        #expect(
            change.calendar.interval(of: allDay("lost", "2011-12-30", "2011-12-31").when) == (next.start, next.start))
        let spanning = allDay("party", "2011-12-29", "2011-12-31")
        #expect(change.calendar.interval(of: spanning.when) == (change.days[0].start, next.start))
        let announced = allDay("lost", "2011-12-30", "2011-12-31", lead: "P1D")
        let timeline = try change.timeline(of: [announced], at: change.days[0].start)
        #expect(
            lines(timeline) == ["2011-12-29T10:00:00Z preEvent lost", "2011-12-30T10:00:00Z start lost"])
    }
}

extension LocalTimeChange {
    /// The local days around the change, the one before it first; the second one is the day of the change.
    var days: [LocalDay] {
        switch self {
        case .berlinForward:
            [
                day("2026-03-28", from: "2026-03-27T23:00:00Z"),
                day("2026-03-29", from: "2026-03-28T23:00:00Z"),
                day("2026-03-30", from: "2026-03-29T22:00:00Z"),
                day("2026-03-31", from: "2026-03-30T22:00:00Z"),
            ]
        case .berlinBack:
            [
                day("2026-10-24", from: "2026-10-23T22:00:00Z"),
                day("2026-10-25", from: "2026-10-24T22:00:00Z"),
                day("2026-10-26", from: "2026-10-25T23:00:00Z"),
                day("2026-10-27", from: "2026-10-26T23:00:00Z"),
            ]
        case .newYorkForward:
            [
                day("2026-03-07", from: "2026-03-07T05:00:00Z"),
                day("2026-03-08", from: "2026-03-08T05:00:00Z"),
                day("2026-03-09", from: "2026-03-09T04:00:00Z"),
                day("2026-03-10", from: "2026-03-10T04:00:00Z"),
            ]
        case .newYorkBack:
            [
                day("2026-10-31", from: "2026-10-31T04:00:00Z"),
                day("2026-11-01", from: "2026-11-01T04:00:00Z"),
                day("2026-11-02", from: "2026-11-02T05:00:00Z"),
                day("2026-11-03", from: "2026-11-03T05:00:00Z"),
            ]
        case .lordHoweForward:
            [
                day("2026-10-03", from: "2026-10-02T13:30:00Z"),
                day("2026-10-04", from: "2026-10-03T13:30:00Z"),
                day("2026-10-05", from: "2026-10-04T13:00:00Z"),
                day("2026-10-06", from: "2026-10-05T13:00:00Z"),
            ]
        case .lordHoweBack:
            [
                day("2026-04-04", from: "2026-04-03T13:00:00Z"),
                day("2026-04-05", from: "2026-04-04T13:00:00Z"),
                day("2026-04-06", from: "2026-04-05T13:30:00Z"),
                day("2026-04-07", from: "2026-04-06T13:30:00Z"),
            ]
        case .saoPauloForward:
            [
                day("2018-11-03", from: "2018-11-03T03:00:00Z"),
                day("2018-11-04", from: "2018-11-04T03:00:00Z"),
                day("2018-11-05", from: "2018-11-05T02:00:00Z"),
                day("2018-11-06", from: "2018-11-06T02:00:00Z"),
            ]
        case .saoPauloBack:
            [
                day("2018-02-16", from: "2018-02-16T02:00:00Z"),
                day("2018-02-17", from: "2018-02-17T02:00:00Z"),
                day("2018-02-18", from: "2018-02-18T03:00:00Z"),
                day("2018-02-19", from: "2018-02-19T03:00:00Z"),
            ]
        case .apiaForward:
            [
                day("2011-09-23", from: "2011-09-23T11:00:00Z"),
                day("2011-09-24", from: "2011-09-24T11:00:00Z"),
                day("2011-09-25", from: "2011-09-25T10:00:00Z"),
                day("2011-09-26", from: "2011-09-26T10:00:00Z"),
            ]
        case .apiaBack:
            [
                day("2011-04-01", from: "2011-04-01T10:00:00Z"),
                day("2011-04-02", from: "2011-04-02T10:00:00Z"),
                day("2011-04-03", from: "2011-04-03T11:00:00Z"),
                day("2011-04-04", from: "2011-04-04T11:00:00Z"),
            ]
        case .apiaDateLine:
            [
                day("2011-12-29", from: "2011-12-29T10:00:00Z"),
                day("2011-12-31", from: "2011-12-30T10:00:00Z"),
                day("2012-01-01", from: "2011-12-31T10:00:00Z"),
                day("2012-01-02", from: "2012-01-01T10:00:00Z"),
            ]
        }
    }

    /// How long the day of the change is; in Apia the 31st, which is like any other.
    var minutesOfDay: Int64 {
        switch self {
        case .berlinForward: 1380
        case .berlinBack: 1500
        case .newYorkForward: 1380
        case .newYorkBack: 1500
        case .lordHoweForward: 1410
        case .lordHoweBack: 1470
        case .saoPauloForward: 1380
        case .saoPauloBack: 1500
        case .apiaForward: 1380
        case .apiaBack: 1500
        case .apiaDateLine: 1440
        }
    }

    /// The last of the days that has begun.
    func today(at instant: Instant) -> LocalDay? {
        days.last { $0.start <= instant }
    }

    private func day(_ date: String, from start: String) -> LocalDay {
        LocalDay(date: on(date), start: at(start))
    }
}

extension ElapsedTime {
    fileprivate static func milliseconds(_ milliseconds: Int64) -> ElapsedTime {
        ElapsedTime(milliseconds: milliseconds)
    }
}
