package import Timelines

/// A believable fleet in a made-up city: every vehicle has a depot, drives along streets, waits at lights, parks,
/// and reports every few seconds while it drives and rarely while it is parked; or the fleet reports so many times a
/// second in all, vehicle by vehicle. What vehicles do follows from seed and time alone, so a fleet that is started
/// again goes on where it would have been.
///
/// The same arguments give the same bytes; without a rate a smaller fleet is the beginning of a larger one. The
/// simulation never ends. Records come in the order of their due times, for a publisher that paces (`Pacing.realTime`).
package final class FleetSimulator: RecordSource {
    private let grid: StreetGrid
    private var vehicles: [FleetVehicle]
    private var faults: [ReportFaults]
    private var queue = DueQueue<Event>()
    private var beat: Beat?
    private let clock: (() -> Instant)?
    private var hasBegun = false

    private enum Event {
        case report(vehicle: Int)
        case arrival(SourceRecord)
    }

    /// The schedule of a fleet with a rate: the time of the next record, and the vehicle that sends it.
    private struct Beat {
        let rate: Double
        var begin: Instant
        var count = 0.0
        var vehicle = 0

        var due: Instant { begin + ElapsedTime(milliseconds: Int64(count * 1000 / rate)) }
    }

    /// - Parameters:
    ///   - count: how many vehicles, 1 or more.
    ///   - start: data time begins here.
    ///    - rate: records in all for each second of data time, duplicates and late ones counted; `nil` means that each
    ///      vehicle decides when it reports.
    ///    - hasFaults: true if some reports come late, twice, broken, or from a tracker with a wrong clock.
    ///    - clock: the time of day. If a record is asked for more than ten seconds after it is due, the fleet goes on
    ///      from the time of day. `nil` means that data time has nothing to do with the time of day.
    package init(
        count: Int, seed: UInt64, start: Instant, rate: Double? = nil, hasFaults: Bool = true,
        clock: (() -> Instant)? = nil
    ) {
        precondition(count > 0, "a fleet has vehicles")
        let grid = StreetGrid(latitude: 51.05, longitude: 13.74)
        self.grid = grid
        self.clock = clock
        beat = rate.map { Beat(rate: $0, begin: start) }
        vehicles = (0..<count).map { FleetVehicle(index: $0, seed: seed, start: start, in: grid) }
        faults = hasFaults ? (0..<count).map { ReportFaults(index: $0, seed: seed) } : []
        guard rate == nil else { return }
        for (index, vehicle) in vehicles.enumerated() { queue.add(.report(vehicle: index), due: vehicle.nextReport) }
    }

    /// The ids of a fleet's vehicles, which are the keys of their records.
    package static func vehicleIds(count: Int) -> [String] { (0..<count).map(FleetVehicle.vehicleId) }

    /// The ids of this fleet's vehicles.
    package var vehicleIds: [String] { vehicles.map(\.vehicleId) }

    package var fractionDone: Double? { nil }

    package func next() -> SourceRecord? {
        beat == nil ? nextByVehicles() : nextByRate()
    }

    private func nextByVehicles() -> SourceRecord {
        while let (due, event) = queue.removeFirst() {
            switch event {
            case .arrival(let record): return record
            case .report(let index):
                let now = caughtUp(due)
                let records = report(index, at: now)
                queue.add(.report(vehicle: index), due: vehicles[index].nextReport)
                for record in records { queue.add(.arrival(record), due: record.due ?? now) }
            }
        }
        preconditionFailure("every vehicle has a next report")
    }

    private func nextByRate() -> SourceRecord {
        guard var beat else { preconditionFailure("a fleet with a rate has a beat") }
        // The time until the first record is asked for is not caught up with.
        if !hasBegun, let time = clock?(), time > beat.begin { beat.begin = time }
        hasBegun = true
        let due = beat.due
        let now = caughtUp(due)
        if now != due { (beat.begin, beat.count) = (now, 0) }
        beat.count += 1
        defer { self.beat = beat }
        while true {
            if let first = queue.firstDue, first <= now, case .arrival(var record)? = queue.removeFirst()?.element {
                record.due = now
                return record
            }
            // A vehicle without reception is passed over, as long as another has reception.
            for _ in vehicles.indices where !vehicles[beat.vehicle].advance(to: now) {
                beat.vehicle = (beat.vehicle + 1) % vehicles.count
            }
            for record in report(beat.vehicle, at: now) { queue.add(.arrival(record), due: record.due ?? now) }
            beat.vehicle = (beat.vehicle + 1) % vehicles.count
        }
    }

    private func report(_ index: Int, at now: Instant) -> [SourceRecord] {
        let report = vehicles[index].report(at: now, in: grid)
        return faults.isEmpty ? [SourceRecord(report.message, due: now)] : faults[index].records(of: report, at: now)
    }

    private func caughtUp(_ due: Instant) -> Instant {
        guard let now = clock?(), now - due > .seconds(10) else { return due }
        return now
    }
}
