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

    /// What became known of each vehicle.
    consuming func histories() -> [String: VehicleHistory] {
        var histories: [String: VehicleHistory] = [:]
        for (vehicleId, records) in records {
            histories[vehicleId] = VehicleHistory(of: vehicleId, records, with: &reader)
        }
        return histories
    }
}
