internal import Messages
package import RecordLog
internal import Timelines

/// The vehicles of which the topic of telemetry still holds a record, each as these records leave it (M3, T16).
package struct VehicleList: ~Copyable {
    package static let fields = [
        "vehicleId", "registration", "alias", "status", "speed", "location", "observedAt", "records", "late",
        "configurations", "topic", "partition", "offset",
    ]

    private struct Entry {
        var vehicle: Vehicle
        var place: SourceOffset
        var records = 0
        var late = 0
    }

    package private(set) var unread = UnreadRecords()
    private let future: ElapsedTime?
    private var entries = TextDictionary<Entry>()
    private var configurations = TextDictionary<Int>()
    private var reader = TelemetryReader()

    /// - Parameter future: how far `observedAt` may lie after a record's timestamp (T16); `nil` means any length.
    package init(future: ElapsedTime?) {
        self.future = future
    }

    /// Takes a record of the topic of telemetry. One that cannot be read is passed over and counted.
    package mutating func apply(_ view: RecordView, of topic: String) {
        guard let value = view.value else { return }
        do throws(MessageProblem) {
            add(try reader.read(value), view, of: topic)
        } catch {
            unread.add(view, of: topic, error)
        }
    }

    private mutating func add(_ record: TelemetryView, _ view: RecordView, of topic: String) {
        let id = String(record.vehicleId)
        let place = SourceOffset(topic, view)
        var entry = entries[id] ?? Entry(vehicle: Vehicle(vehicleId: id), place: place)
        entry.records += 1
        var observedAt = record.observedAt
        if let future, view.timestamp > Instant(milliseconds: 0), observedAt - view.timestamp > future {
            observedAt = view.timestamp
        }
        switch record.apply(to: &entry.vehicle, observedAt: observedAt) {
        case .applied: entry.place = place
        case .late: entry.late += 1
        }
        entries[id] = entry
    }

    /// Counts the configurations that show each vehicle.
    package mutating func count(_ list: borrowing ConfigurationList) {
        list.forEach { message, _ in
            guard case .usable(let configuration) = message, let id = configuration.chosenVehicle else { return }
            configurations[id, default: 0] += 1
        }
    }

    /// The vehicles, ascending by id.
    package func rows() -> [InspectedRow] {
        entries.sorted.map { _, entry in
            var row = InspectedRow()
            let vehicle = entry.vehicle
            row.add("vehicleId", vehicle.vehicleId)
            row.add("registration", vehicle.registration)
            row.add("alias", vehicle.alias)
            row.add("status", vehicle.status?.rawValue)
            row.add("speed", vehicle.speed.map { .number(Int64(exactly: $0).map { "\($0)" } ?? "\($0)") })
            row.add("location", vehicle.location)
            row.add("observedAt", vehicle.observedAt)
            row.add("records", entry.records)
            row.add("late", entry.late)
            row.add("configurations", configurations[vehicle.vehicleId] ?? 0)
            row.add(entry.place)
            return row
        }
    }
}
