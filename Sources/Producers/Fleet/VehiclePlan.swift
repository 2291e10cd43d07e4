import SplitMix
import Timelines

/// The plan of a vehicle's day: shifts of eight hours, each of which begins and ends in its depot.
///
/// It depends on seed, vehicle and time alone. A plan that is made anew later goes on where the first one is, so a
/// fleet that is started again finds its vehicles where they would have been.
struct VehiclePlan {
    private let grid: StreetGrid
    private let seed: UInt64
    private let index: Int
    private let depot: StreetGrid.Node
    private let isElectric: Bool
    /// Shifts do not change in all depots at once.
    private let shiftOffset: Int64
    private var generator: SplitMix64
    private var shiftEnd: Instant
    private(set) var activity: Activity
    private var levels: [Vehicle.Point]

    enum Activity {
        case driving(Trip, begin: Instant)
        case parked(Parking)
    }

    struct Parking {
        var node: StreetGrid.Node
        var isDepot: Bool
        var begin: Instant
        var end: Instant
        /// The instant at which it is charged; `nil` means that it does not charge.
        var chargedAt: Instant?
        /// True in a garage without reception: no report comes until the vehicle leaves.
        var isSilent = false

        func isCharging(at now: Instant) -> Bool {
            chargedAt.map { now < $0 } ?? false
        }
    }

    /// The first vehicle of a fleet stands for a minute at most, but for the end of its shift: whoever follows it sees
    /// something happen.
    private var isAlwaysOut: Bool { index == 0 }

    private static let shiftMilliseconds: Int64 = 8 * 3_600_000
    /// The most levels in a report.
    private static let levelsMax = 6

    /// - Parameter now: the instant at which the plan begins.
    init(index: Int, seed: UInt64, depot: StreetGrid.Node, isElectric: Bool, now: Instant, in grid: StreetGrid) {
        self.grid = grid
        self.seed = seed
        self.index = index
        self.depot = depot
        self.isElectric = isElectric
        var offsets = SplitMix64(seed: seed, stream: UInt64(index) | 1 << 61)
        shiftOffset = Int64(offsets.integer(in: 0...Int(Self.shiftMilliseconds - 1)))
        generator = offsets
        shiftEnd = now
        levels = []
        activity = .parked(Parking(node: depot, isDepot: true, begin: now, end: now))
        beginShift(at: shift(of: now).start)
        advance(to: now)
    }

    /// The end of the present activity.
    var end: Instant {
        switch activity {
        case .driving(let trip, let begin): begin + ElapsedTime(seconds: trip.duration + 1.5)
        case .parked(let parking): parking.end
        }
    }

    /// Goes on to an instant that is not before the last one.
    ///
    /// - Returns: true if the activity has changed.
    @discardableResult
    mutating func advance(to now: Instant) -> Bool {
        var hasChanged = false
        while end <= now {
            hasChanged = true
            changeActivity(at: end)
        }
        return hasChanged
    }

    /// The level of its battery or tank in per cent: at the latest changes of activity, and now.
    func levels(at now: Instant) -> Vehicle.Series {
        let points = levels + [Vehicle.Point(at: now, value: level(at: now).rounded(digits: 1))]
        return Vehicle.Series(name: isElectric ? "battery" : "fuel", points: points.suffix(Self.levelsMax))
    }

    // MARK: - What comes next

    private mutating func changeActivity(at now: Instant) {
        levels.append(Vehicle.Point(at: now, value: level(at: now).rounded(digits: 1)))
        levels = levels.suffix(Self.levelsMax)
        switch activity {
        case .driving(let trip, _): park(at: trip.end, since: now)
        case .parked(let parking):
            if parking.isDepot && now >= shiftEnd { return beginShift(at: now) }
            let goal = parking.isDepot || generator.happens(0.7) ? destination(from: parking.node) : depot
            if goal != depot, now + farthest(parking.node, goal) + .minutes(10) + farthest(goal, depot) <= shiftEnd {
                drive(from: parking.node, to: goal, at: now)
            } else if parking.isDepot {
                rest(since: now)
            } else {
                drive(from: parking.node, to: depot, at: now)
            }
        }
    }

    /// - Parameter now: the shift's start, or a little later.
    private mutating func beginShift(at now: Instant) {
        let (number, start) = shift(of: now)
        generator = SplitMix64(seed: seed, stream: UInt64(index) &+ UInt64(bitPattern: number &+ 1) << 24)
        shiftEnd = Instant(milliseconds: start.milliseconds + Self.shiftMilliseconds)
        levels = [Vehicle.Point(at: start, value: generator.number(in: 70..<100).rounded(digits: 1))]
        let minutes = generator.number(in: 1..<12)
        let preparation = ElapsedTime(seconds: (isAlwaysOut ? 1 : minutes) * 60)
        activity = .parked(Parking(node: depot, isDepot: true, begin: now, end: now + preparation))
    }

    private func shift(of now: Instant) -> (number: Int64, start: Instant) {
        let elapsed = now.milliseconds - shiftOffset
        let length = Self.shiftMilliseconds
        let number = elapsed / length - (elapsed % length < 0 ? 1 : 0)
        return (number, Instant(milliseconds: number * length + shiftOffset))
    }

    private mutating func drive(from node: StreetGrid.Node, to goal: StreetGrid.Node, at now: Instant) {
        let trip = Trip(
            from: node, to: goal, warmUp: generator.number(in: 4..<12), in: grid, using: &generator)
        activity = .driving(trip, begin: now)
    }

    private mutating func park(at node: StreetGrid.Node, since now: Instant) {
        let isDepot = node == depot
        // Most stops are short; at the depot a vehicle rests, and an electric one charges.
        let drawn = isDepot ? generator.number(in: 0.2..<45) : generator.choose([0.7, 1.5, 3, 5, 8, 25, 70])
        let minutes = isAlwaysOut ? min(drawn, 1) : drawn
        let planned = now + ElapsedTime(seconds: minutes * 60 * generator.number(in: 0.7..<1.3))
        let latest = isDepot ? shiftEnd : shiftEnd - farthest(node, depot)
        let charging = ElapsedTime(seconds: generator.number(in: 5..<60) * 60)
        let isSilent = generator.happens(0.05)
        activity = .parked(
            Parking(
                node: node, isDepot: isDepot, begin: now, end: max(min(planned, latest), now + .seconds(20)),
                chargedAt: isElectric && isDepot ? now + charging : nil,
                isSilent: isSilent && !isDepot && !isAlwaysOut))
    }

    /// Parks at the depot until the next shift.
    private mutating func rest(since now: Instant) {
        activity = .parked(
            Parking(
                node: depot, isDepot: true, begin: now, end: max(shiftEnd, now + .seconds(20)),
                chargedAt: isElectric ? now + .minutes(40) : nil))
    }

    /// A crossing that is not here and has no depot.
    private mutating func destination(from here: StreetGrid.Node) -> StreetGrid.Node {
        while true {
            let node = StreetGrid.Node(
                column: generator.integer(in: 0...StreetGrid.last), row: generator.integer(in: 0...StreetGrid.last))
            if node != here, !StreetGrid.depots.contains(where: { $0.node == node }) { return node }
        }
    }

    /// A time that no trip exceeds, with a red light at every third crossing.
    private func farthest(_ start: StreetGrid.Node, _ end: StreetGrid.Node) -> ElapsedTime {
        .seconds(Int64(45 * (abs(end.column - start.column) + abs(end.row - start.row)) + 180))
    }

    // MARK: - Levels

    private func level(at now: Instant) -> Double {
        guard let last = levels.last else { return 100 }
        let minutes = Double((now - last.at).milliseconds) / 60_000
        let perMinute: Double
        switch activity {
        case .driving: perMinute = isElectric ? -0.4 : -0.12
        // It charges, or is filled up, at the depot.
        case .parked(let parking): perMinute = parking.isDepot ? 1.5 : 0
        }
        return min(100, max(4, last.value + minutes * perMinute))
    }
}
