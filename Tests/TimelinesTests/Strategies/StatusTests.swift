import TestSupport
import Testing
import Timelines

@Suite("The strategy status")
struct StatusTests {
    let now = at("2026-11-20T10:00:00Z")

    func made(
        _ vehicle: Vehicle?, _ strategy: (String, ParameterValue)...,
        change: (inout WidgetConfiguration) -> Void = { _ in }
    ) throws -> Timeline {
        let strategy = try TimelineStrategies.strategy(named: "status", options: options(strategy))
        let used = configuration(strategy) {
            $0.vehicleId = "bus-7"
            change(&$0)
        }
        return TimelineProvider.timeline(for: TimelineRequest(configuration: used, vehicle: vehicle, at: now))
    }

    @Test("A vehicle that drives is shown, stale after three intervals, due after one")
    func moving() throws {
        let vehicle = bus(
            .moving, observedAt: "2026-11-20T09:58:00Z", speed: 41.5, latitude: 50.7, longitude: -7.123456,
            address: "Market 1")
        let timeline = try made(vehicle)
        #expect(lines(timeline) == ["2026-11-20T10:00:00Z status", "2026-11-20T10:06:00Z stale"])
        #expect(timeline.policy == .after(at("2026-11-20T10:02:00Z")))
        #expect(timeline.nextUpdate == at("2026-11-20T10:02:00Z") && timeline.validUntil == at("2026-11-20T10:06:00Z"))
        let view = try #require(timeline.entries[0].vehicle)
        #expect(view.status == "Moving" && view.speed == 41.5 && view.location == "Market 1")
        #expect(view.latitude == 50.7 && view.longitude == -7.123456)
        #expect(timeline.entries[1].vehicle == view)
        #expect(timeline.entries.map(\.relevance?.score) == [0.8, nil])
        #expect(timeline.entries[1].id == "stale/2026-11-20T10:06:00Z")
    }

    @Test("Parked and offline vehicles wait longer", arguments: [VehicleStatus.ignitionOff, .offline])
    func parked(status: VehicleStatus) throws {
        let timeline = try made(bus(status, observedAt: "2026-11-20T09:58:00Z"))
        #expect(lines(timeline) == ["2026-11-20T10:00:00Z status", "2026-11-20T10:45:00Z stale"])
        #expect(timeline.nextUpdate == at("2026-11-20T10:15:00Z"))
        #expect(timeline.entries[0].relevance?.score == 0.5)
    }

    @Test("Other statuses are refreshed as while driving", arguments: [VehicleStatus.idling, .stopped, .charging])
    func waiting(status: VehicleStatus) throws {
        let timeline = try made(bus(status, observedAt: "2026-11-20T09:58:00Z"))
        #expect(timeline.nextUpdate == at("2026-11-20T10:02:00Z") && timeline.entries[0].relevance?.score == 0.5)
    }

    @Test("A vehicle silent for offlineAfter is stale and Offline at once, but not one with its ignition off")
    func silent() throws {
        let timeline = try made(bus(.moving, observedAt: "2026-11-20T09:30:00Z", speed: 20))
        #expect(lines(timeline) == ["2026-11-20T10:00:00Z stale"])
        #expect(timeline.entries[0].vehicle?.status == "Offline" && timeline.entries[0].vehicle?.speed == 20)
        #expect(timeline.nextUpdate == at("2026-11-20T10:15:00Z") && timeline.validUntil == timeline.nextUpdate)
        #expect(try made(bus(.moving, observedAt: "2026-11-20T09:30:00.001Z")).entries[0].vehicle?.status == "Moving")
        #expect(try made(bus(.ignitionOff, observedAt: "2026-11-19T09:30:00Z")).entries[0].phase == .status)
        let reported = try made(bus(.offline, observedAt: "2026-11-20T09:00:00Z"))
        #expect(reported.entries.map(\.phase) == [.stale])
        let patient = try made(bus(.moving, observedAt: "2026-11-20T09:30:00Z"), ("offlineAfter", .string("PT31M")))
        #expect(patient.entries[0].phase == .status)
    }

    @Test("No vehicle chosen asks for one", arguments: [nil, "", "0"])
    func nothingChosen(vehicleId: String?) throws {
        let timeline = try made(nil) { $0.vehicleId = vehicleId }
        #expect(lines(timeline) == ["2026-11-20T10:00:00Z selectVehicle"])
        #expect(timeline.policy == .after(at("2026-11-20T10:15:00Z")))
        #expect(timeline.entries[0].message?.code == .selectVehicle)
        #expect(TimelineProvider.needs(of: try configuration(status()) { $0.vehicleId = vehicleId }) == SourceNeeds())
    }

    @Test("A vehicle not yet heard of is a placeholder, even where its name is known")
    func unheard() throws {
        var named = Vehicle(vehicleId: "bus-7")
        named.registration = "SU-XX 7"
        for vehicle in [nil, named] {
            let timeline = try made(vehicle)
            #expect(lines(timeline) == ["2026-11-20T10:00:00Z placeholder"])
            #expect(timeline.policy == .after(at("2026-11-20T10:02:00Z")))
            let view = try #require(timeline.entries[0].vehicle)
            #expect([view.registration, view.status, view.location] == ["Loading...", "Loading...", "Loading..."])
            #expect(timeline.entries[0].message?.code == .loading && !timeline.entries[0].isSample)
        }
    }

    @Test("lowFrequency uses the parked interval throughout")
    func lowFrequency() throws {
        let timeline = try made(bus(.moving, observedAt: "2026-11-20T09:58:00Z")) { $0.mode = .lowFrequency }
        #expect(lines(timeline).last == "2026-11-20T10:45:00Z stale")
        #expect(timeline.nextUpdate == at("2026-11-20T10:15:00Z"))
        #expect(try made(nil) { $0.mode = .lowFrequency }.nextUpdate == at("2026-11-20T10:15:00Z"))
    }

    @Test("A limit of one leaves the status, and intervals of days are local days")
    func limitsAndDays() throws {
        let one = try made(bus(.moving, observedAt: "2026-11-20T09:58:00Z")) { $0.maximumEntries = 1 }
        #expect(lines(one) == ["2026-11-20T10:00:00Z status"] && one.nextUpdate == at("2026-11-20T10:02:00Z"))
        let used = try configuration(status(("every", .string("P1D"))), timeZone: "Europe/Berlin") {
            $0.vehicleId = "bus-7"
        }
        let vehicle = bus(.moving, observedAt: "2026-03-28T10:59:00Z")
        let request = TimelineRequest(configuration: used, vehicle: vehicle, at: at("2026-03-28T11:00:00Z"))
        let timeline = TimelineProvider.timeline(for: request)
        #expect(timeline.nextUpdate == at("2026-03-29T10:00:00Z"))
        let refresh = try #require(TimelineProvider.needs(of: used).vehicle?.refresh)
        #expect(refresh.nextUpdate(after: request.at, status: .moving) == timeline.nextUpdate)
    }

    @Test("The vehicle's task reckons the same due date", arguments: VehicleStatus.allCases)
    func sameDueDate(status used: VehicleStatus) throws {
        let need = try #require(
            TimelineProvider.needs(of: try configuration(status()) { $0.vehicleId = "bus-7" }).vehicle)
        for observedAt in ["2026-11-20T09:59:00Z", "2026-11-20T08:00:00Z"] {
            let vehicle = bus(used, observedAt: observedAt)
            let due = need.refresh?.nextUpdate(
                after: now, status: vehicle.status(at: now, offlineAfter: need.offlineAfter))
            #expect(try made(vehicle).nextUpdate == due)
        }
    }

    @Test("Without an address the place is its coordinates with five decimals, rounded as C rounds")
    func coordinates() {
        let places: [(Double, Double, String)] = [
            (29.51, -95.1234567, "29.51000, -95.12346"), (0, -0.000001, "0.00000, 0.00000"),
            (1.000015, 0.015625, "1.00002, 0.01562"), (-1.000015, -0.5, "-1.00002, -0.50000"),
            (1.000005, 33.333335, "1.00001, 33.33333"), (90, 180, "90.00000, 180.00000"),
        ]
        for (latitude, longitude, text) in places {
            let vehicle = bus(.moving, observedAt: "2026-11-20T09:58:00Z", latitude: latitude, longitude: longitude)
            #expect(vehicle.location == text)
        }
        #expect(bus(.moving, observedAt: "2026-11-20T09:58:00Z", latitude: 1).location == nil)
    }

    @Test("Samples repeat after five, and ids and places are those of the gallery")
    func samples() {
        let samples = (0..<6).map { TimelineEntry.VehicleView.sample($0) }
        #expect(samples.map(\.status) == ["Moving", "Idling", "Stopped", "IgnitionOff", "Moving", "Moving"])
        #expect(samples.map(\.speed) == [40, 0, 0, 0, 80, 40])
        #expect(samples.allSatisfy { $0.vehicleId == "0" && $0.registration == "AABBCCGP" })
        #expect(samples.allSatisfy { $0.location == "Street address" && $0.observedAt == nil })
    }

    @Test("Sensitivity is a change of speed or a way along the great circle")
    func sensitivity() {
        let old = bus(.moving, observedAt: "2026-11-20T09:58:00Z", speed: 50, latitude: 50, longitude: 7)
        var new = old
        (new.speed, new.latitude) = (59.9, 50.0008993)
        #expect(!WidgetConfiguration.Sensitivity().isExceeded(from: old, to: new))
        #expect(WidgetConfiguration.Sensitivity(distance: 99.9).isExceeded(from: old, to: new))
        #expect(!WidgetConfiguration.Sensitivity(distance: 100.1).isExceeded(from: old, to: new))
        #expect(!WidgetConfiguration.Sensitivity(speed: 10).isExceeded(from: old, to: new))
        new.speed = 40
        #expect(WidgetConfiguration.Sensitivity(speed: 10).isExceeded(from: old, to: new))
        new.speed = nil
        #expect(!WidgetConfiguration.Sensitivity(speed: 10).isExceeded(from: old, to: new))
        (new.latitude, new.longitude) = (50, 8)
        #expect(WidgetConfiguration.Sensitivity(distance: 71_000).isExceeded(from: old, to: new))
        #expect(!WidgetConfiguration.Sensitivity(distance: 72_000).isExceeded(from: old, to: new))
    }
}
