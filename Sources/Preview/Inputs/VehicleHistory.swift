internal import Messages
internal import Producers
internal import Timelines

/// Reads records of `vehicle.telemetry`. All are looked at, those of the vehicles that are asked for are kept.
struct TelemetryFile: ~Copyable {
    private let vehicles: Set<String>
    private var records: [String: [VehicleHistory.Record]] = [:]
    private var reader = TelemetryReader()

    init(vehicles: Set<String>) {
        self.vehicles = vehicles
    }

    mutating func read(_ file: String, problems: inout [InputProblem]) {
        var objects = ObjectFile(file, of: .telemetry, problems: &problems)
        while let (object, _) = objects.next(problems: &problems) {
            do throws(MessageProblem) {
                let (vehicleId, known) = try object.bytes.withBytes { bytes throws(MessageProblem) in
                    let record = try reader.read(bytes)
                    return (
                        String(record.vehicleId),
                        VehicleHistory.Record(
                            observedAt: record.observedAt, isMasterData: record.isMasterData, bytes: object.bytes)
                    )
                }
                if vehicles.contains(vehicleId) { records[vehicleId, default: []].append(known) }
            } catch {
                problems.append(objects.problem(object, error))
            }
        }
    }

    /// The history of each vehicle.
    consuming func histories() -> [String: VehicleHistory] {
        var histories: [String: VehicleHistory] = [:]
        for (vehicleId, records) in records {
            histories[vehicleId] = VehicleHistory(of: vehicleId, records, with: &reader)
        }
        return histories
    }
}

/// All that becomes known of one vehicle, and when.
///
/// Known at an instant is what the records observed until then come to in the order of the file, as the pipeline reads
/// them: one that is older than what is known by then is dropped.
struct VehicleHistory: Sendable {
    /// Ascending, each instant once.
    private var arrivals: [(at: Instant, vehicle: Vehicle)] = []

    /// A record of the file, whose bytes have been read once without a problem.
    struct Record {
        var observedAt: Instant
        /// It says who the vehicle is, not what it does.
        var isMasterData: Bool
        var bytes: [UInt8]
    }

    /// - Parameter records: in the order of the file.
    init(of vehicleId: String, _ records: [Record], with reader: inout TelemetryReader) {
        // By time, in the order of the file where they are equal.
        let byTime = records.indices.sorted { (records[$0].observedAt, $0) < (records[$1].observedAt, $1) }
        let unknown = Vehicle(vehicleId: vehicleId)
        // What was applied until now, in the order of the file, each with what the vehicle was after it.
        var applied: [(index: Int, vehicle: Vehicle)] = []
        for (position, index) in byTime.enumerated() {
            let record = records[index]
            if let last = applied.last, last.index > index, record.isMasterData {
                // It makes nothing late that stands behind it: all is taken in anew.
                applied = []
                for known in byTime[...position].sorted() {
                    var vehicle = applied.last?.vehicle ?? unknown
                    let outcome = vehicle.apply(records[known], with: &reader)
                    if outcome == .applied { applied.append((known, vehicle)) }
                }
            } else {
                // What stands behind it and was observed earlier is late now.
                while let last = applied.last, last.index > index { applied.removeLast() }
                var vehicle = applied.last?.vehicle ?? unknown
                _ = vehicle.apply(record, with: &reader)
                applied.append((index, vehicle))
            }
            if arrivals.last?.at == record.observedAt { arrivals.removeLast() }
            arrivals.append((record.observedAt, applied.last?.vehicle ?? unknown))
        }
    }

    func state(at instant: Instant) -> Vehicle? {
        let count = count(upTo: instant)
        return count == 0 ? nil : arrivals[count - 1].vehicle
    }

    func nextArrival(after instant: Instant) -> Instant? {
        let count = count(upTo: instant)
        return count < arrivals.count ? arrivals[count].at : nil
    }

    private func count(upTo instant: Instant) -> Int {
        arrivals.partitionPoint { $0.at <= instant }
    }
}

extension Vehicle {
    fileprivate mutating func apply(
        _ record: VehicleHistory.Record, with reader: inout TelemetryReader
    ) -> TelemetryOutcome {
        record.bytes.withUnsafeBytes { bytes in
            do throws(MessageProblem) {
                return try reader.read(bytes).apply(to: &self)
            } catch {
                preconditionFailure("A record that was read once cannot be read again: \(error)")
            }
        }
    }
}
