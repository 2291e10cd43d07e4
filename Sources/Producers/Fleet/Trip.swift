import Glibc
import SplitMix

/// A drive from one crossing to another along streets, with corners and red lights. Times are seconds since its
/// beginning.
struct Trip {
    private var legs: [Leg] = []
    private(set) var duration: Double
    let end: StreetGrid.Node

    /// A straight stretch along one street, and how long the vehicle waits where it ends.
    private struct Leg {
        var nodes: [StreetGrid.Node]
        var begin: Double
        var profile: SpeedProfile
        var wait: Double
    }

    /// The values that a tracker measures at one moment.
    struct Situation {
        var point: StreetGrid.Point
        /// Speed in km/h.
        var speed: Double
        var heading: Double
        var address: String
    }

    /// - Parameter warmUp: the seconds for which the engine runs before the vehicle moves.
    init(
        from start: StreetGrid.Node, to end: StreetGrid.Node, warmUp: Double, in grid: StreetGrid,
        using generator: inout SplitMix64
    ) {
        precondition(start != end)
        self.end = end
        duration = warmUp
        var entry = 0.0
        for corner in Self.corners(from: start, to: end, using: &generator) {
            let blocks = grid.blocks(from: corner.from, to: corner.to)
            var first = 0
            for index in 1..<blocks.count {
                let isCorner = index == blocks.count - 1
                let isRed = grid.hasLights(blocks[index]) && generator.happens(0.3)
                guard isCorner || isRed else { continue }
                let isArrival = isCorner && corner.to == end
                let exit = isRed || isArrival ? 0 : Self.cornerSpeed
                let stretch = Array(blocks[first...index])
                let length = zip(stretch, stretch.dropFirst()).reduce(0) { $0 + grid.distance(from: $1.0, to: $1.1) }
                let limit = grid.limit(from: corner.from, to: corner.to) * generator.number(in: 0.88..<1.04) / 3.6
                let profile = SpeedProfile(distance: length, entry: entry, exit: exit, limit: limit)
                let wait = isRed && !isArrival ? generator.number(in: 4..<38) : 0
                legs.append(Leg(nodes: stretch, begin: duration, profile: profile, wait: wait))
                duration += profile.duration + wait
                entry = exit
                first = index
            }
        }
    }

    /// The speed around a corner, in metres per second.
    private static let cornerSpeed = 4.5

    func situation(at seconds: Double, in grid: StreetGrid) -> Situation {
        let leg = legs.last { $0.begin <= seconds } ?? legs[0]
        let (distance, speed) = leg.profile.state(after: seconds - leg.begin)
        let isWarmingUp = seconds < leg.begin
        let isAtEndOfLeg = seconds >= leg.begin + leg.profile.duration
        let stands = isWarmingUp || isAtEndOfLeg && (leg.wait > 0 || seconds >= duration)
        let along = distance / leg.profile.distance * Double(leg.nodes.count - 1)
        let block = min(Int(along), leg.nodes.count - 2)
        let part = along - Double(block)
        let (from, to) = (leg.nodes[block], leg.nodes[block + 1])
        let (a, b) = (grid.point(from), grid.point(to))
        return Situation(
            point: .init(east: a.east + (b.east - a.east) * part, north: a.north + (b.north - a.north) * part),
            speed: stands ? 0 : speed * 3.6,
            heading: grid.heading(from: from, to: to), address: grid.address(from: from, to: to, part: part))
    }

    /// The straight parts of a way with one to four corners that never leads back.
    private static func corners(
        from start: StreetGrid.Node, to end: StreetGrid.Node, using generator: inout SplitMix64
    ) -> [(from: StreetGrid.Node, to: StreetGrid.Node)] {
        let middle = StreetGrid.Node(
            column: generator.integer(in: min(start.column, end.column)...max(start.column, end.column)),
            row: generator.integer(in: min(start.row, end.row)...max(start.row, end.row)))
        let ways = [
            start, StreetGrid.Node(column: middle.column, row: start.row), middle,
            StreetGrid.Node(column: end.column, row: middle.row), end,
        ]
        var straight: [StreetGrid.Node] = [start]
        for node in ways.dropFirst() where node != straight.last { straight.append(node) }
        return zip(straight, straight.dropFirst()).map { (from: $0, to: $1) }
    }
}
