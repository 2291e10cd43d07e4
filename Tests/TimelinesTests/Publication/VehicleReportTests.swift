import TestSupport
import Testing
import Timelines

@Suite("What telemetry brings that makes a timeline at once (T12)")
struct VehicleReportTests {
    private let need = SourceNeeds.VehicleNeed(
        vehicleId: "bus-7", offlineAfter: ElapsedTime.minutes(10), ElapsedTime.minutes(30))
    private let noon = at("2026-11-20T12:00:00Z")

    private func minutes(_ minutes: Int64) -> Instant { noon + .minutes(minutes) }

    @Test("A change of status is news, silence and its end are changes of status")
    func status() {
        let moving = bus(.moving, observedAt: noon.rfc3339)
        let report = VehicleReport(of: moving, at: noon, for: need, sensitivity: nil)
        #expect(report == VehicleReport(at: noon, status: .moving, silences: 0, vehicle: nil))
        func news(_ vehicle: Vehicle, _ at: Instant) -> VehicleNews? {
            report.news(of: vehicle, at: at, for: need, sensitivity: nil)
        }
        #expect(news(bus(.moving, observedAt: minutes(5).rfc3339, speed: 90), minutes(5)) == nil)
        #expect(news(bus(.idling, observedAt: minutes(5).rfc3339), minutes(5)) == .status(from: .moving, to: .idling))
        #expect(news(moving, minutes(10)) == .status(from: .moving, to: .offline))
        let unheard = VehicleReport(of: nil, at: noon, for: need, sensitivity: nil)
        #expect(unheard.status == nil && unheard.silences == 0)
        #expect(
            unheard.news(of: moving, at: noon, for: need, sensitivity: nil) == .status(from: nil, to: .moving))
        #expect(unheard.news(of: Vehicle(vehicleId: "bus-7"), at: noon, for: need, sensitivity: nil) == nil)
        // A vehicle that says itself that it is offline is silent all the same, and is heard of again.
        let offline = bus(.offline, observedAt: noon.rfc3339)
        let silent = VehicleReport(of: offline, at: minutes(12), for: need, sensitivity: nil)
        #expect(silent.silences == 1)
        let again = bus(.offline, observedAt: minutes(13).rfc3339)
        #expect(
            silent.news(of: again, at: minutes(13), for: need, sensitivity: nil)
                == .status(from: .offline, to: .offline))
    }

    @Test("A sensitivity counts from what was reported")
    func sensitivity() {
        let sensitivity = WidgetConfiguration.Sensitivity(speed: 10)
        let report = VehicleReport(
            of: bus(.moving, observedAt: noon.rfc3339, speed: 40), at: noon, for: need, sensitivity: sensitivity)
        #expect(report.vehicle?.speed == 40)
        func news(_ speed: Double) -> VehicleNews? {
            let vehicle = bus(.moving, observedAt: minutes(1).rfc3339, speed: speed)
            return report.news(of: vehicle, at: minutes(1), for: need, sensitivity: sensitivity)
        }
        #expect(news(49) == nil && news(50) == .sensitivity && news(30) == .sensitivity)
    }

    @Test("Each silence is due once, and none while the ignition is off")
    func silences() {
        let moving = bus(.moving, observedAt: noon.rfc3339)
        func next(_ vehicle: Vehicle, _ at: Instant) -> Instant? {
            VehicleReport(of: vehicle, at: at, for: need, sensitivity: nil).nextSilence(of: vehicle, for: need)?.at
        }
        #expect(next(moving, noon) == minutes(10) && next(moving, minutes(10)) == minutes(30))
        #expect(next(moving, minutes(30)) == nil)
        #expect(next(bus(.ignitionOff, observedAt: noon.rfc3339), noon) == nil)
        let report = VehicleReport(of: moving, at: noon, for: need, sensitivity: nil)
        #expect(report.nextSilence(of: moving, for: need)?.length == .minutes(10))
    }
}
