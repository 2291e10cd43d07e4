import TestSupport
import Testing
import Timelines

@Suite("The strategy dayNight at dawn")
struct DawnTests {
    func made(
        _ members: [(String, ParameterValue)] = [], at text: String, zone: String = "UTC",
        change: (inout WidgetConfiguration) -> Void = { _ in }
    ) throws -> Timeline {
        let strategy = try TimelineStrategies.strategy(named: "dayNight", options: options(members))
        let used = configuration(strategy, timeZone: zone, change)
        return TimelineProvider.timeline(for: TimelineRequest(configuration: used, at: at(text)))
    }

    @Test("Made ten minutes before dayFrom it ends there, and the day's rhythm begins")
    func tenMinutesBefore() throws {
        let night = try made(at: "2026-11-20T05:50:00Z")
        #expect(lines(night) == ["2026-11-20T05:50:00Z tick", "2026-11-20T06:00:00Z tick"])
        #expect(night.policy == .atEnd && night.nextUpdate == at("2026-11-20T06:00:00Z"))
        let day = try made(at: "2026-11-20T06:00:00Z")
        #expect(day.entries[1].date == at("2026-11-20T06:15:00Z"))
    }

    @Test("A date at dawn is dawn; where none reaches it, none is added")
    func atDawn() throws {
        #expect(
            try made(at: "2026-11-20T02:00:00Z").entries.map(\.date.rfc3339) == [
                "2026-11-20T02:00:00Z", "2026-11-20T04:00:00Z", "2026-11-20T06:00:00Z",
            ])
        let far = try made(at: "2026-11-19T22:00:00Z")
        #expect(far.entries.last?.date == at("2026-11-20T04:00:00Z") && far.policy == .atEnd)
        let short = try made([("nightSpan", .string("PT2H"))], at: "2026-11-20T05:00:00Z")
        #expect(lines(short) == ["2026-11-20T05:00:00Z tick"])
        #expect(short.policy == .after(at("2026-11-20T06:00:00Z")))
    }

    @Test("Where only the present stays, one interval is what comes first: the interval, or dawn")
    func oneInterval() throws {
        let early = try made([("nightSpan", .string("PT1H"))], at: "2026-11-20T01:00:00Z")
        #expect(early.policy == .after(at("2026-11-20T03:00:00Z")))
        let late = try made([("nightSpan", .string("PT1H"))], at: "2026-11-20T05:59:59Z")
        #expect(late.policy == .after(at("2026-11-20T06:00:00Z")))
        for (now, due) in [("05:50", "06:00"), ("02:00", "04:00")] {
            let cut = try made(at: "2026-11-20T\(now):00Z") { $0.maximumEntries = 1 }
            #expect(cut.entries.count == 1 && cut.policy == .after(at("2026-11-20T\(due):00Z")))
        }
    }

    @Test("Night is night by the clock: in lowFrequency it ends at dawn, too, and the day knows no dawn")
    func lowFrequency() throws {
        let night = try made(at: "2026-11-20T05:50:00Z") { $0.mode = .lowFrequency }
        #expect(night.entries.last?.date == at("2026-11-20T06:00:00Z"))
        let day = try made(at: "2026-11-20T21:00:00Z") { $0.mode = .lowFrequency }
        #expect(day.entries.last?.date == at("2026-11-21T03:00:00Z"))
    }

    @Test("Without a day there is no dawn")
    func alwaysNight() throws {
        let never = [("dayFrom", ParameterValue.string("06:00")), ("dayTo", .string("06:00"))]
        #expect(try made(never, at: "2026-11-20T05:50:00Z").entries.last?.date == at("2026-11-20T11:50:00Z"))
    }

    @Test(
        "Dawn is when clocks that change first show a time of the day",
        arguments: [
            // dayFrom in the gap, before it, and a day that lies within it: then it is the next day's.
            ("02:30", "22:00", "2026-03-29T00:50:00Z", "2026-03-29T01:00:00Z"),
            ("06:00", "22:00", "2026-03-29T03:10:00Z", "2026-03-29T04:00:00Z"),
            ("02:10", "02:40", "2026-03-29T00:50:00Z", "2026-03-30T00:10:00Z"),
            // Clocks go back into the day, at 03:00 to 02:00: by the clock it is day again.
            ("22:00", "02:30", "2026-10-25T00:40:00Z", "2026-10-25T01:00:00Z"),
            // A second time 02:30, after a short first day.
            ("02:30", "02:45", "2026-10-25T00:50:00Z", "2026-10-25T01:30:00Z"),
            ("06:00", "22:00", "2026-10-25T00:30:00Z", "2026-10-25T05:00:00Z"),
        ])
    func overChanges(from: String, to: String, now: String, dawn: String) throws {
        let night = try made(
            [
                ("dayFrom", .string(from)), ("dayTo", .string(to)), ("nightEvery", .string("P2D")),
                ("nightSpan", .string("P3D")),
            ],
            at: now, zone: "Europe/Berlin")
        #expect(night.entries.map(\.date.rfc3339) == [now, dawn])
    }

    @Test("Whatever is drawn: all but the last tick lie in the night, and the last is in it or the day's first instant")
    func drawn() throws {
        var numbers = SplitMix64(seed: 7)
        func time() -> LocalTime {
            let minute = Int.random(in: 0..<288, using: &numbers) * 5
            return LocalTime(hour: minute / 60, minute: minute % 60)
        }
        var dawns = 0
        for round in 0..<2000 {
            let (from, to) = (time(), time())
            let isDay = { (time: LocalTime) in from <= to ? from <= time && time < to : from <= time || time < to }
            let name = ["Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "Pacific/Apia", "UTC"][round % 5]
            let change = [
                "2026-03-29T01:00:00Z", "2018-11-04T03:00:00Z", "2026-04-04T15:00:00Z", "2011-12-30T10:00:00Z",
            ]
            let now = at(change[round / 5 % 4]) + .seconds(.random(in: -90_000...90_000, using: &numbers))
            let calendar = zone(name)
            guard !isDay(calendar.time(at: now)) else { continue }
            let timeline = try made(
                [
                    ("dayFrom", .string(from.hoursAndMinutes)), ("dayTo", .string(to.hoursAndMinutes)),
                    ("nightEvery", .string("PT\(Int.random(in: 1...9, using: &numbers))H")),
                    ("nightSpan", .string("P1DT1H")),
                ], at: now.rfc3339, zone: name
            ) {
                $0.maximumEntries = 60
                $0.mode = round % 2 == 0 ? .normal : .lowFrequency
            }
            let dates = timeline.entries.map(\.date)
            #expect(dates.dropLast().allSatisfy { !isDay(calendar.time(at: $0)) }, "round \(round)")
            guard let last = dates.last, isDay(calendar.time(at: last)) else { continue }
            dawns += 1
            // No minute of the night before it is day.
            var instant = now
            while instant < last {
                #expect(!isDay(calendar.time(at: instant)), "round \(round)")
                instant = min(last, instant + .minutes(1))
            }
            #expect(!isDay(calendar.time(at: last - .seconds(1))), "round \(round)")
        }
        #expect(dawns > 500)
    }
}
