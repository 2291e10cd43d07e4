// One task of the pipeline with all that it is fed, in memory and without Kafka: for benchmarks that count or time the
// core alone. Begin with `CountedPipeline`.

package import Timelines

/// A record for one of the inputs of the pipeline.
package struct CountedRecord: Sendable {
    /// The number of the source in the topology.
    package var source: UInt8
    package var key: [UInt8]
    package var value: [UInt8]
}

/// Vehicles, each with a widget of its own, and all that they are going to report.
package struct CountedFleet: Sendable {
    package static let vehicles = 1000
    package static let reportsMax = 60_000
    package static let changesMax = 3000
    /// 2026-11-20T06:00:00Z.
    private static let begin = Instant(milliseconds: 1_795_154_400_000)
    /// Where the clock of the pipeline stands: after all reports, and before a vehicle counts as silent.
    package static let clock = begin + .seconds(5 * Int64(reportsMax / vehicles + changesMax / vehicles + 2))

    package let configurations: [CountedRecord]
    /// Each vehicle's first report, which makes its first timeline.
    package let firstReports: [CountedRecord]
    /// Further reports in which nothing changes but place and speed.
    package let reports: [CountedRecord]
    /// Reports that each bring another status than the one before of its vehicle.
    package let changes: [CountedRecord]

    /// - Parameter telemetry, widgets: the numbers of the sources.
    package init(telemetry: UInt8 = 0, widgets: UInt8 = 2) {
        configurations = (0..<Self.vehicles).map { number in
            let value =
                #"{"configurationId":"configuration-\#(number)","kind":"TrackerStatusWidget","family":"systemSmall","#
                + #""recipient":"device-\#(number)","vehicleId":"vehicle-\#(number)","strategy":"status"}"#
            return CountedRecord(source: widgets, key: Array("configuration-\(number)".utf8), value: Array(value.utf8))
        }
        func report(_ number: Int, status: String) -> CountedRecord {
            let (vehicle, turn) = (number % Self.vehicles, number / Self.vehicles)
            let at = Self.begin + .seconds(5 * Int64(turn))
            let value =
                #"{"vehicleId":"vehicle-\#(vehicle)","observedAt":"\#(at.rfc3339)","status":"\#(status)","#
                + #""speed":\#(30 + turn % 50).5,"latitude":52.\#(100_000 + number),"#
                + #""longitude":13.\#(200_000 + number),"heading":\#(number % 360),"registration":"B-TL \#(vehicle)"}"#
            return CountedRecord(source: telemetry, key: Array("vehicle-\(vehicle)".utf8), value: Array(value.utf8))
        }
        firstReports = (0..<Self.vehicles).map { report($0, status: "Moving") }
        reports = (0..<Self.reportsMax).map { report(Self.vehicles + $0, status: "Moving") }
        changes = (0..<Self.changesMax).map { number in
            report(
                Self.vehicles + Self.reportsMax + number,
                status: number / Self.vehicles % 2 == 0 ? "Stopped" : "Moving")
        }
    }
}
