internal import Timelines

extension MessageFields {
    /// Telemetry's `series`: `{name: [{at, value}]}`. Ascending by name, each ascending by time; of points at the same
    /// instant the later one in the list comes last.
    func series() throws(MessageProblem) -> [Vehicle.Series] {
        var series: [Vehicle.Series] = []
        for member in members.members {
            let fields = try require(member.key, objects(member.key))
            var points: [(index: Int, point: Vehicle.Point)] = []
            for (index, point) in fields.enumerated() {
                let at = try point.require("at", point.instant("at"))
                let value = try point.require("value", point.number("value"))
                points.append((index, Vehicle.Point(at: at, value: value)))
            }
            points.sort { ($0.point.at, $0.index) < ($1.point.at, $1.index) }
            series.append(Vehicle.Series(name: member.key, points: points.map(\.point)))
        }
        return series
    }
}
