import TestSupport
import Testing
import Timelines

/// The rules for every strategy (T1 to T16), on drafts drawn for the purpose.
@Suite("Rules for every strategy")
struct RulesTests {
    let now = at("2026-11-20T10:00:00Z")

    func made(
        _ strategy: DrawnStrategy, _ change: (inout WidgetConfiguration) -> Void = { _ in }
    ) -> Timeline {
        TimelineProvider.timeline(for: TimelineRequest(configuration: configuration(strategy, change), at: now))
    }

    func ticks(_ hours: ClosedRange<Int>) -> [TimelineEntry] {
        hours.map { entry(.tick, "2026-11-20T\($0 < 10 ? "0" : "")\($0):00:00Z") }
    }

    @Test("T2: the last entry not later than now is in force, older ones are left out")
    func inForce() {
        let timeline = made(DrawnStrategy(ticks(8...12)))
        #expect(lines(timeline).first == "2026-11-20T10:00:00Z tick")
        #expect(timeline.entries.count == 3)
    }

    @Test("T2: where all entries lie in the future a tick shows the present")
    func present() {
        let timeline = made(DrawnStrategy(ticks(11...12).reversed()))
        #expect(lines(timeline) == [10, 11, 12].map { "2026-11-20T\($0):00:00Z tick" })
        #expect(lines(made(DrawnStrategy([]))) == ["2026-11-20T10:00:00Z tick"])
    }

    @Test("T3: at one instant end, preEvent, start, then others; ties by calendarId, uid, start; the same id once")
    func order() {
        let time = "2026-11-20T11:00:00Z"
        let (a, b) = (timed("a", time, time, calendarId: "z"), timed("b", time, time, calendarId: "y"))
        let (c, d) = (timed("ä", time, time, calendarId: "y"), timed("z", time, time, calendarId: "y"))
        let timeline = made(
            DrawnStrategy([
                entry(.day, time), entry(.start, time, a), entry(.start, time, c), entry(.preEvent, time, a),
                entry(.end, time, a), entry(.end, time, b), entry(.start, time, d), entry(.start, time, b),
                entry(.start, time, a), entry(.day, time),
            ]))
        let expected = ["tick", "end b", "end a", "preEvent a", "start b", "start z", "start ä", "start a", "day"]
        #expect(lines(timeline).map { String($0.drop { $0 != " " }.dropFirst()) } == expected)
    }

    @Test("T4: future day entries go first, the farthest before the nearer; then the far end goes")
    func limit() {
        let midnights = (21...25).map { entry(.day, "2026-11-\($0)T00:00:00Z") }
        let strategy = DrawnStrategy(ticks(9...13) + midnights + [entry(.tick, "2026-11-26T00:00:00Z")])
        let phases = { (limit: Int) in
            lines(made(strategy) { $0.maximumEntries = limit }).map { String($0.dropFirst(8).prefix(5)) }
        }
        #expect(phases(10).count == 10)
        #expect(phases(7) == ["20T10", "20T11", "20T12", "20T13", "21T00", "22T00", "26T00"])
        #expect(phases(5) == ["20T10", "20T11", "20T12", "20T13", "21T00"])
        #expect(phases(2) == ["20T10", "21T00"])
        #expect(phases(1) == ["20T10"])
    }

    @Test("T4: the family decides where no limit is given", arguments: WidgetFamily.allCases)
    func families(family: WidgetFamily) {
        let strategy = DrawnStrategy((0..<60).map { entry(.tick, "2026-11-20T11:\($0 < 10 ? "0" : "")\($0):00Z") })
        let counts: [WidgetFamily: Int] = [.systemSmall: 5, .systemMedium: 10]
        #expect(made(strategy) { $0.family = family }.entries.count == counts[family] ?? 20)
        #expect(made(strategy) { ($0.family, $0.maximumEntries) = (family, 33) }.entries.count == 33)
    }

    @Test("T4: the due date is that of the entries that stay, or the first that went if that is sooner")
    func policyAfterLimit() {
        let cut = made(DrawnStrategy(ticks(10...20))) { $0.maximumEntries = 4 }
        #expect(cut.policy == .atEnd && cut.nextUpdate == at("2026-11-20T13:00:00Z"))

        let wentBefore = DrawnStrategy(
            ticks(10...12) + ["11T", "22T", "23T"].map { entry(.day, "2026-11-\($0)00:00:00Z") }
                + [entry(.tick, "2026-11-24T00:00:00Z")])
        let dayWent = made(wentBefore) { $0.maximumEntries = 4 }
        #expect(lines(dayWent).last == "2026-11-24T00:00:00Z tick")
        #expect(dayWent.policy == .after(at("2026-11-22T00:00:00Z")))

        let late = made(DrawnStrategy(ticks(10...20), policy: .after(at("2026-11-20T18:30:00Z")))) {
            $0.maximumEntries = 4
        }
        #expect(late.policy == .after(at("2026-11-20T14:00:00Z")))
        let early = made(DrawnStrategy(ticks(10...20), policy: .after(at("2026-11-20T13:30:00Z")))) {
            $0.maximumEntries = 4
        }
        #expect(early.policy == .after(at("2026-11-20T13:30:00Z")))
        let never = made(DrawnStrategy(ticks(10...20), policy: .never)) { $0.maximumEntries = 4 }
        #expect(never.policy == .never && never.nextUpdate == nil && never.validUntil == nil)
    }

    @Test("T4: two entries of one instant with the limit between them make that instant the due date")
    func limitWithinAnInstant() {
        let event = timed("a", "2026-11-20T11:00:00Z", "2026-11-20T12:00:00Z")
        let timeline = made(
            DrawnStrategy(
                ticks(10...10) + [entry(.end, "2026-11-20T11:00:00Z", event), entry(.day, "2026-11-20T11:00:00Z")])
        ) { $0.maximumEntries = 2 }
        #expect(timeline.policy == .after(at("2026-11-20T11:00:00Z")))
    }

    @Test("T4: dates that a strategy did not make count as entries that went")
    func leftOutByTheStrategy() {
        var strategy = DrawnStrategy(ticks(10...11), policy: .after(at("2026-11-20T15:00:00Z")))
        strategy.firstLeftOut = at("2026-11-20T12:00:00Z")
        #expect(made(strategy).policy == .after(at("2026-11-20T12:00:00Z")))
    }

    @Test("T5: a timeline that ends now is due one interval later, else at the next local midnight, or sooner")
    func neverDueAtOnce() {
        let only = ticks(9...10)
        #expect(made(DrawnStrategy(only, interval: .minutes(7))).policy == .after(at("2026-11-20T10:07:00Z")))
        #expect(made(DrawnStrategy(only)).policy == .after(at("2026-11-21T00:00:00Z")))
        let local = made(DrawnStrategy(only)) { $0.timeZone = "Asia/Tokyo" }
        #expect(local.policy == .after(at("2026-11-20T15:00:00Z")))
        let cut = made(DrawnStrategy(ticks(9...12))) { $0.maximumEntries = 1 }
        #expect(cut.policy == .after(at("2026-11-20T11:00:00Z")))
    }

    @Test("T5: a timeline can be believed until its first stale entry in the future")
    func validUntil() {
        let policy = TimelineReloadPolicy.after(at("2026-11-20T10:30:00Z"))
        let stale = made(DrawnStrategy(ticks(10...10) + [entry(.stale, "2026-11-20T11:00:00Z")], policy: policy))
        #expect(stale.validUntil == at("2026-11-20T11:00:00Z"))
        let past = made(DrawnStrategy([entry(.stale, "2026-11-20T10:00:00Z")], policy: policy))
        #expect(past.validUntil == at("2026-11-20T10:30:00Z"))
    }

    @Test("T7: an id names phase, calendar, uid and occurrence, or phase and date")
    func identifiers() {
        let time = "2026-11-20T11:00:00Z"
        let moved = timed("b", time, time, recurrenceId: "2026-11-19T11:00:00Z")
        let timeline = made(
            DrawnStrategy([
                entry(.preEvent, time, allDay("a", "2026-11-21", "2026-11-22")), entry(.start, time, moved),
                entry(.end, time, timed("c", "2026-11-20T09:00:00Z", time)), entry(.day, time),
            ]))
        #expect(
            timeline.entries.map(\.id) == [
                "tick/2026-11-20T10:00:00Z", "end/team/c/2026-11-20T09:00:00Z", "preEvent/team/a/2026-11-21",
                "start/team/b/2026-11-19T11:00:00Z", "day/2026-11-20T11:00:00Z",
            ])
    }

    @Test("T8: parameters are in every entry, over the strategy's defaults")
    func parameters() {
        var strategy = DrawnStrategy(ticks(11...12))
        strategy.parameterDefaults = options([("city", .string("San Francisco")), ("unit", .string("C"))])
        let timeline = made(strategy) { $0.parameters = options([("city", .string("Bonn"))]) }
        let expected = options([("city", .string("Bonn")), ("unit", .string("C"))])
        #expect(timeline.entries.count == 3 && timeline.entries.allSatisfy { $0.parameters == expected })
    }

    @Test("T11: a tick shows what is under way and began last, else what comes next before the window ends")
    func ticksShowThePresent() {
        var strategy = DrawnStrategy([])
        strategy.agenda = .init(calendarIds: ["team"], days: 2, preEventLead: .minutes(30))
        let shown = { (occurrences: [Occurrence]) -> String? in
            let request = TimelineRequest(
                configuration: configuration(strategy), occurrences: occurrences, at: at("2026-11-20T10:00:00Z"))
            return TimelineProvider.timeline(for: request).entries[0].event?.uid
        }
        let long = timed("long", "2026-11-20T08:00:00Z", "2026-11-20T18:00:00Z")
        let short = timed("short", "2026-11-20T09:00:00Z", "2026-11-20T11:00:00Z")
        let over = timed("over", "2026-11-20T09:30:00Z", "2026-11-20T10:00:00Z")
        let moment = timed("moment", "2026-11-20T10:00:00Z", "2026-11-20T10:00:00Z")
        let soon = timed("soon", "2026-11-20T10:30:00Z", "2026-11-20T11:00:00Z")
        let justOutside = timed("outside", "2026-11-22T00:00:00Z", "2026-11-22T01:00:00Z")
        #expect(shown([soon, long, short, over]) == "short")
        #expect(shown([moment, long]) == "moment")
        #expect(shown([over, soon]) == "soon")
        #expect(shown([over, justOutside]) == nil)
        #expect(shown([long, timed("long2", "2026-11-20T08:00:00Z", "2026-11-20T09:00:00Z")]) == "long")
        #expect(
            shown([soon, timed("soon", "2026-11-20T10:30:00Z", "2026-11-20T11:00:00Z", calendarId: "a")]) == "soon")
    }

    @Test("T11: of each series a tick shows the latest point at or before it")
    func values() {
        var vehicle = bus(.moving, observedAt: "2026-11-20T09:31:00Z", speed: 30)
        vehicle.series = [
            .init(name: "fuel", points: [.init(at: at("2026-11-20T09:00:00Z"), value: 3), .init(at: now, value: 2)]),
            .init(name: "later", points: [.init(at: at("2026-11-20T11:00:00Z"), value: 9)]),
        ]
        let used = configuration(DrawnStrategy([])) { $0.vehicleId = "bus-7" }
        let tick = TimelineProvider.timeline(for: .init(configuration: used, vehicle: vehicle, at: now)).entries[0]
        #expect(tick.values == [.init(name: "fuel", value: 2)])
        #expect(tick.vehicle?.status == "Moving" && tick.relevance == nil)
        let later = at("2026-11-20T10:01:00Z")
        let silent = TimelineProvider.timeline(for: .init(configuration: used, vehicle: vehicle, at: later)).entries[0]
        #expect(silent.vehicle?.status == "Offline")
        let unheard = TimelineProvider.timeline(
            for: .init(configuration: used, vehicle: Vehicle(vehicleId: "bus-7"), at: now)
        ).entries[0]
        #expect(unheard.vehicle == nil)
    }

    @Test("T13: signed out is one entry without vehicle, event and parameters, due in 15 minutes")
    func signedOut() throws {
        let used = try configuration(status()) {
            ($0.isSignedIn, $0.vehicleId, $0.parameters) = (false, "bus-7", options([("a", .null)]))
        }
        let vehicle = bus(.moving, observedAt: "2026-11-20T09:59:00Z")
        let timeline = TimelineProvider.timeline(for: .init(configuration: used, vehicle: vehicle, at: now))
        #expect(lines(timeline) == ["2026-11-20T10:00:00Z signedOut"])
        #expect(timeline.policy == .after(at("2026-11-20T10:15:00Z")) && timeline.validUntil == timeline.nextUpdate)
        let entry = timeline.entries[0]
        #expect(entry.vehicle == nil && entry.parameters.isEmpty && entry.message?.code == .signedOut)
        #expect(entry.id == "signedOut/2026-11-20T10:00:00Z" && entry.relevance == nil)
        #expect(TimelineProvider.needs(of: used) == SourceNeeds())
    }

    @Test("T15: what cannot be used is one error entry whose message names the key")
    func unusable() {
        let problem = ConfigurationProblem(key: "family", "must be systemMedium")
        let parameters = options([("a", .number("1"))])
        let timeline = TimelineProvider.errorTimeline(problem, at: now, parameters: parameters)
        #expect(lines(timeline) == ["2026-11-20T10:00:00Z error"])
        #expect(timeline.policy == .never && timeline.nextUpdate == nil && timeline.validUntil == nil)
        let entry = timeline.entries[0]
        #expect(entry.message == .init("family: must be systemMedium", code: .configurationInvalid))
        #expect(entry.relevance?.score == 0.3 && entry.parameters == parameters)
        let lost = made(DrawnStrategy([])) { $0.timeZone = "Europe/Atlantis" }
        #expect(lost.entries[0].phase == .error && lost.entries[0].message?.text.hasPrefix("timeZone: ") == true)
    }
}
