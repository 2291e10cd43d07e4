import Glibc

/// A made-up city: streets and avenues that bend a little around a centre, with limits, traffic lights and depots.
struct StreetGrid: Sendable {
    /// The centre in degrees (WGS 84).
    let latitude: Double
    let longitude: Double

    /// A crossing of an avenue (column) and a street (row).
    struct Node: Hashable {
        var column: Int
        var row: Int
    }

    /// A place between crossings, in metres east and north of the centre.
    struct Point {
        var east: Double
        var north: Double
    }

    /// The highest number of a crossing in each direction; the first one is 0.
    static let last = 60
    private static let spacing = 180.0

    static let depots: [(node: Node, name: String)] = [
        (Node(column: 6, row: 9), "West Depot"), (Node(column: 33, row: 52), "North Depot"),
        (Node(column: 54, row: 20), "Harbour Depot"),
    ]

    func point(_ node: Node) -> Point {
        let (x, y) = (Double(node.column - Self.last / 2), Double(node.row - Self.last / 2))
        // Bends keep the map from looking like a chessboard, and the blocks' lengths differ.
        let bent = (x * Self.spacing + 55 * sin(y * 0.31), y * Self.spacing + 45 * sin(x * 0.23 + 1))
        return Point(east: bent.0 * 0.956 - bent.1 * 0.292, north: bent.0 * 0.292 + bent.1 * 0.956)
    }

    func coordinates(of point: Point) -> (latitude: Double, longitude: Double) {
        let metresPerDegree = 111_320.0
        return (
            latitude + point.north / metresPerDegree,
            longitude + point.east / (metresPerDegree * cos(latitude * .pi / 180))
        )
    }

    func distance(from start: Node, to end: Node) -> Double {
        let (a, b) = (point(start), point(end))
        return hypot(b.east - a.east, b.north - a.north)
    }

    /// Degrees clockwise from north.
    func heading(from start: Node, to end: Node) -> Double {
        let (a, b) = (point(start), point(end))
        let degrees = atan2(b.east - a.east, b.north - a.north) * 180 / .pi
        return degrees < 0 ? degrees + 360 : degrees
    }

    /// The speed limit of the street from one crossing to another, km/h.
    func limit(from start: Node, to end: Node) -> Double {
        let number = start.row == end.row ? start.row : start.column
        return number % 10 == 0 ? 60 : number % 5 == 0 ? 50 : 30
    }

    func hasLights(_ node: Node) -> Bool {
        node.column % 5 == 0 || node.row % 5 == 0
    }

    /// The crossings one block after the other along one street, both ends included.
    func blocks(from start: Node, to end: Node) -> [Node] {
        precondition(start != end && (start.row == end.row || start.column == end.column))
        let (columns, rows) = (end.column - start.column, end.row - start.row)
        return (0...max(abs(columns), abs(rows))).map { step in
            Node(column: start.column + step * columns.signum(), row: start.row + step * rows.signum())
        }
    }

    /// House number and street at a part (0 to 1) of the block between two neighbouring crossings.
    func address(from start: Node, to end: Node, part: Double) -> String {
        let isStreet = start.row == end.row
        let (first, last) = isStreet ? (start.column, end.column) : (start.row, end.row)
        let along = Double(first) + part * Double(last - first)
        let name = isStreet ? StreetNames.street(start.row) : StreetNames.avenue(start.column)
        return "\(Int(along * 12) + 1) \(name)"
    }
}

/// Names of the made-up city's streets.
enum StreetNames {
    static func street(_ row: Int) -> String { "\(words[row % words.count]) Street" }
    static func avenue(_ column: Int) -> String { "\(words[(column * 7 + 31) % words.count]) Avenue" }

    private static let words = [
        "Acorn", "Alder", "Amber", "Anchor", "Arbour", "Ash", "Aspen", "Barley", "Beacon", "Beech", "Birch", "Bridge",
        "Brook", "Canal", "Castle", "Cedar", "Chapel", "Cherry", "Chestnut", "Clover", "Coopers", "Copper", "Cypress",
        "Elder", "Elm", "Falcon", "Fern", "Ferry", "Foundry", "Garden", "Granary", "Granite", "Harbour", "Hawthorn",
        "Hazel", "Heron", "Hill", "Holly", "Juniper", "Kiln", "Lantern", "Larch", "Laurel", "Lime", "Linden", "Maple",
        "Market", "Meadow", "Mill", "Moss", "Oak", "Orchard", "Park", "Pine", "Poplar", "Quarry", "River", "Rowan",
        "Sawmill", "Station", "Tanners", "Willow", "Windmill", "Yew",
    ]
}
