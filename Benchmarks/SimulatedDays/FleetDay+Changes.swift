import SplitMix
import Timelines

/// How a vehicle is doing from an instant on.
struct VehicleMoment: Equatable {
    var status: UInt8
    var speed: UInt8
    var address: UInt8

    static let statuses = ["Moving", "Idling", "Stopped", "IgnitionOff", "Charging"]

    var statusText: String { Self.statuses[Int(status)] }

    /// Another status, and what goes with it.
    func changed(_ numbers: inout SplitMix64) -> VehicleMoment {
        let next = (status + 1 + UInt8(numbers.below(4))) % 5
        return VehicleMoment(
            status: next, speed: next == 0 ? UInt8(20 + numbers.below(80)) : 0, address: UInt8(numbers.below(40)))
    }
}

extension FleetDay {
    private struct Drawn {
        var at: Int64
        /// Takes the change before it back.
        var isReturn: Bool
    }

    /// Of a hundred changes so many are taken back soon.
    private static let percentTakenBack: Int64 = 12
    private static let calendarsPerVehicle = 50
    private static let eventsPerCalendar = 12

    static func inputs(
        _ widgets: [Widget], _ scale: Scale, from start: Instant, _ numbers: inout SplitMix64
    ) -> [Planned] {
        var inputs: [Planned] = []
        inputs.reserveCapacity(scale.vehicles * (scale.changesPerVehicle + 4))
        func add(_ at: Instant, _ message: Message) {
            let at = Instant(milliseconds: at.milliseconds / scale.grid * scale.grid)
            inputs.append(Planned(at: at, message: message, isMisplaced: numbers.happens(2)))
        }
        for vehicle in 0..<Int32(scale.vehicles) {
            let first = VehicleMoment(status: 3, speed: 0, address: UInt8(numbers.below(40)))
            let at = start - .seconds(60) + ElapsedTime(milliseconds: numbers.below(10_000))
            add(at, .masterData(vehicle: vehicle))
            add(at + .seconds(1), .telemetry(vehicle: vehicle, first))
            for (at, moment) in changes(of: first, scale, &numbers) {
                add(start + ElapsedTime(milliseconds: at), .telemetry(vehicle: vehicle, moment))
            }
        }
        for (index, widget) in widgets.enumerated() {
            let at = start - .seconds(40) + ElapsedTime(milliseconds: numbers.below(20_000))
            add(at, .widget(Int32(index), signedIn: true))
            // A few people sign out and in again.
            guard widget.signsOut else { continue }
            let out = start + ElapsedTime(milliseconds: numbers.below(scale.hours * 3_600_000))
            add(out, .widget(Int32(index), signedIn: false))
            let back = ElapsedTime(milliseconds: 300 + numbers.below(numbers.happens(50) ? 3_000 : 1_800_000))
            add(out + back, .widget(Int32(index), signedIn: true))
        }
        for calendar in 0..<Int32(max(1, scale.vehicles / calendarsPerVehicle)) {
            for number in 0..<Int32(eventsPerCalendar) {
                let at = start - .seconds(50)
                add(at, .event(calendar: calendar, number: number, version: 0))
                let moved = start + ElapsedTime(milliseconds: numbers.below(scale.hours * 3_600_000))
                add(moved, .event(calendar: calendar, number: number, version: 1))
            }
        }
        let order = inputs.indices.sorted { (inputs[$0].at, $0) < (inputs[$1].at, $1) }
        return order.map { inputs[$0] }
    }

    /// Milliseconds since the day's beginning, ascending.
    private static func changes(
        of first: VehicleMoment, _ scale: Scale, _ numbers: inout SplitMix64
    ) -> [(Int64, VehicleMoment)] {
        let length = scale.hours * 3_600_000
        var drawn: [Drawn] = []
        while drawn.count < scale.changesPerVehicle {
            let at = numbers.below(length)
            drawn.append(Drawn(at: at, isReturn: false))
            guard drawn.count < scale.changesPerVehicle, numbers.happens(percentTakenBack) else { continue }
            let isWithinSeconds = numbers.happens(50)
            let back = at + 200 + numbers.below(isWithinSeconds ? 3_000 : 600_000)
            drawn.append(Drawn(at: min(back, length), isReturn: true))
        }
        drawn.sort { ($0.at, $0.isReturn ? 1 : 0) < ($1.at, $1.isReturn ? 1 : 0) }
        var before = first
        var now = first
        return drawn.map { change in
            let next = change.isReturn && before != now ? before : now.changed(&numbers)
            (before, now) = (now, next)
            return (change.at, next)
        }
    }
}
