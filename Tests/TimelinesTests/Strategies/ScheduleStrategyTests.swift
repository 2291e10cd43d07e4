import TestSupport
import Testing
import Timelines

@Suite("The strategy schedule")
struct ScheduleStrategyTests {
    func schedule(_ members: (String, ParameterValue)...) -> (String, ParameterValue) {
        ("schedule", .object(options(members)))
    }

    @Test("everyMinute from 10:09:38 begins with 10:09:00 and is due again at the last minute that fits")
    func everyMinute() throws {
        let timeline = try made("schedule", at: "2026-11-20T10:09:38Z") { $0.family = .systemSmall }
        #expect(
            lines(timeline) == [
                "2026-11-20T10:09:00Z tick", "2026-11-20T10:10:00Z tick", "2026-11-20T10:11:00Z tick",
                "2026-11-20T10:12:00Z tick", "2026-11-20T10:13:00Z tick",
            ])
        #expect(timeline.policy == .atEnd && timeline.nextUpdate == at("2026-11-20T10:13:00Z"))
        let single = try made("schedule", at: "2026-11-20T10:09:38Z") { $0.maximumEntries = 1 }
        #expect(lines(single) == ["2026-11-20T10:09:00Z tick"])
        #expect(single.policy == .after(at("2026-11-20T10:10:00Z")))
    }

    @Test("Every 3 seconds from a date in the past and from one in the future")
    func periodic() throws {
        let past = schedule(
            ("type", .string("periodic")), ("from", .string("2026-11-20T10:00:01Z")), ("by", .string("PT3S")))
        let dates = try dates(of: "schedule", past, at: "2026-11-20T10:09:38Z") { $0.maximumEntries = 3 }
        #expect(dates == ["2026-11-20T10:09:37Z", "2026-11-20T10:09:40Z", "2026-11-20T10:09:43Z"])
        let future = schedule(
            ("type", .string("periodic")), ("from", .string("2026-11-20T11:00:00Z")), ("by", .string("PT3S")))
        let timeline = try made("schedule", [future], at: "2026-11-20T10:09:38Z") { $0.maximumEntries = 3 }
        #expect(
            lines(timeline) == [
                "2026-11-20T10:09:38Z tick", "2026-11-20T11:00:00Z tick", "2026-11-20T11:00:03Z tick",
            ])
        #expect(timeline.policy == .atEnd && timeline.nextUpdate == at("2026-11-20T11:00:03Z"))
        let alone = try made("schedule", [future], at: "2026-11-20T10:09:38Z") { $0.maximumEntries = 1 }
        #expect(alone.policy == .after(at("2026-11-20T11:00:00Z")))
    }

    @Test("In lowFrequency a period of 3 seconds comes every 20th time, counted from its beginning")
    func lowFrequency() throws {
        let past = schedule(
            ("type", .string("periodic")), ("from", .string("2026-11-20T10:00:01Z")), ("by", .string("PT3S")))
        for (mode, own) in [
            (TimelineScheduleMode.lowFrequency, [past]), (.normal, [past, ("mode", .string("lowFrequency"))]),
        ] {
            let timeline = try made("schedule", own, at: "2026-11-20T10:09:38Z") {
                $0.maximumEntries = 2
                $0.mode = mode
            }
            #expect(lines(timeline) == ["2026-11-20T10:09:01Z tick", "2026-11-20T10:10:01Z tick"])
        }
    }

    @Test("A period of local days keeps the time on the wall when clocks change")
    func localDays() throws {
        let daily = schedule(
            ("type", .string("periodic")), ("from", .string("2026-10-01T07:00:00Z")), ("by", .string("P1D")))
        let dates = try dates(of: "schedule", daily, at: "2026-10-24T12:00:00Z") {
            $0.timeZone = "Europe/Berlin"
            $0.maximumEntries = 3
        }
        #expect(dates == ["2026-10-24T07:00:00Z", "2026-10-25T08:00:00Z", "2026-10-26T08:00:00Z"])
    }

    func explicit(_ dates: String...) -> (String, ParameterValue) {
        schedule(("type", .string("explicit")), ("dates", .array(dates.map { .string($0) })))
    }

    @Test("explicit: the latest date that has come and all to come; after its last nothing is due")
    func explicitDates() throws {
        let all = explicit(
            "2026-11-20T09:00:00Z", "2026-11-20T10:00:00Z", "2026-11-20T11:00:00Z", "2026-11-20T12:00:00Z")
        let whole = try made("schedule", [all], at: "2026-11-20T10:30:00Z")
        #expect(
            lines(whole) == ["2026-11-20T10:00:00Z tick", "2026-11-20T11:00:00Z tick", "2026-11-20T12:00:00Z tick"])
        #expect(whole.policy == .never && whole.nextUpdate == nil)
        let cut = try made("schedule", [all], at: "2026-11-20T10:30:00Z") { $0.maximumEntries = 2 }
        #expect(cut.policy == .atEnd && cut.nextUpdate == at("2026-11-20T11:00:00Z"))
        // All to come, with the entry of now before them: as many as fit are not the last ones.
        let ahead = try made("schedule", [all], at: "2026-11-20T08:00:00Z") { $0.maximumEntries = 4 }
        #expect(ahead.entries.count == 4 && ahead.nextUpdate == at("2026-11-20T11:00:00Z"))
        let past = try made("schedule", [all], at: "2026-11-21T08:00:00Z")
        #expect(lines(past) == ["2026-11-20T12:00:00Z tick"] && past.policy == .never)
    }

    @Test("explicit in lowFrequency keeps the last date of each clock minute")
    func explicitSlow() throws {
        let dates = try dates(
            of: "schedule",
            explicit(
                "2026-11-20T10:00:10Z", "2026-11-20T10:00:50Z", "2026-11-20T10:01:00Z", "2026-11-20T10:01:59Z",
                "2026-11-20T10:03:00Z"), at: "2026-11-20T10:00:30Z"
        ) { $0.mode = .lowFrequency }
        #expect(
            dates == [
                "2026-11-20T10:00:30Z", "2026-11-20T10:00:50Z", "2026-11-20T10:01:59Z", "2026-11-20T10:03:00Z",
            ])
    }

    @Test(
        "A schedule without dates makes one tick of now, and no other",
        arguments: [
            (#"explicit"#, TimelineScheduleMode.normal), ("animation", .lowFrequency), ("paused", .normal),
        ])
    func noDates(kind: String, mode: TimelineScheduleMode) throws {
        let chosen =
            switch kind {
            case "explicit": explicit()
            case "paused": schedule(("type", .string("animation")), ("paused", .bool(true)))
            default: schedule(("type", .string("animation")))
            }
        let timeline = try made("schedule", [chosen], at: "2026-11-20T10:00:00.250Z") { $0.mode = mode }
        #expect(lines(timeline) == ["2026-11-20T10:00:00.250Z tick"] && timeline.policy == .never)
    }

    @Test("animation: each second from now on, where nothing else is said")
    func animation() throws {
        let dates = try dates(
            of: "schedule", schedule(("type", .string("animation"))), at: "2026-11-20T10:00:00.250Z"
        ) { $0.maximumEntries = 3 }
        #expect(dates == ["2026-11-20T10:00:00.250Z", "2026-11-20T10:00:01.250Z", "2026-11-20T10:00:02.250Z"])
    }

    @Test("What is wrong with a schedule is said with its key")
    func problems() {
        func problem(_ member: (String, ParameterValue)) -> ConfigurationProblem? {
            do throws(ConfigurationProblems) {
                _ = try TimelineStrategies.strategy(named: "schedule", options: options([member]))
                return nil
            } catch {
                return error.first
            }
        }
        #expect(
            problem(schedule(("type", .string("animaton"))))
                == .init(
                    key: "strategy.schedule.type",
                    "must be one of everyMinute, periodic, explicit, animation, not \"animaton\"; "
                        + "did you mean animation?"
                ))
        let tooFast = problem(schedule(("type", .string("animation")), ("minimumInterval", .string("PT0S"))))
        #expect(tooFast?.key == "strategy.schedule.minimumInterval")
        #expect(tooFast?.message.contains("from PT1S to P31D") == true)
        #expect(
            problem(schedule(("type", .string("periodic")), ("by", .string("PT1M"))))?.key
                == "strategy.schedule.from")
        #expect(
            problem(schedule(("type", .string("everyMinute")), ("by", .string("PT1M"))))
                == .init(key: "strategy.schedule.by", "is unknown: the schedule everyMinute takes no options"))
        #expect(
            problem(explicit("2026-11-20T10:00:00Z", "2026-11-20T10:00:00Z"))?.key == "strategy.schedule.dates[1]")
        #expect(problem(("schedule", .string("everyMinute")))?.key == "strategy.schedule")
    }

    @Test("An explicit schedule without a date to come is a warning")
    func warnings() throws {
        let strategy = try TimelineStrategies.strategy(
            named: "schedule", options: options([explicit("2026-11-20T10:00:00Z")]), path: "strategy")
        #expect(strategy.warnings(at: at("2026-11-20T09:59:59Z")).isEmpty)
        #expect(strategy.warnings(at: at("2026-11-20T10:00:00Z")).count == 1)
    }
}
