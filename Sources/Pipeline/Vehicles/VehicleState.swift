import RecordLog
import StreamCore
import Timelines

/// The state of a vehicle at its task.
struct VehicleState: StateValue {
    var vehicle: Vehicle
    /// A record of it was read.
    var isKnown = false
    /// The newest record that names it could not be read.
    var isUnreadable = false
    /// Rises with every record that was applied, or that could not be read.
    var revision: SourceRevision = 0
    /// The record that was applied last.
    var origin: Origin?
    /// Its `observedAt` was held against the arrival of a record, and is not from the future.
    var isHeldToArrival = false
    /// When a record that names it came last, by the clock of the task; `nil` in state of releases that kept none. Late
    /// records move it by days only.
    var heardAt: Instant?
    /// Some of its subscribers may not have been told of its last change yet.
    var fanOut: FanOutMark?

    init(vehicleId: String) {
        vehicle = Vehicle(vehicleId: vehicleId)
    }

    /// The vehicle; `nil` if nothing was ever heard of it but what could not be read.
    var known: Vehicle? { isKnown ? vehicle : nil }

    func encode(into writer: inout ByteWriter) {
        writer.write(vehicle)
        writer.write(isKnown)
        writer.write(isUnreadable)
        revision.encode(into: &writer)
        writer.write(optional: origin) { $1.encode(into: &$0) }
        // What follows is not read by releases before it, and not written by them.
        guard isHeldToArrival || heardAt != nil || fanOut != nil else { return }
        writer.write(isHeldToArrival)
        writer.write(optional: heardAt)
        if let fanOut { fanOut.encode(into: &writer) }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        vehicle = try reader.vehicle()
        isKnown = try reader.bool()
        isUnreadable = try reader.bool()
        revision = try SourceRevision(from: &reader)
        origin = try reader.bool() ? try Origin(from: &reader) : nil
        isHeldToArrival = reader.isAtEnd ? false : try reader.bool()
        heardAt = reader.isAtEnd ? nil : try reader.optionalInstant()
        fanOut = reader.isAtEnd ? nil : try FanOutMark(from: &reader)
    }
}

extension VehicleState: ExpiringState {
    var heardAtLeast: Instant? { vehicle.observedAt }
}

extension VehicleState {
    /// The bytes of JSON that each entry of a timeline shows of it at the most; 0 if they are so few that no timeline
    /// is too large for them.
    var heavyBytes: Int {
        func bytes(of text: String?) -> Int { text?.jsonBytes ?? 0 }
        let texts = bytes(of: vehicle.registration) + bytes(of: vehicle.alias)
        let address = bytes(of: vehicle.customAddressIcon) + bytes(of: vehicle.address)
        let bytes = vehicle.series.reduce(texts + address) { $0 + $1.name.jsonBytes + 32 }
        return bytes > Self.lightBytesMax ? bytes : 0
    }

    private static let lightBytesMax = 1024
}

extension SourceContent {
    /// The content of a vehicle's state; `nil` stands for a vehicle of which nothing is known.
    init(_ state: VehicleState?) {
        self.init(vehicle: state?.known, origin: state?.origin, isUnreadable: state?.isUnreadable ?? false)
    }
}
