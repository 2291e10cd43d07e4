import Messages
import TestSupport
import Testing
import Timelines

@Suite struct TelemetryApplyTests {
    private let known = #"""
        {"vehicleId": "v", "observedAt": 2000, "status": "Moving", "speed": 40, "latitude": 1, "longitude": 2,
         "heading": 90, "address": "Here", "registration": "R", "alias": "A", "customAddressIcon": "I",
         "series": {"fuel": [{"at": 1, "value": 7}]}}
        """#

    @Test("an older record is late and changes nothing, of equal ones the later to arrive wins")
    func lastWriterWins() throws {
        let before = try vehicle(known).0
        let late = try vehicle(#"{"vehicleId": "v", "observedAt": 1999, "speed": 0, "alias": "B"}"#, from: before)
        #expect(late.1 == .late)
        #expect(late.0 == before)
        let equal = try vehicle(#"{"vehicleId": "v", "observedAt": 2000, "ignition": false}"#, from: before)
        #expect(equal.1 == .applied)
        #expect(equal.0.status == .ignitionOff)
    }

    @Test("a newer record replaces the older as a whole, but registration, alias, icon and series stay known")
    func replacesAsAWhole() throws {
        let after = try vehicle(#"{"vehicleId": "v", "observedAt": 3000, "ignition": false}"#, from: vehicle(known).0).0
        var expected = Vehicle(vehicleId: "v")
        expected.registration = "R"
        expected.alias = "A"
        expected.customAddressIcon = "I"
        expected.series = [.init(name: "fuel", points: [.init(at: Instant(milliseconds: 1), value: 7)])]
        expected.status = .ignitionOff
        expected.observedAt = Instant(milliseconds: 3000)
        #expect(after == expected)
    }

    @Test("null clears what stays known")
    func nullClears() throws {
        let text = #"""
            {"vehicleId": "v", "observedAt": 3000, "speed": 1, "registration": null, "alias": null,
             "customAddressIcon": null, "series": null}
            """#
        let after = try vehicle(text, from: vehicle(known).0).0
        #expect(after.registration == nil)
        #expect(after.alias == nil)
        #expect(after.customAddressIcon == nil)
        #expect(after.series.isEmpty)
    }

    @Test("master data leaves status, position and observedAt")
    func masterData() throws {
        let before = try vehicle(known).0
        let text = #"{"vehicleId": "v", "observedAt": 3000, "alias": "B", "speed": null, "address": "There"}"#
        let (after, outcome) = try vehicle(text, from: before)
        var expected = before
        expected.alias = "B"
        #expect(outcome == .applied)
        #expect(after == expected)
        let first = try vehicle(text).0
        #expect(!first.hasBeenHeardOf)
        #expect(first.observedAt == nil)
    }

    @Test("what a producer writes is what is read")
    func roundTrip() throws {
        var generator = SplitMix64(seed: 42)
        var writer = JSONWriter()
        var reader = TelemetryReader()
        for _ in 0..<5_000 {
            let message = TelemetryMessage(random: &generator)
            writer.removeAll()
            message.write(to: &writer)
            try writer.withUnsafeBytes { bytes in
                let record = try reader.read(bytes)
                var vehicle = Vehicle(vehicleId: String(record.vehicleId))
                #expect(record.apply(to: &vehicle) == .applied)
                #expect(record.observedAt == message.observedAt)
                #expect(vehicle == message.vehicle)
                let before = vehicle
                #expect(record.apply(to: &vehicle) == .applied)
                #expect(vehicle == before)
            }
        }
    }
}

extension TelemetryMessage {
    fileprivate init(random generator: inout SplitMix64) {
        let milliseconds = Int64.random(in: 0...4_102_444_800_000, using: &generator)
        self.init(vehicleId: generator.text(), observedAt: Instant(milliseconds: milliseconds))
        status = generator.maybe { VehicleStatus.allCases.randomElement(using: &$0)! }
        ignition = generator.maybe { Bool.random(using: &$0) }
        speed = generator.maybe { Double.random(in: 0...200, using: &$0) }
        if Bool.random(using: &generator) {
            latitude = Double.random(in: -90...90, using: &generator)
            longitude = Double.random(in: -180...180, using: &generator)
        }
        heading = generator.maybe { Double(Int.random(in: 0...359, using: &$0)) }
        address = generator.maybe { $0.text() }
        customAddressIcon = generator.maybe { $0.text() }
        registration = generator.maybe { $0.text() }
        alias = generator.maybe { $0.text() }
        for name in ["fuel", "température"] where Bool.random(using: &generator) {
            let times = (0..<3).map { _ in Int64.random(in: 0...1_000_000, using: &generator) }.sorted()
            let points = times.map {
                Vehicle.Point(at: Instant(milliseconds: $0), value: Double.random(in: -1e-9...1e12, using: &generator))
            }
            series.append(Vehicle.Series(name: name, points: points))
        }
    }

    /// The vehicle that the record should make, computed from the contract's words and not from the reader's code.
    fileprivate var vehicle: Vehicle {
        var vehicle = Vehicle(vehicleId: vehicleId)
        vehicle.registration = registration
        vehicle.alias = alias
        vehicle.customAddressIcon = customAddressIcon
        vehicle.series = series
        let says = status != nil || ignition != nil || speed != nil || latitude != nil
        guard says else { return vehicle }
        vehicle.observedAt = observedAt
        vehicle.speed = speed
        vehicle.latitude = latitude
        vehicle.longitude = longitude
        vehicle.heading = heading
        vehicle.address = address
        switch (status, ignition, speed ?? 0) {
        case (let status?, _, _): vehicle.status = status
        case (nil, false?, _): vehicle.status = .ignitionOff
        case (nil, _, 3...): vehicle.status = .moving
        case (nil, true?, _): vehicle.status = .idling
        case (nil, nil, _): vehicle.status = .stopped
        }
        return vehicle
    }
}
