import TestSupport
import Testing
import Timelines

@Suite("Local time: durations over a change of the clocks")
struct LocalTimeDurationTests {
    @Test(
        "Weeks and days are local days and counted first, the rest is elapsed time", arguments: LocalTimeChange.allCases
    )
    func later(_ change: LocalTimeChange) {
        for row in change.additions {
            let sum = change.calendar.adding(lasting(row.duration), to: at(row.from))
            #expect(sum.rfc3339 == row.to, "\(row.from) + \(row.duration)")
        }
    }

    @Test("Backwards, too, local days are counted first", arguments: LocalTimeChange.allCases)
    func earlier(_ change: LocalTimeChange) {
        for row in change.subtractions {
            let difference = change.calendar.subtracting(lasting(row.duration), from: at(row.from))
            #expect(difference.rfc3339 == row.to, "\(row.from) - \(row.duration)")
        }
    }

    @Test(
        "Days from a time that is shown the second time are counted from its time on the wall",
        arguments: [
            (LocalTimeChange.berlinBack, "2026-10-24T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"),
            (LocalTimeChange.newYorkBack, "2026-10-31T05:30:00Z", "2026-11-01T06:30:00Z", "2026-11-02T06:30:00Z"),
            (LocalTimeChange.lordHoweBack, "2026-04-03T14:45:00Z", "2026-04-04T15:15:00Z", "2026-04-05T15:15:00Z"),
            (LocalTimeChange.saoPauloBack, "2018-02-17T01:30:00Z", "2018-02-18T02:30:00Z", "2018-02-19T02:30:00Z"),
            (LocalTimeChange.apiaBack, "2011-04-01T13:30:00Z", "2011-04-02T14:30:00Z", "2011-04-03T14:30:00Z"),
        ])
    func secondTime(_ change: LocalTimeChange, before: String, second: String, after: String) {
        let calendar = change.calendar
        #expect(calendar.subtracting(lasting("P1D"), from: at(second)).rfc3339 == before)
        #expect(calendar.adding(lasting("P1D"), to: at(second)).rfc3339 == after)
        // Without days nothing is taken from the wall.
        #expect(calendar.adding(lasting("PT0S"), to: at(second)).rfc3339 == second)
    }

    @Test(
        "An occurrence is announced its lead before its start, whoever says the lead",
        arguments: LocalTimeChange.allCases)
    func leads(_ change: LocalTimeChange) throws {
        for row in change.subtractions {
            let end = (at(row.from) + .hours(1)).rfc3339
            let own = timed("e", row.from, end, lead: row.duration)
            let silent = timed("e", row.from, end)
            let announcing = try [
                change.timeline(of: [own], at: at(row.to), lead: "PT1S", strategyLead: "PT2S"),
                change.timeline(of: [silent], at: at(row.to), lead: "PT1S", strategyLead: row.duration),
                change.timeline(of: [silent], at: at(row.to), lead: row.duration),
            ]
            for timeline in announcing {
                let (first, elapsed) = (timeline.entries[0], at(row.from) - at(row.to))
                #expect(first.phase == .preEvent && first.date.rfc3339 == row.to, "\(row.from) - \(row.duration)")
                #expect(first.relevance?.duration == elapsed.milliseconds / 1000)
            }
        }
    }
}

extension LocalTimeChange {
    typealias DurationRow = (from: String, duration: String, to: String)

    /// From noon of the day before: two days and 48 hours. From the middle of what is skipped or shown twice: from a
    /// week before to it, and from a day before to an hour after it.
    var additions: [DurationRow] {
        switch self {
        case .berlinForward:
            [
                ("2026-03-28T11:00:00Z", "P2D", "2026-03-30T10:00:00Z"),
                ("2026-03-28T11:00:00Z", "PT48H", "2026-03-30T11:00:00Z"),
                ("2026-03-22T01:30:00Z", "P1W", "2026-03-29T01:00:00Z"),
                ("2026-03-28T01:30:00Z", "P1DT1H", "2026-03-29T02:00:00Z"),
            ]
        case .berlinBack:
            [
                ("2026-10-24T10:00:00Z", "P2D", "2026-10-26T11:00:00Z"),
                ("2026-10-24T10:00:00Z", "PT48H", "2026-10-26T10:00:00Z"),
                ("2026-10-18T00:30:00Z", "P1W", "2026-10-25T00:30:00Z"),
                ("2026-10-24T00:30:00Z", "P1DT1H", "2026-10-25T01:30:00Z"),
            ]
        case .newYorkForward:
            [
                ("2026-03-07T17:00:00Z", "P2D", "2026-03-09T16:00:00Z"),
                ("2026-03-07T17:00:00Z", "PT48H", "2026-03-09T17:00:00Z"),
                ("2026-03-01T07:30:00Z", "P1W", "2026-03-08T07:00:00Z"),
                ("2026-03-07T07:30:00Z", "P1DT1H", "2026-03-08T08:00:00Z"),
            ]
        case .newYorkBack:
            [
                ("2026-10-31T16:00:00Z", "P2D", "2026-11-02T17:00:00Z"),
                ("2026-10-31T16:00:00Z", "PT48H", "2026-11-02T16:00:00Z"),
                ("2026-10-25T05:30:00Z", "P1W", "2026-11-01T05:30:00Z"),
                ("2026-10-31T05:30:00Z", "P1DT1H", "2026-11-01T06:30:00Z"),
            ]
        case .lordHoweForward:
            [
                ("2026-10-03T01:30:00Z", "P2D", "2026-10-05T01:00:00Z"),
                ("2026-10-03T01:30:00Z", "PT48H", "2026-10-05T01:30:00Z"),
                ("2026-09-26T15:45:00Z", "P1W", "2026-10-03T15:30:00Z"),
                ("2026-10-02T15:45:00Z", "P1DT1H", "2026-10-03T16:30:00Z"),
            ]
        case .lordHoweBack:
            [
                ("2026-04-04T01:00:00Z", "P2D", "2026-04-06T01:30:00Z"),
                ("2026-04-04T01:00:00Z", "PT48H", "2026-04-06T01:00:00Z"),
                ("2026-03-28T14:45:00Z", "P1W", "2026-04-04T14:45:00Z"),
                ("2026-04-03T14:45:00Z", "P1DT1H", "2026-04-04T15:45:00Z"),
            ]
        case .saoPauloForward:
            [
                ("2018-11-03T15:00:00Z", "P2D", "2018-11-05T14:00:00Z"),
                ("2018-11-03T15:00:00Z", "PT48H", "2018-11-05T15:00:00Z"),
                ("2018-10-28T03:30:00Z", "P1W", "2018-11-04T03:00:00Z"),
                ("2018-11-03T03:30:00Z", "P1DT1H", "2018-11-04T04:00:00Z"),
            ]
        case .saoPauloBack:
            [
                ("2018-02-16T14:00:00Z", "P2D", "2018-02-18T15:00:00Z"),
                ("2018-02-16T14:00:00Z", "PT48H", "2018-02-18T14:00:00Z"),
                ("2018-02-11T01:30:00Z", "P1W", "2018-02-18T01:30:00Z"),
                ("2018-02-17T01:30:00Z", "P1DT1H", "2018-02-18T02:30:00Z"),
            ]
        case .apiaForward:
            [
                ("2011-09-23T23:00:00Z", "P2D", "2011-09-25T22:00:00Z"),
                ("2011-09-23T23:00:00Z", "PT48H", "2011-09-25T23:00:00Z"),
                ("2011-09-17T14:30:00Z", "P1W", "2011-09-24T14:00:00Z"),
                ("2011-09-23T14:30:00Z", "P1DT1H", "2011-09-24T15:00:00Z"),
            ]
        case .apiaBack:
            [
                ("2011-04-01T22:00:00Z", "P2D", "2011-04-03T23:00:00Z"),
                ("2011-04-01T22:00:00Z", "PT48H", "2011-04-03T22:00:00Z"),
                ("2011-03-26T13:30:00Z", "P1W", "2011-04-02T13:30:00Z"),
                ("2011-04-01T13:30:00Z", "P1DT1H", "2011-04-02T14:30:00Z"),
            ]
        case .apiaDateLine:
            [
                ("2011-12-29T22:00:00Z", "P2D", "2011-12-31T22:00:00Z"),
                ("2011-12-29T22:00:00Z", "PT48H", "2011-12-31T22:00:00Z"),
                ("2011-12-23T22:00:00Z", "P1W", "2011-12-30T22:00:00Z"),
                ("2011-12-29T22:00:00Z", "P1DT1H", "2011-12-30T23:00:00Z"),
            ]
        }
    }

    /// From noon of the day after: two days. From a quarter of an hour after the change: half an hour. From the middle
    /// of what is skipped or shown twice: from a week after to it, and from a day after to an hour before it.
    var subtractions: [DurationRow] {
        switch self {
        case .berlinForward:
            [
                ("2026-03-30T10:00:00Z", "P2D", "2026-03-28T11:00:00Z"),
                ("2026-03-29T01:15:00Z", "PT30M", "2026-03-29T00:45:00Z"),
                ("2026-04-05T00:30:00Z", "P1W", "2026-03-29T01:00:00Z"),
                ("2026-03-30T00:30:00Z", "P1DT1H", "2026-03-29T00:00:00Z"),
            ]
        case .berlinBack:
            [
                ("2026-10-26T11:00:00Z", "P2D", "2026-10-24T10:00:00Z"),
                ("2026-10-25T01:15:00Z", "PT30M", "2026-10-25T00:45:00Z"),
                ("2026-11-01T01:30:00Z", "P1W", "2026-10-25T00:30:00Z"),
                ("2026-10-26T01:30:00Z", "P1DT1H", "2026-10-24T23:30:00Z"),
            ]
        case .newYorkForward:
            [
                ("2026-03-09T16:00:00Z", "P2D", "2026-03-07T17:00:00Z"),
                ("2026-03-08T07:15:00Z", "PT30M", "2026-03-08T06:45:00Z"),
                ("2026-03-15T06:30:00Z", "P1W", "2026-03-08T07:00:00Z"),
                ("2026-03-09T06:30:00Z", "P1DT1H", "2026-03-08T06:00:00Z"),
            ]
        case .newYorkBack:
            [
                ("2026-11-02T17:00:00Z", "P2D", "2026-10-31T16:00:00Z"),
                ("2026-11-01T06:15:00Z", "PT30M", "2026-11-01T05:45:00Z"),
                ("2026-11-08T06:30:00Z", "P1W", "2026-11-01T05:30:00Z"),
                ("2026-11-02T06:30:00Z", "P1DT1H", "2026-11-01T04:30:00Z"),
            ]
        case .lordHoweForward:
            [
                ("2026-10-05T01:00:00Z", "P2D", "2026-10-03T01:30:00Z"),
                ("2026-10-03T15:45:00Z", "PT30M", "2026-10-03T15:15:00Z"),
                ("2026-10-10T15:15:00Z", "P1W", "2026-10-03T15:30:00Z"),
                ("2026-10-04T15:15:00Z", "P1DT1H", "2026-10-03T14:30:00Z"),
            ]
        case .lordHoweBack:
            [
                ("2026-04-06T01:30:00Z", "P2D", "2026-04-04T01:00:00Z"),
                ("2026-04-04T15:15:00Z", "PT30M", "2026-04-04T14:45:00Z"),
                ("2026-04-11T15:15:00Z", "P1W", "2026-04-04T14:45:00Z"),
                ("2026-04-05T15:15:00Z", "P1DT1H", "2026-04-04T13:45:00Z"),
            ]
        case .saoPauloForward:
            [
                ("2018-11-05T14:00:00Z", "P2D", "2018-11-03T15:00:00Z"),
                ("2018-11-04T03:15:00Z", "PT30M", "2018-11-04T02:45:00Z"),
                ("2018-11-11T02:30:00Z", "P1W", "2018-11-04T03:00:00Z"),
                ("2018-11-05T02:30:00Z", "P1DT1H", "2018-11-04T02:00:00Z"),
            ]
        case .saoPauloBack:
            [
                ("2018-02-18T15:00:00Z", "P2D", "2018-02-16T14:00:00Z"),
                ("2018-02-18T02:15:00Z", "PT30M", "2018-02-18T01:45:00Z"),
                ("2018-02-25T02:30:00Z", "P1W", "2018-02-18T01:30:00Z"),
                ("2018-02-19T02:30:00Z", "P1DT1H", "2018-02-18T00:30:00Z"),
            ]
        case .apiaForward:
            [
                ("2011-09-25T22:00:00Z", "P2D", "2011-09-23T23:00:00Z"),
                ("2011-09-24T14:15:00Z", "PT30M", "2011-09-24T13:45:00Z"),
                ("2011-10-01T13:30:00Z", "P1W", "2011-09-24T14:00:00Z"),
                ("2011-09-25T13:30:00Z", "P1DT1H", "2011-09-24T13:00:00Z"),
            ]
        case .apiaBack:
            [
                ("2011-04-03T23:00:00Z", "P2D", "2011-04-01T22:00:00Z"),
                ("2011-04-02T14:15:00Z", "PT30M", "2011-04-02T13:45:00Z"),
                ("2011-04-09T14:30:00Z", "P1W", "2011-04-02T13:30:00Z"),
                ("2011-04-03T14:30:00Z", "P1DT1H", "2011-04-02T12:30:00Z"),
            ]
        case .apiaDateLine:
            [
                ("2011-12-31T22:00:00Z", "P2D", "2011-12-29T22:00:00Z"),
                ("2011-12-30T10:15:00Z", "PT30M", "2011-12-30T09:45:00Z"),
                ("2012-01-06T22:00:00Z", "P1W", "2011-12-30T22:00:00Z"),
                ("2011-12-31T22:00:00Z", "P1DT1H", "2011-12-30T21:00:00Z"),
            ]
        }
    }
}
