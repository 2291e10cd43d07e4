import TestSupport
import Testing
import Timelines

@Suite("The strategy events")
struct EventsTests {
    func made(
        _ occurrences: [Occurrence], at text: String, zone: String = "UTC", vehicle: Vehicle? = nil,
        options members: [(String, ParameterValue)] = [], change: (inout WidgetConfiguration) -> Void = { _ in }
    ) throws -> Timeline {
        let strategy = try TimelineStrategies.strategy(named: "events", options: options(members))
        let used = configuration(strategy, timeZone: zone) {
            $0.maximumEntries = 100
            change(&$0)
        }
        return TimelineProvider.timeline(
            for: TimelineRequest(configuration: used, vehicle: vehicle, occurrences: occurrences, at: at(text)))
    }

    let meeting = timed("meeting", "2026-11-20T12:00:00Z", "2026-11-20T13:00:00Z")

    @Test("An occurrence gives preEvent, start and end; midnights without an entry give day")
    func oneMeeting() throws {
        let timeline = try made([meeting], at: "2026-11-20T10:00:00Z")
        #expect(
            lines(timeline) == [
                "2026-11-20T00:00:00Z day", "2026-11-20T11:30:00Z preEvent meeting",
                "2026-11-20T12:00:00Z start meeting", "2026-11-20T13:00:00Z end meeting", "2026-11-21T00:00:00Z day",
            ])
        #expect(timeline.policy == .after(at("2026-11-21T00:00:00Z")))
        #expect(timeline.nextUpdate == at("2026-11-21T00:00:00Z") && timeline.validUntil == timeline.nextUpdate)
        #expect(
            timeline.entries.map(\.relevance) == [
                nil, .init(score: 0.7, duration: 1800), .init(score: 1, duration: 3600), nil, nil,
            ])
        #expect(timeline.entries.map { $0.ongoing?.map(\.uid) } == [[], nil, nil, [], []])
        #expect(timeline.entries.map(\.next?.uid) == ["meeting", nil, nil, nil, nil])
    }

    @Test("What is past falls away, and the entry in force stays")
    func past() throws {
        #expect(try lines(made([meeting], at: "2026-11-20T12:00:00Z")).first == "2026-11-20T12:00:00Z start meeting")
        #expect(try lines(made([meeting], at: "2026-11-20T23:59:59Z")).first == "2026-11-20T13:00:00Z end meeting")
        #expect(
            try lines(made([meeting], at: "2026-11-21T00:00:00Z")) == [
                "2026-11-21T00:00:00Z day", "2026-11-22T00:00:00Z day",
            ])
    }

    @Test("The window takes what ends after its first midnight and is announced before its end")
    func window() throws {
        let shown = { (occurrence: Occurrence) in
            try made([occurrence], at: "2026-11-20T10:00:00Z").entries.contains { $0.event != nil || $0.next != nil }
        }
        let night = timed("night", "2026-11-19T22:00:00Z", "2026-11-20T00:00:00.001Z")
        #expect(try lines(made([night], at: "2026-11-20T00:00:00Z")).first == "2026-11-20T00:00:00Z day")
        #expect(try lines(made([night], at: "2026-11-20T10:00:00Z")).first == "2026-11-20T00:00:00.001Z end night")
        #expect(try !shown(timed("over", "2026-11-19T22:00:00Z", "2026-11-20T00:00:00Z")))
        let moment = timed("moment", "2026-11-20T00:00:00Z", "2026-11-20T00:00:00Z")
        #expect(try lines(made([moment], at: "2026-11-20T10:00:00Z")).first == "2026-11-20T00:00:00Z start moment")
        #expect(try !shown(timed("moment before", "2026-11-19T23:59:59Z", "2026-11-19T23:59:59Z")))
        #expect(try shown(timed("announced", "2026-11-22T00:29:59Z", "2026-11-22T01:00:00Z")))
        #expect(try !shown(timed("later", "2026-11-22T00:30:00Z", "2026-11-22T01:00:00Z")))
        #expect(try shown(timed("long lead", "2026-11-25T00:00:00Z", "2026-11-25T01:00:00Z", lead: "P3DT1S")))
        #expect(try !shown(timed("no lead", "2026-11-22T00:00:00Z", "2026-11-22T01:00:00Z", lead: "PT0S")))
        #expect(try !shown(allDay("day after", "2026-11-22", "2026-11-23")))
        #expect(try shown(allDay("day with lead", "2026-11-22", "2026-11-23", lead: "PT1H")))
    }

    @Test("An event's lead beats the strategy's, which beats the configuration's; zero announces nothing")
    func leads() throws {
        let announced = { (own: String?, strategy: String?, zone: String) in
            var options: [(String, ParameterValue)] = []
            if let strategy { options = [("preEventLead", .string(strategy))] }
            let event = timed("e", "2026-03-30T10:00:00Z", "2026-03-30T11:00:00Z", lead: own)
            return try made([event], at: "2026-03-29T00:30:00Z", zone: zone, options: options) {
                $0.preEventLead = lasting("PT20M")
            }.entries.first { $0.phase == .preEvent }?.date.rfc3339
        }
        #expect(try announced(nil, nil, "UTC") == "2026-03-30T09:40:00Z")
        #expect(try announced(nil, "PT10M", "UTC") == "2026-03-30T09:50:00Z")
        #expect(try announced("PT5M", "PT10M", "UTC") == "2026-03-30T09:55:00Z")
        #expect(try announced("PT0S", nil, "UTC") == nil)
        #expect(try announced(nil, "PT0S", "UTC") == nil)
        // 12:00 in Berlin after the change, and 12:00 the local day before, an hour after the clocks changed.
        #expect(try announced("P1D", nil, "Europe/Berlin") == "2026-03-29T10:00:00Z")
        #expect(try announced("P1DT9H", nil, "Europe/Berlin") == "2026-03-29T01:00:00Z")
        #expect(try announced("PT33H", nil, "Europe/Berlin") == "2026-03-29T01:00:00Z")
    }

    @Test("All-day occurrences start and end at local midnights, unannounced unless they say a lead")
    func allDays() throws {
        let fair = allDay("fair", "2026-03-29", "2026-03-30")
        #expect(
            try lines(made([fair], at: "2026-03-28T22:30:00Z", zone: "Europe/Berlin")) == [
                "2026-03-27T23:00:00Z day", "2026-03-28T23:00:00Z start fair", "2026-03-29T22:00:00Z end fair",
            ])
        let start = try made([fair], at: "2026-03-29T00:00:00Z", zone: "Europe/Berlin").entries[0]
        #expect(start.relevance?.duration == 23 * 3600 && start.id == "start/team/fair/2026-03-29")
        let announced = allDay("fair", "2026-03-29", "2026-03-30", lead: "PT1H")
        #expect(
            try lines(made([announced], at: "2026-03-28T22:30:00Z", zone: "Europe/Berlin"))[0]
                == "2026-03-28T22:00:00Z preEvent fair")
    }

    @Test("An occurrence of no length has a start that lists what else is under way, and no end")
    func noLength() throws {
        let alarm = timed("alarm", "2026-11-20T12:30:00Z", "2026-11-20T12:30:00Z")
        let next = timed("next", "2026-11-20T12:30:00.001Z", "2026-11-20T13:00:00Z")
        let timeline = try made([next, alarm, meeting], at: "2026-11-20T12:30:00Z")
        let start = timeline.entries[0]
        #expect(start.phase == .start && start.event?.uid == "alarm" && start.relevance == .init(score: 1, duration: 0))
        #expect(start.ongoing?.map(\.uid) == ["meeting"] && start.next?.uid == "next")
        #expect(!timeline.entries.contains { $0.phase == .end && $0.event?.uid == "alarm" })
        let backwards = timed("back", "2026-11-20T12:30:00Z", "2026-11-20T12:00:00Z")
        #expect(try made([backwards], at: "2026-11-20T12:30:00Z").entries.filter { $0.phase == .end }.isEmpty)
    }

    @Test("An end lists what is under way by start, calendarId, uid, and what starts next after it")
    func surroundings() throws {
        let b = timed("b", "2026-11-20T11:00:00Z", "2026-11-20T15:00:00Z", calendarId: "b")
        let a = timed("a", "2026-11-20T11:00:00Z", "2026-11-20T15:00:00Z", calendarId: "a")
        let early = timed("early", "2026-11-20T09:00:00Z", "2026-11-20T13:00:00.001Z")
        let same = timed("same", "2026-11-20T13:00:00Z", "2026-11-20T14:00:00Z")
        let next = timed("next", "2026-11-20T16:00:00Z", "2026-11-20T17:00:00Z", calendarId: "z")
        let tied = timed("tied", "2026-11-20T16:00:00Z", "2026-11-20T17:00:00Z", calendarId: "y")
        let timeline = try made([next, b, tied, same, early, a, meeting], at: "2026-11-20T12:59:00Z")
        let end = try #require(timeline.entries.first { $0.id.hasPrefix("end/team/meeting/") })
        #expect(end.ongoing?.map(\.uid) == ["early", "a", "b", "same"] && end.next?.uid == "tied")
    }

    @Test("Announcements and starts list what else is under way, and nothing where that is nothing")
    func besideOthers() throws {
        let long = timed("long", "2026-11-20T09:00:00Z", "2026-11-20T14:00:00Z")
        let over = timed("over", "2026-11-20T10:00:00Z", "2026-11-20T11:30:00Z")
        let same = timed("same", "2026-11-20T12:00:00Z", "2026-11-20T12:10:00Z", lead: "PT0S")
        let timeline = try made([meeting, same, over, long], at: "2026-11-20T08:00:00Z")
        var ongoing: [String: [String]?] = [:]
        for entry in timeline.entries {
            ongoing.updateValue(
                entry.ongoing?.map(\.uid), forKey: "\(entry.phase.rawValue) \(entry.event?.uid ?? "")")
        }
        #expect(ongoing["preEvent long"] == .some(nil) && ongoing["start long"] == .some(nil))
        #expect(ongoing["preEvent over"] == ["long"] && ongoing["start over"] == ["long"])
        // What ends at this very date is not under way any more; what starts with it is.
        #expect(ongoing["preEvent meeting"] == ["long"])
        #expect(ongoing["start meeting"] == ["long", "same"] && ongoing["start same"] == ["long", "meeting"])
        #expect(timeline.entries.filter { $0.phase == .preEvent || $0.phase == .start }.allSatisfy { $0.next == nil })
    }

    @Test("Every phase lists the first 20 that are under way")
    func atMostTwenty() throws {
        let many = (10...34).map { timed("m\($0)", "2026-11-20T09:00:\($0)Z", "2026-11-20T14:00:00Z", lead: "PT0S") }
        let alarm = timed("alarm", "2026-11-20T12:30:00Z", "2026-11-20T12:30:00Z", lead: "PT0S")
        let timeline = try made([meeting, alarm] + many, at: "2026-11-20T09:30:00Z")
        let first = (10...29).map { "m\($0)" }
        for id in ["preEvent/team/meeting", "start/team/meeting", "end/team/meeting", "start/team/alarm"] {
            let entry = try #require(timeline.entries.first { $0.id.hasPrefix(id) })
            #expect(entry.ongoing?.map(\.uid) == first, "\(id)")
        }
        let night = (10...34).map { timed("m\($0)", "2026-11-20T09:00:\($0)Z", "2026-11-22T14:00:00Z", lead: "PT0S") }
        let day = try #require(try made(night, at: "2026-11-20T09:30:00Z").entries.first { $0.phase == .day })
        #expect(day.ongoing?.map(\.uid) == first)
    }

    @Test("Ends, announcements and starts of one instant come in this order, and a day entry only where there is none")
    func oneInstant() throws {
        let before = timed("before", "2026-11-20T22:00:00Z", "2026-11-21T00:00:00Z")
        let after = timed("after", "2026-11-21T00:00:00Z", "2026-11-21T01:00:00Z", lead: "PT0S")
        let soon = timed("soon", "2026-11-21T00:30:00Z", "2026-11-21T01:00:00Z")
        let timeline = try made([after, soon, before], at: "2026-11-20T22:00:00Z")
        #expect(
            lines(timeline).prefix(5) == [
                "2026-11-20T22:00:00Z start before", "2026-11-21T00:00:00Z end before",
                "2026-11-21T00:00:00Z preEvent soon", "2026-11-21T00:00:00Z start after",
                "2026-11-21T00:30:00Z start soon",
            ])
        #expect(!timeline.entries.contains { $0.phase == .day })
    }

    @Test("Tentative occurrences say so in their own entries")
    func tentative() throws {
        let maybe = timed("maybe", "2026-11-20T12:00:00Z", "2026-11-20T13:00:00Z", isTentative: true)
        let timeline = try made([maybe], at: "2026-11-20T10:00:00Z")
        #expect(timeline.entries.map(\.isTentative) == [false, true, true, true, false])
    }

    @Test("An event that names the configuration's vehicle carries it in preEvent and start")
    func vehicles() throws {
        let mine = timed("mine", "2026-11-20T12:00:00Z", "2026-11-20T13:00:00Z", vehicleId: "bus-7")
        let other = timed("other", "2026-11-20T14:00:00Z", "2026-11-20T15:00:00Z", vehicleId: "bus-8")
        let vehicle = bus(.moving, observedAt: "2026-11-20T09:00:00Z", speed: 20)
        let timeline = try made([mine, other], at: "2026-11-20T10:00:00Z", vehicle: vehicle) { $0.vehicleId = "bus-7" }
        let carrying = timeline.entries.filter { $0.vehicle != nil }
        #expect(carrying.map(\.phase) == [.preEvent, .start] && carrying.allSatisfy { $0.event?.uid == "mine" })
        #expect(carrying[0].vehicle?.status == "Offline")
        let unheard = try made([mine], at: "2026-11-20T10:00:00Z") { $0.vehicleId = "bus-7" }
        #expect(unheard.entries.allSatisfy { $0.vehicle == nil })
        let unchosen = try made([mine], at: "2026-11-20T10:00:00Z", vehicle: vehicle)
        #expect(unchosen.entries.allSatisfy { $0.vehicle == nil })
    }

    @Test("Without day entries a tick shows the present, and the end is the due date unless midnight is sooner")
    func withoutDayEntries() throws {
        let off: [(String, ParameterValue)] = [("dayEntries", .bool(false))]
        let today = try made([meeting], at: "2026-11-20T10:00:00Z", options: off)
        #expect(lines(today).first == "2026-11-20T10:00:00Z tick meeting")
        #expect(today.policy == .atEnd && today.nextUpdate == at("2026-11-20T13:00:00Z"))
        let over = try made([meeting], at: "2026-11-20T13:00:00Z", options: off)
        #expect(lines(over) == ["2026-11-20T13:00:00Z end meeting"])
        #expect(over.policy == .after(at("2026-11-21T00:00:00Z")))
        let tomorrow = timed("tomorrow", "2026-11-21T12:00:00Z", "2026-11-21T13:00:00Z")
        let late = try made([tomorrow], at: "2026-11-20T10:00:00Z", options: off)
        #expect(late.policy == .after(at("2026-11-21T00:00:00Z")))
        let cut = try made([meeting, tomorrow], at: "2026-11-20T10:00:00Z", options: off) { $0.maximumEntries = 3 }
        #expect(lines(cut).last == "2026-11-20T12:00:00Z start meeting" && cut.policy == .atEnd)
        let none = try made([], at: "2026-11-20T10:00:00Z", options: off)
        #expect(lines(none) == ["2026-11-20T10:00:00Z tick"] && none.entries[0].event == nil)
        #expect(none.policy == .after(at("2026-11-21T00:00:00Z")))
        let midnight = timed("midnight", "2026-11-20T23:00:00Z", "2026-11-21T00:00:00Z")
        #expect(try made([midnight], at: "2026-11-20T10:00:00Z", options: off).policy == .atEnd)
    }

    @Test("Above the limit the next midnight stays, and what went makes the due date sooner")
    func limit() throws {
        let hours = (11...18).map {
            timed("h\($0)", "2026-11-20T\($0):00:00Z", "2026-11-20T\($0):30:00Z", lead: "PT0S")
        }
        let timeline = try made(hours, at: "2026-11-20T10:00:00Z", options: [("days", .number("5"))]) {
            $0.maximumEntries = 5
        }
        #expect(
            lines(timeline) == [
                "2026-11-20T00:00:00Z day", "2026-11-20T11:00:00Z start h11", "2026-11-20T11:30:00Z end h11",
                "2026-11-20T12:00:00Z start h12", "2026-11-21T00:00:00Z day",
            ])
        #expect(timeline.policy == .after(at("2026-11-20T12:30:00Z")))
    }

    @Test(
        "Midnights are those that exist",
        arguments: [
            ("America/Sao_Paulo", "2018-11-03T12:00:00Z", ["2018-11-03T03:00:00Z", "2018-11-04T03:00:00Z"]),
            ("America/Sao_Paulo", "2018-02-17T12:00:00Z", ["2018-02-17T02:00:00Z", "2018-02-18T03:00:00Z"]),
            ("Pacific/Apia", "2011-12-29T20:00:00Z", ["2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z"]),
            ("Europe/Berlin", "2026-03-29T12:00:00Z", ["2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"]),
            ("Europe/Berlin", "2026-10-25T12:00:00Z", ["2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"]),
            ("America/New_York", "2026-03-08T12:00:00Z", ["2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"]),
            ("America/New_York", "2026-11-01T12:00:00Z", ["2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"]),
            ("Australia/Lord_Howe", "2026-04-05T02:00:00Z", ["2026-04-04T13:00:00Z", "2026-04-05T13:30:00Z"]),
            ("Australia/Lord_Howe", "2026-10-04T02:00:00Z", ["2026-10-03T13:30:00Z", "2026-10-04T13:00:00Z"]),
        ])
    func midnights(zone: String, now: String, days: [String]) throws {
        let timeline = try made([], at: now, zone: zone)
        #expect(timeline.entries.map(\.date.rfc3339) == days)
        #expect(timeline.nextUpdate == timeline.entries[1].date)
    }

    @Test("An all-day occurrence on the day that Apia left out has no length")
    func missingDay() throws {
        let lost = allDay("lost", "2011-12-30", "2011-12-31")
        let timeline = try made([lost], at: "2011-12-29T20:00:00Z", zone: "Pacific/Apia")
        #expect(lines(timeline) == ["2011-12-29T10:00:00Z day", "2011-12-30T10:00:00Z start lost"])
    }

    @Test("What a configuration needs: its calendars for its days, its vehicle without refresh")
    func needs() throws {
        let used = try configuration(events(("days", .number("3")), ("preEventLead", .string("PT1H")))) {
            $0.vehicleId = "bus-7"
        }
        #expect(
            TimelineProvider.needs(of: used)
                == SourceNeeds(
                    vehicle: .init(vehicleId: "bus-7", refresh: nil, offlineAfter: .minutes(30)),
                    agenda: .init(calendarIds: ["team"], days: 3, preEventLead: lasting("PT1H"))))
        let bare = try configuration(events()) { ($0.vehicleId, $0.calendarIds) = ("0", []) }
        #expect(TimelineProvider.needs(of: bare) == SourceNeeds())
    }

    @Test("The range to expand holds every occurrence that the window includes")
    func range() {
        let need = SourceNeeds.AgendaNeed(calendarIds: ["team"], days: 1, preEventLead: lasting("P2DT1H"))
        var numbers = SplitMix64(seed: 3)
        for name in ["Pacific/Apia", "Europe/Berlin", "America/Sao_Paulo"] {
            let calendar = zone(name)
            for _ in 0..<500 {
                let now = Instant(milliseconds: Int64.random(in: 1_324_000_000...1_326_000_000, using: &numbers) * 1000)
                let start = now + .minutes(.random(in: -6000...6000, using: &numbers))
                let occurrence = Occurrence(
                    calendarId: "team", uid: "u", title: "t", when: .timed(start: start, end: start + .minutes(30)))
                let range = need.window(at: now, in: calendar).range()
                let overlaps = start < range.upperBound && start + .minutes(30) > range.lowerBound
                #expect(overlaps || !need.window(at: now, in: calendar).includes(occurrence))
            }
        }
    }
}
