import Messages
import Timelines

/// One vehicle of the fleet: what it is, what it does, and when it reports next.
struct FleetVehicle {
    let vehicleId: String
    private let registration: String
    private let alias: String
    private let depot: Int
    private let isElectric: Bool
    /// Without the wire a tracker cannot tell whether the ignition is on.
    private let hasIgnitionWire: Bool
    private let interval: ClosedRange<Int>
    private var generator: SeededGenerator
    private var activity: Activity
    private(set) var nextReport: Instant
    /// What stays known is said at the first report and whenever the ignition changes.
    private var saysMasterData = true

    private enum Activity {
        case driving(Trip, begin: Instant)
        case parked(Parking)
    }

    private struct Parking {
        var node: StreetGrid.Node
        var isDepot: Bool
        var end: Instant
        /// Nil where it does not charge.
        var chargedAt: Instant?
        /// No reception in some garages: nothing is heard until the vehicle leaves.
        var isSilent: Bool

        func isCharging(at now: Instant) -> Bool {
            chargedAt.map { now < $0 } ?? false
        }
    }

    /// A report, and how much later than observed it arrives.
    struct Report {
        var message: TelemetryMessage
        var delay: ElapsedTime
    }

    init(index: Int, seed: UInt64, start: Instant, in grid: StreetGrid) {
        generator = SeededGenerator(seed: seed, stream: UInt64(index))
        let number = String(index + 1)
        let alphabet = "ABCDEFGHJKLMNPRSTUVWXYZ".map(String.init)
        let letters = generator.choose(alphabet) + generator.choose(alphabet)
        vehicleId = "vehicle-" + String(repeating: "0", count: max(0, 4 - number.count)) + number
        registration = "TL \(letters) \(generator.integer(in: 1000...9999))"
        alias = "\(generator.choose(["Van", "Car", "Truck", "Courier", "Shuttle"])) \(number)"
        depot = generator.integer(in: 0...StreetGrid.depots.count - 1)
        isElectric = generator.happens(0.25)
        hasIgnitionWire = generator.happens(0.85)
        let fastest = generator.integer(in: 2...4)
        interval = fastest...fastest + 1
        nextReport = start + ElapsedTime(milliseconds: Int64(generator.integer(in: 0...3000)))
        let home = StreetGrid.depots[depot].node
        let isParked = generator.happens(0.3)
        activity = .parked(Parking(node: home, isDepot: true, end: start, chargedAt: nil, isSilent: false))
        if isParked {
            park(at: home, isDepot: true, since: start)
        } else {
            let trip = Trip(
                from: home, to: destination(), warmUp: 5, in: grid, using: &generator)
            // It left a while ago, so that a fleet does not begin in its depots.
            let ago = Int64(generator.number(in: 0..<0.9) * trip.duration * 1000)
            activity = .driving(trip, begin: start - ElapsedTime(milliseconds: ago))
        }
    }

    /// What the vehicle reports at `nextReport`; plans the next one.
    mutating func report(at now: Instant, in grid: StreetGrid) -> Report {
        precondition(now == nextReport)
        changeActivity(at: now, in: grid)
        var message = TelemetryMessage(vehicleId: vehicleId, observedAt: now)
        var delay = ElapsedTime.zero
        switch activity {
        case .driving(let trip, let begin):
            describe(trip.situation(at: Double((now - begin).milliseconds) / 1000, in: grid), in: &message, grid)
            message.ignition = hasIgnitionWire ? true : nil
            if generator.happens(0.02) { delay = .seconds(Int64(generator.integer(in: 5...40))) }
            let seconds = generator.integer(in: interval)
            nextReport = min(now + .seconds(Int64(seconds)), begin + ElapsedTime(seconds: trip.duration + 2))
        case .parked(let parking):
            describe(parking, at: now, in: &message, grid)
            let isCharging = parking.isCharging(at: now)
            let rest = now + .seconds(Int64(generator.integer(in: isCharging ? 90...180 : 600...900)))
            nextReport = max(now + .seconds(1), parking.isSilent ? parking.end : min(parking.end, rest))
        }
        if saysMasterData {
            message.registration = registration
            message.alias = alias
            saysMasterData = false
        }
        return Report(message: message, delay: delay)
    }

    // MARK: - What it does

    private mutating func changeActivity(at now: Instant, in grid: StreetGrid) {
        switch activity {
        case .driving(let trip, let begin) where now >= begin + ElapsedTime(seconds: trip.duration + 1.5):
            park(at: trip.end, isDepot: trip.end == StreetGrid.depots[depot].node, since: now)
            saysMasterData = true
        case .parked(let parking) where now >= parking.end:
            let goal = parking.isDepot || generator.happens(0.7) ? destination() : StreetGrid.depots[depot].node
            let trip = Trip(
                from: parking.node, to: goal == parking.node ? StreetGrid.Node(column: 30, row: 30) : goal,
                warmUp: generator.number(in: 4..<12), in: grid, using: &generator)
            activity = .driving(trip, begin: now)
            saysMasterData = true
        default: break
        }
    }

    private mutating func park(at node: StreetGrid.Node, isDepot: Bool, since now: Instant) {
        // Most stops are short; at the depot a vehicle rests, and an electric one charges.
        let minutes = isDepot ? generator.number(in: 0.2..<45) : generator.choose([0.7, 1.5, 3, 5, 8, 25, 70])
        let end = now + ElapsedTime(seconds: minutes * 60 * generator.number(in: 0.7..<1.3))
        let charging = ElapsedTime(seconds: generator.number(in: 5..<60) * 60)
        activity = .parked(
            Parking(
                node: node, isDepot: isDepot, end: end, chargedAt: isElectric && isDepot ? now + charging : nil,
                isSilent: !isDepot && generator.happens(0.05)))
    }

    /// Anywhere but where all depots are.
    private mutating func destination() -> StreetGrid.Node {
        while true {
            let node = StreetGrid.Node(
                column: generator.integer(in: 0...StreetGrid.last), row: generator.integer(in: 0...StreetGrid.last))
            if !StreetGrid.depots.contains(where: { $0.node == node }) { return node }
        }
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
        _ parking: Parking, at now: Instant, in message: inout TelemetryMessage, _ grid: StreetGrid
    ) {
        message.speed = 0
        message.ignition = hasIgnitionWire ? false : nil
        if parking.isCharging(at: now) { message.status = .charging }
        let neighbour = StreetGrid.Node(
            column: parking.node.column + (parking.node.column < StreetGrid.last ? 1 : -1), row: parking.node.row)
        message.address =
            parking.isDepot
            ? StreetGrid.depots[depot].name : grid.address(from: parking.node, to: neighbour, part: 0.1)
        place(grid.point(parking.node), in: &message, grid)
    }

    /// With the few metres of error that receivers have.
    private mutating func place(_ point: StreetGrid.Point, in message: inout TelemetryMessage, _ grid: StreetGrid) {
        let (latitude, longitude) = grid.coordinates(
            of: .init(
                east: point.east + generator.number(in: -2..<2), north: point.north + generator.number(in: -2..<2)))
        message.latitude = latitude.rounded(digits: 6)
        message.longitude = longitude.rounded(digits: 6)
    }
}

extension ElapsedTime {
    /// To the nearest millisecond.
    init(seconds: Double) {
        self.init(milliseconds: Int64((seconds * 1000).rounded()))
    }
}
