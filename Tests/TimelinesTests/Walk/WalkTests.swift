import TestSupport
import Testing
import Timelines

@Suite("A walk through all timelines of a configuration")
struct WalkTests {
    private func tracker(_ members: (String, ParameterValue)...) throws -> WidgetConfiguration {
        let strategy = try TimelineStrategies.strategy(named: "status", options: options(members))
        return configuration(strategy) { $0.vehicleId = "bus-7" }
    }

    private func reports(_ states: (String, VehicleStatus, Double)...) -> WalkSources {
        WalkSources(vehicles: states.map { bus($1, observedAt: "2026-11-20T\($0)Z", speed: $2) })
    }

    @Test("A vehicle is refreshed at its interval, and at once when its status changes")
    func refreshes() throws {
        let sources = reports(
            ("09:59:00", .moving, 40), ("10:01:00", .moving, 41), ("10:03:00", .idling, 0), ("10:04:00", .idling, 0))
        #expect(
            walked(try tracker(), sources, "10:00:00", "10:09:00") == [
                "10:00:00Z configuration 1/1!",
                // What came at 10:01 had waited for this, which announces nothing: who shows it comes by itself.
                "10:02:00Z renewal 2/2",
                "10:03:00Z Moving-Idling 3/3!",
                "10:05:00Z renewal 3/4",
                "10:07:00Z renewal 3/5",
                "10:09:00Z renewal 3/6",
            ])
    }

    @Test("A parked vehicle is refreshed less often, and is never silent")
    func parked() throws {
        let sources = reports(("10:00:00", .moving, 40), ("10:01:00", .ignitionOff, 0))
        #expect(
            walked(try tracker(), sources, "10:00:00", "11:00:00") == [
                "10:00:00Z configuration 1/1!", "10:01:00Z Moving-IgnitionOff 2/2!", "10:16:00Z renewal 2/3",
                "10:31:00Z renewal 2/4", "10:46:00Z renewal 2/5",
            ])
    }

    @Test("A vehicle is waited for at the interval, and shown when it is first heard of")
    func firstHeardOf() throws {
        let sources = reports(("10:02:30", .idling, 0))
        #expect(
            walked(try tracker(), sources, "10:00:00", "10:05:00") == [
                "10:00:00Z configuration 1/1!", "10:02:00Z renewal 1/2", "10:02:30Z heard 2/3!",
                "10:04:30Z renewal 2/4",
            ])
    }

    @Test("Falling silent makes a timeline, counted from the newest record, and from then on it is refreshed as parked")
    func silence() throws {
        let sources = reports(("10:00:00", .moving, 40), ("10:00:30", .moving, 40))
        let used = try tracker(("every", .string("PT7M")), ("offlineAfter", .string("PT10M")))
        #expect(
            walked(used, sources, "10:00:00", "10:30:00") == [
                "10:00:00Z configuration 1/1!", "10:07:00Z renewal 1/2", "10:10:30Z silent 10m 2/3!",
                "10:25:30Z renewal 2/4",
            ])
        let steps = Array(
            TimelineWalk(
                of: used, from: at("2026-11-20T10:00:00Z"), until: at("2026-11-20T10:11:00Z"), sources: sources))
        #expect(steps.last.map { lines($0.timeline) } == ["2026-11-20T10:10:30Z stale"])
    }

    @Test("A vehicle that said itself that it is offline falls silent, too, and is heard of again")
    func silentOffline() throws {
        let sources = reports(("10:00:00", .offline, 0), ("10:20:00", .offline, 0))
        let used = try tracker(("offlineAfter", .string("PT10M")), ("parkedEvery", .string("PT1H")))
        #expect(
            walked(used, sources, "10:00:00", "10:29:00") == [
                "10:00:00Z configuration 1/1!", "10:10:00Z silent 10m 2/2!", "10:20:00Z Offline-Offline 3/3!",
            ])
    }

    @Test("Telemetry at the instant at which silence would begin breaks it")
    func silenceBroken() throws {
        let sources = reports(("10:00:00", .moving, 40), ("10:10:00", .moving, 40))
        let used = try tracker(("every", .string("PT1H")), ("offlineAfter", .string("PT10M")))
        #expect(
            walked(used, sources, "10:00:00", "10:20:00") == [
                "10:00:00Z configuration 1/1!", "10:20:00Z silent 10m 2/2!",
            ])
    }

    @Test("Several causes at one instant make one timeline")
    func together() throws {
        let sources = reports(("10:00:00", .moving, 40), ("10:02:00", .idling, 0), ("10:04:00", .idling, 1))
        #expect(
            walked(try tracker(), sources, "10:00:00", "10:05:00") == [
                "10:00:00Z configuration 1/1!", "10:02:00Z Moving-Idling 2/2", "10:04:00Z renewal 3/3",
            ])
        let silent = try tracker(("every", .string("PT10M")), ("offlineAfter", .string("PT10M")))
        #expect(
            walked(silent, reports(("10:00:00", .moving, 40)), "10:00:00", "10:11:00") == [
                "10:00:00Z configuration 1/1!", "10:10:00Z silent 10m 2/2",
            ])
    }

    @Test("With a sensitivity, change since the timeline was last made counts, not since the last record")
    func sensitivity() throws {
        var used = try tracker(("every", .string("PT10M")))
        used.sensitivity = .init(speed: 10)
        let sources = reports(
            ("10:00:00", .moving, 40), ("10:01:00", .moving, 46), ("10:02:00", .moving, 50), ("10:03:00", .moving, 59))
        #expect(
            walked(used, sources, "10:00:00", "10:12:00") == [
                "10:00:00Z configuration 1/1!", "10:02:00Z sensitivity 2/2!", "10:12:00Z renewal 3/3",
            ])
    }

    @Test("Events are made anew at local midnights, and telemetry in between that changes nothing makes nothing")
    func midnights() throws {
        var sources = reports(("10:00:00", .moving, 40), ("11:00:00", .moving, 60))
        sources.occurrences = [timed("lunch", "2026-11-20T12:00:00Z", "2026-11-20T13:00:00Z", vehicleId: "bus-7")]
        let used = configuration(try events(), timeZone: "Europe/Berlin")
        let walk = TimelineWalk(
            of: used, from: at("2026-11-20T10:00:00Z"), until: at("2026-11-22T23:00:00Z"), sources: sources)
        #expect(
            walk.map(line) == [
                "2026-11-20T10:00:00Z configuration 1/1!", "2026-11-20T23:00:00Z renewal 2/2",
                "2026-11-21T23:00:00Z renewal 3/3", "2026-11-22T23:00:00Z renewal 4/4",
            ])
        #expect(
            walk.first { _ in true }.map { lines($0.timeline) } == [
                "2026-11-19T23:00:00Z day", "2026-11-20T11:30:00Z preEvent lunch", "2026-11-20T12:00:00Z start lunch",
                "2026-11-20T13:00:00Z end lunch", "2026-11-20T23:00:00Z day",
            ])
        let withVehicle = configuration(try events()) { $0.vehicleId = "bus-7" }
        #expect(
            walked(withVehicle, sources, "10:00:00", "12:00:00") == [
                "10:00:00Z configuration 1/1!", "10:30:00Z silent 30m 2/2!", "11:00:00Z Offline-Moving 3/3!",
                "11:30:00Z silent 30m 4/4!",
            ])
    }

    @Test("Who is not signed in sees nothing of vehicles, made anew every quarter of an hour")
    func signedOut() throws {
        var used = try tracker()
        used.isSignedIn = false
        let sources = reports(("10:00:00", .moving, 40), ("10:03:00", .idling, 0))
        #expect(
            walked(used, sources, "10:00:00", "10:20:00") == [
                "10:00:00Z configuration 1/1!", "10:15:00Z renewal 1/2",
            ])
    }

    @Test("A configuration that cannot be used has one timeline, which says why")
    func unusable() {
        let walk = TimelineWalk(
            of: .failure(ConfigurationProblem(key: "family", "must be one of …")), from: at("2026-11-20T10:00:00Z"),
            until: at("2027-11-20T10:00:00Z"), sources: WalkSources())
        #expect(walk.map(line) == ["2026-11-20T10:00:00Z configuration 1/1!"])
        #expect(walk.first { _ in true }?.timeline.entries.first?.message?.text == "family: must be one of …")
    }

    @Test("The instant at which a walk ends belongs to it, and it can be walked again")
    func bounds() throws {
        let walk = TimelineWalk(
            of: try tracker(), from: at("2026-11-20T10:00:00Z"), until: at("2026-11-20T10:04:00Z"),
            sources: WalkSources())
        #expect(walk.map(\.at.rfc3339).map { $0.suffix(9) } == ["10:00:00Z", "10:02:00Z", "10:04:00Z"])
        #expect(Array(walk) == Array(walk))
        let short = TimelineWalk(
            of: try tracker(), from: walk.at, until: walk.at, sources: WalkSources())
        #expect(Array(short) == Array(walk.prefix(1)))
    }

    @Test("A change is judged against what is displayed, not against a timeline in between that was not announced")
    func displayed() throws {
        var used = configuration(try TimelineStrategies.strategy(named: "schedule")) { $0.vehicleId = "bus-7" }
        used.family = .systemSmall
        used.sensitivity = .init(distance: 100)
        // Each report is of another place with the same address, and says something else of 10:04 alone.
        let sources = WalkSources(
            vehicles: [("10:00:00", 50.00, 1), ("10:01:30", 50.01, 2), ("10:02:30", 50.02, 3)].map {
                time, place, fuel in
                var vehicle = bus(
                    .moving, observedAt: "2026-11-20T\(time)Z", latitude: place, longitude: 10, address: "Depot")
                vehicle.series = [
                    .init(
                        name: "fuel",
                        points: [
                            .init(at: at("2026-11-20T09:00:00Z"), value: 9),
                            .init(at: at("2026-11-20T10:04:00Z"), value: fuel),
                        ])
                ]
                return vehicle
            })
        // The first timeline is displayed until 10:04.
        #expect(
            walked(used, sources, "10:00:00", "10:03:00") == [
                "10:00:00Z configuration 1/1!", "10:01:30Z sensitivity 2/2", "10:02:30Z sensitivity 3/3",
            ])
    }

    @Test("A day of a tracker is 721 timelines, made in a moment")
    func day() throws {
        let walk = TimelineWalk(
            of: try tracker(), from: at("2026-11-20T00:00:00Z"), until: at("2026-11-21T00:00:00Z"),
            sources: reports())
        let clock = ContinuousClock()
        var count = 0
        let took = clock.measure { count = walk.reduce(0) { count, _ in count + 1 } }
        #expect(count == 721)
        // Some 20 ms without optimisation; what asks the time zone anew for each would take seconds.
        #expect(took < .seconds(1))
    }
}
