import TestSupport
import Testing
import Timelines

/// The dates of a strategy's timeline, as texts.
func dates(
    of name: String, _ members: (String, ParameterValue)..., at instant: String,
    _ change: (inout WidgetConfiguration) -> Void = { _ in }
) throws -> [String] {
    try made(name, members, at: instant, change).entries.map(\.date.rfc3339)
}

func made(
    _ name: String, _ members: [(String, ParameterValue)] = [], at instant: String,
    _ change: (inout WidgetConfiguration) -> Void = { _ in }
) throws -> Timeline {
    let strategy = try TimelineStrategies.strategy(named: name, options: options(members))
    var configuration = configuration(strategy)
    configuration.calendarIds = []
    change(&configuration)
    return TimelineProvider.timeline(for: TimelineRequest(configuration: configuration, at: at(instant)))
}

@Suite("Strategies of even intervals and times of day")
struct IntervalStrategiesTests {
    @Test("fixedInterval: 0, 15, 30 and 45 minutes from now, again at the last")
    func quarters() throws {
        let timeline = try made("fixedInterval", at: "2026-11-20T10:07:30Z")
        #expect(
            lines(timeline) == [
                "2026-11-20T10:07:30Z tick", "2026-11-20T10:22:30Z tick", "2026-11-20T10:37:30Z tick",
                "2026-11-20T10:52:30Z tick",
            ])
        #expect(timeline.policy == .atEnd && timeline.nextUpdate == at("2026-11-20T10:52:30Z"))
        #expect(timeline.validUntil == timeline.nextUpdate)
        #expect(timeline.entries.allSatisfy { $0.relevance == nil && $0.vehicle == nil && $0.event == nil })
    }

    @Test("fixedInterval: the span is exclusive, and a span shorter than the interval leaves the entry of now")
    func span() throws {
        let exact = try dates(
            of: "fixedInterval", ("every", .string("PT20M")), ("span", .string("PT40M")), at: "2026-11-20T10:00:00Z")
        #expect(exact == ["2026-11-20T10:00:00Z", "2026-11-20T10:20:00Z"])
        let timeline = try made(
            "fixedInterval", [("every", .string("PT20M")), ("span", .string("PT1S"))], at: "2026-11-20T10:00:00Z")
        #expect(lines(timeline) == ["2026-11-20T10:00:00Z tick"])
        #expect(timeline.policy == .after(at("2026-11-20T10:20:00Z")))
    }

    @Test(
        "5, 10 and 20 entries: by family, and as many as there may be with the span limit",
        arguments: [
            (WidgetFamily.systemSmall, 5), (.systemMedium, 10), (.systemLarge, 20), (.systemExtraLarge, 20),
            (.systemExtraLargePortrait, 20), (.accessoryCircular, 20), (.accessoryRectangular, 20),
            (.accessoryInline, 20), (.accessoryCorner, 20),
        ])
    func families(family: WidgetFamily, count: Int) throws {
        for span in ["limit", "P31D"] {
            let timeline = try made("fixedInterval", [("span", .string(span))], at: "2026-11-20T10:00:00Z") {
                $0.family = family
            }
            #expect(timeline.entries.count == count)
            let last = at("2026-11-20T10:00:00Z") + .minutes(15 * Int64(count - 1))
            #expect(timeline.entries.last?.date == last && timeline.policy == .atEnd && timeline.nextUpdate == last)
        }
    }

    @Test("fixedInterval: an interval of days keeps the time on the wall when clocks change")
    func localDays() throws {
        let dates = try dates(
            of: "fixedInterval", ("every", .string("P1D")), ("span", .string("P4D")), at: "2026-10-23T07:00:00Z"
        ) { $0.timeZone = "Europe/Berlin" }
        #expect(
            dates == [
                "2026-10-23T07:00:00Z", "2026-10-24T07:00:00Z", "2026-10-25T08:00:00Z", "2026-10-26T08:00:00Z",
            ])
    }

    @Test("fixedInterval and fetched come no more often than every quarter of an hour in lowFrequency")
    func slow() throws {
        let ticks = try dates(
            of: "fixedInterval", ("every", .string("PT1M")), ("span", .string("PT1H")), at: "2026-11-20T10:00:00Z"
        ) { $0.mode = .lowFrequency }
        #expect(
            ticks == [
                "2026-11-20T10:00:00Z", "2026-11-20T10:15:00Z", "2026-11-20T10:30:00Z", "2026-11-20T10:45:00Z",
            ])
        let fetched = try made("fetched", [("every", .string("PT1M"))], at: "2026-11-20T10:00:00Z") {
            $0.mode = .lowFrequency
        }
        #expect(fetched.policy == .after(at("2026-11-20T10:15:00Z")))
    }

    @Test("timesOfDay: the rest of 9, 12, 15 and 18 o'clock, and tomorrow's 9")
    func timesOfDay() throws {
        let timeline = try made("timesOfDay", at: "2026-11-20T09:30:00Z") { $0.timeZone = "Europe/Berlin" }
        #expect(
            lines(timeline) == [
                "2026-11-20T09:30:00Z tick", "2026-11-20T11:00:00Z tick", "2026-11-20T14:00:00Z tick",
                "2026-11-20T17:00:00Z tick", "2026-11-21T08:00:00Z tick",
            ])
        #expect(timeline.policy == .atEnd && timeline.nextUpdate == at("2026-11-21T08:00:00Z"))
        let evening = try made("timesOfDay", at: "2026-11-20T22:30:00Z") { $0.timeZone = "Europe/Berlin" }
        #expect(lines(evening) == ["2026-11-20T22:30:00Z tick", "2026-11-21T08:00:00Z tick"])
    }

    @Test("timesOfDay: a time in the gap is the first instant after it, a time shown twice is the first")
    func timesOfDayOverChanges() throws {
        let times = ParameterValue.array(["02:15", "02:30", "03:30"].map { .string($0) })
        let spring = try dates(of: "timesOfDay", ("times", times), at: "2026-03-28T23:30:00Z") {
            $0.timeZone = "Europe/Berlin"
        }
        #expect(
            spring == [
                "2026-03-28T23:30:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z", "2026-03-30T00:15:00Z",
            ])
        let autumn = try dates(of: "timesOfDay", ("times", times), at: "2026-10-24T22:30:00Z") {
            $0.timeZone = "Europe/Berlin"
        }
        #expect(
            autumn == [
                "2026-10-24T22:30:00Z", "2026-10-25T00:15:00Z", "2026-10-25T00:30:00Z", "2026-10-25T02:30:00Z",
                "2026-10-26T01:15:00Z",
            ])
        let apia = try dates(of: "timesOfDay", ("times", .array([.string("09:00")])), at: "2011-12-30T00:00:00Z") {
            $0.timeZone = "Pacific/Apia"
        }
        // 14:00 on the 29th; the 30th does not exist there.
        #expect(apia == ["2011-12-30T00:00:00Z", "2011-12-30T19:00:00Z"])
    }

    @Test("dayNight: by day 0, 15, 30 and 45 minutes, by night 0, 2, 4 and 6 hours")
    func dayNight() throws {
        let day = try made("dayNight", at: "2026-11-20T11:05:00Z") { $0.timeZone = "America/New_York" }
        #expect(
            lines(day) == [
                "2026-11-20T11:05:00Z tick", "2026-11-20T11:20:00Z tick", "2026-11-20T11:35:00Z tick",
                "2026-11-20T11:50:00Z tick",
            ])
        let night = try made("dayNight", at: "2026-11-20T03:30:00Z") { $0.timeZone = "America/New_York" }
        #expect(
            lines(night) == [
                "2026-11-20T03:30:00Z tick", "2026-11-20T05:30:00Z tick", "2026-11-20T07:30:00Z tick",
                "2026-11-20T09:30:00Z tick",
            ])
        #expect(night.policy == .atEnd && day.policy == .atEnd)
        let slow = try made("dayNight", at: "2026-11-20T12:00:00Z") { $0.mode = .lowFrequency }
        #expect(slow.entries.last?.date == at("2026-11-20T18:00:00Z"))
    }

    @Test(
        "dayNight: the day begins at dayFrom, ends before dayTo, and goes over midnight where dayFrom is later",
        arguments: [
            ("06:00", "22:00", "06:00", true), ("06:00", "22:00", "05:59", false), ("06:00", "22:00", "21:59", true),
            ("06:00", "22:00", "22:00", false), ("20:00", "04:00", "23:00", true), ("20:00", "04:00", "03:59", true),
            ("20:00", "04:00", "04:00", false), ("20:00", "04:00", "12:00", false), ("08:00", "08:00", "08:00", false),
        ])
    func dayOrNight(from: String, to: String, time: String, isDay: Bool) throws {
        let timeline = try made(
            "dayNight", [("dayFrom", .string(from)), ("dayTo", .string(to))], at: "2026-11-20T\(time):00Z")
        // At 05:59 and 03:59 the next entry is dawn, or would be after two hours.
        let second =
            time == "05:59" ? at("2026-11-20T06:00:00Z") : at("2026-11-20T\(time):00Z") + .minutes(isDay ? 15 : 120)
        #expect(timeline.entries[1].date == second)
    }

    @Test("hourly: 12 hours, with the parameters of its defaults where the configuration has none")
    func hourly() throws {
        let defaults = ParameterValue.object(options([("city", .string("San Francisco"))]))
        let timeline = try made("hourly", [("defaults", defaults)], at: "2026-11-20T10:10:00Z") {
            $0.family = .systemLarge
        }
        #expect(timeline.entries.count == 12 && timeline.policy == .atEnd)
        #expect(timeline.nextUpdate == at("2026-11-20T21:10:00Z"))
        #expect(timeline.entries.allSatisfy { $0.parameters["city"] == .string("San Francisco") })
        let named = try made("hourly", [("defaults", defaults)], at: "2026-11-20T10:10:00Z") {
            $0.parameters["city"] = .string("Lisbon")
        }
        #expect(named.entries.count == 10 && named.entries.allSatisfy { $0.parameters["city"] == .string("Lisbon") })
        let none = try made("hourly", [("hours", .number("1"))], at: "2026-11-20T10:10:00Z")
        #expect(none.entries.count == 1 && none.entries[0].parameters.isEmpty)
        #expect(none.policy == .after(at("2026-11-20T11:10:00Z")))
    }

    @Test("preview: samples 0 to 4 and again, for those not signed in, too; never made again")
    func samples() throws {
        let timeline = try made("preview", [("count", .number("6"))], at: "2026-11-20T10:00:00Z") {
            $0.isSignedIn = false
            $0.vehicleId = "bus-7"
        }
        #expect(timeline.policy == .never && timeline.nextUpdate == nil && timeline.validUntil == nil)
        #expect(
            timeline.entries.map { "\($0.date.rfc3339) \($0.vehicle?.status ?? "") \($0.vehicle?.speed ?? -1)" } == [
                "2026-11-20T10:00:00Z Moving 40.0", "2026-11-20T10:15:00Z Idling 0.0",
                "2026-11-20T10:30:00Z Stopped 0.0", "2026-11-20T10:45:00Z IgnitionOff 0.0",
                "2026-11-20T11:00:00Z Moving 80.0", "2026-11-20T11:15:00Z Moving 40.0",
            ])
        #expect(timeline.entries.allSatisfy { $0.isSample && $0.phase == .tick && $0.vehicle?.vehicleId == "0" })
    }
}
