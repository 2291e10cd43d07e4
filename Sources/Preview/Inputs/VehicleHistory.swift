internal import Messages
internal import Timelines

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
        var bytes: [UInt8]
    }

    /// - Parameter records: in the order of the file.
    init(of vehicleId: String, _ records: [Record], with reader: inout TelemetryReader) {
        // Sorted by time, and the order of the file where they are equal.
        let byTime = records.indices.sorted {
            (records[$0].observedAt, $0) < (records[$1].observedAt, $1)
        }
        var vehicle = Vehicle(vehicleId: vehicleId)
        var lastRead = -1
        for (position, index) in byTime.enumerated() {
            let now = records[index].observedAt
            if index > lastRead {
                vehicle.apply(records[index], with: &reader)
                lastRead = index
            } else {
                // It stands before some that were observed earlier, which are late now.
                vehicle = Vehicle(vehicleId: vehicleId)
                for known in byTime[...position].sorted() { vehicle.apply(records[known], with: &reader) }
            }
            if arrivals.last?.at == now { arrivals.removeLast() }
            arrivals.append((now, vehicle))
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
        var low = 0
        var high = arrivals.count
        while low < high {
            let middle = (low + high) / 2
            if arrivals[middle].at <= instant { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Vehicle {
    fileprivate mutating func apply(_ record: VehicleHistory.Record, with reader: inout TelemetryReader) {
        record.bytes.withUnsafeBytes { bytes in
            do throws(MessageProblem) {
                _ = try reader.read(bytes).apply(to: &self)
            } catch {
                preconditionFailure("A record that was read once cannot be read again: \(error)")
            }
        }
    }
}
