import Messages
import SplitMix
import Timelines

/// One vehicle of the fleet: its traits, its plan, and the reports of its tracker.
struct FleetVehicle {
    let vehicleId: String
    private let registration: String
    private let alias: String
    /// False if the tracker cannot know whether the ignition is on.
    private let hasIgnitionWire: Bool
    private let interval: ClosedRange<Int>
    private let depotName: String
    private var plan: VehiclePlan
    private var generator: SplitMix64
    /// The time of the next report in a fleet without a rate.
    private(set) var nextReport: Instant
    /// True if the next report has the master data: it is the first one, or the vehicle has left or arrived since.
    private var sendsMasterData = true

    /// A report, and whether the vehicle was on its way.
    struct Report {
        var message: TelemetryMessage
        var isDriving: Bool
    }

    init(index: Int, seed: UInt64, start: Instant, in grid: StreetGrid) {
        var traits = SplitMix64(seed: seed, stream: UInt64(index))
        vehicleId = Self.vehicleId(index)
        let alphabet = "ABCDEFGHJKLMNPRSTUVWXYZ".map(String.init)
        let letters = traits.choose(alphabet) + traits.choose(alphabet)
        registration = "TL \(letters) \(traits.integer(in: 1000...9999))"
        alias = "\(traits.choose(["Van", "Car", "Truck", "Courier", "Shuttle"])) \(index + 1)"
        let depot = traits.choose(StreetGrid.depots)
        depotName = depot.name
        let isElectric = traits.happens(0.25)
        hasIgnitionWire = traits.happens(0.85)
        let fastest = traits.integer(in: 2...4)
        interval = fastest...fastest + 1
        plan = VehiclePlan(
            index: index, seed: seed, depot: depot.node, isElectric: isElectric, now: start, in: grid)
        generator = SplitMix64(seed: seed, stream: UInt64(index) | 1 << 62)
        nextReport = start + ElapsedTime(milliseconds: Int64(generator.integer(in: 0...3000)))
    }

    /// The id of a vehicle by its index from 0: `vehicle-0001` is the first one.
    static func vehicleId(_ index: Int) -> String {
        "vehicle-" + number(index)
    }

    /// A number from 1 with four digits at least, of an index from 0.
    static func number(_ index: Int) -> String {
        let digits = String(index + 1)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Goes on to an instant that is not before the last one.
    ///
    /// - Returns: true if the vehicle has reception there.
    mutating func advance(to now: Instant) -> Bool {
        if plan.advance(to: now) { sendsMasterData = true }
        guard case .parked(let parking) = plan.activity else { return true }
        return !parking.isSilent
    }

    /// Makes the tracker's report of now, and plans the next one.
    mutating func report(at now: Instant, in grid: StreetGrid) -> Report {
        if plan.advance(to: now) { sendsMasterData = true }
        var message = TelemetryMessage(vehicleId: vehicleId, observedAt: now)
        var (isDriving, isCharging) = (false, false)
        switch plan.activity {
        case .driving(let trip, let begin):
            isDriving = true
            describe(trip.situation(at: Double((now - begin).milliseconds) / 1000, in: grid), in: &message, grid)
            message.ignition = hasIgnitionWire ? true : nil
            let seconds = generator.integer(in: interval)
            nextReport = min(now + .seconds(Int64(seconds)), max(plan.end, now + .seconds(1)))
        case .parked(let parking):
            describe(parking, at: now, in: &message, grid)
            isCharging = parking.isCharging(at: now)
            let rest = now + .seconds(Int64(generator.integer(in: isCharging ? 90...180 : 600...900)))
            nextReport = max(now + .seconds(1), parking.isSilent ? parking.end : min(parking.end, rest))
        }
        if sendsMasterData || isCharging { message.series = [plan.levels(at: now)] }
        if sendsMasterData {
            message.registration = registration
            message.alias = alias
            sendsMasterData = false
        }
        return Report(message: message, isDriving: isDriving)
    }

    // MARK: - What it says

    private mutating func describe(
        _ situation: Trip.Situation, in message: inout TelemetryMessage, _ grid: StreetGrid
    ) {
        message.speed = situation.speed.rounded(digits: 1)
        message.heading = situation.heading.rounded(digits: 0)
        message.address = situation.address
        place(situation.point, in: &message, grid)
    }

    private mutating func describe(
        _ parking: VehiclePlan.Parking, at now: Instant, in message: inout TelemetryMessage, _ grid: StreetGrid
    ) {
        message.speed = 0
        message.ignition = hasIgnitionWire ? false : nil
        if parking.isCharging(at: now) { message.status = .charging }
        let neighbour = StreetGrid.Node(
            column: parking.node.column + (parking.node.column < StreetGrid.last ? 1 : -1), row: parking.node.row)
        message.address =
            parking.isDepot ? depotName : grid.address(from: parking.node, to: neighbour, part: 0.1)
        place(grid.point(parking.node), in: &message, grid)
    }

    /// Adds the place with the few metres of error that receivers have.
    private mutating func place(_ point: StreetGrid.Point, in message: inout TelemetryMessage, _ grid: StreetGrid) {
        let (latitude, longitude) = grid.coordinates(
            of: .init(
                east: point.east + generator.number(in: -2..<2), north: point.north + generator.number(in: -2..<2)))
        message.latitude = latitude.rounded(digits: 6)
        message.longitude = longitude.rounded(digits: 6)
    }
}

extension ElapsedTime {
    /// Rounds seconds to the nearest millisecond.
    init(seconds: Double) {
        self.init(milliseconds: Int64((seconds * 1000).rounded()))
    }
}
