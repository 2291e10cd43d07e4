package import Timelines

/// A believable fleet in a made-up city: every vehicle has a depot, drives along streets, waits at lights, parks,
/// and reports every few seconds while it drives and rarely while it is parked. Some reports come late.
///
/// The same count, seed and start give the same bytes; a smaller fleet is the beginning of a larger one. Never ends:
/// records come in the order of their due times, for a publisher that paces (`Pacing.speedup(1)` is real time).
package final class FleetSimulator: RecordSource {
    private let grid: StreetGrid
    private var vehicles: [FleetVehicle]
    private var queue = DueQueue<Event>()

    private enum Event {
        case report(vehicle: Int)
        case arrival(SourceRecord)
    }

    /// - Parameters:
    ///   - count: how many vehicles, 1 or more.
    ///   - start: data time begins here.
    package init(count: Int, seed: UInt64, start: Instant) {
        precondition(count > 0, "a fleet has vehicles")
        let grid = StreetGrid(latitude: 51.05, longitude: 13.74)
        self.grid = grid
        vehicles = (0..<count).map { FleetVehicle(index: $0, seed: seed, start: start, in: grid) }
        for (index, vehicle) in vehicles.enumerated() { queue.add(.report(vehicle: index), due: vehicle.nextReport) }
    }

    /// The ids of the vehicles, which are the keys of their records.
    package var vehicleIds: [String] { vehicles.map(\.vehicleId) }

    package var fractionDone: Double? { nil }

    package func next() -> SourceRecord? {
        while let (due, event) = queue.removeFirst() {
            switch event {
            case .arrival(let record): return record
            case .report(let index):
                let report = vehicles[index].report(at: due, in: grid)
                queue.add(.report(vehicle: index), due: vehicles[index].nextReport)
                let record = SourceRecord(report.message, due: due + report.delay)
                if report.delay == .zero { return record }
                queue.add(.arrival(record), due: due + report.delay)
            }
        }
        preconditionFailure("every vehicle has a next report")
    }
}
