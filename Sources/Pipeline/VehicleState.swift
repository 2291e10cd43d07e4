import StreamCore
import Timelines

/// What a vehicle's task keeps of it.
struct VehicleState: StateValue {
    var vehicle: Vehicle
    /// Rises with every record that was applied.
    var revision: UInt64 = 0
    /// The record that was applied last.
    var origin: Origin?

    init(vehicleId: String) {
        vehicle = Vehicle(vehicleId: vehicleId)
    }

    func encode(into writer: inout ByteWriter) {
        writer.write(vehicle)
        writer.write(varint: revision)
        writer.write(optional: origin) { $1.encode(into: &$0) }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        vehicle = try reader.vehicle()
        revision = try reader.varint()
        origin = try reader.bool() ? try Origin(from: &reader) : nil
    }
}

/// A configuration's subscription at its vehicle, with what it was told last.
struct VehicleSubscription: StateValue {
    var version: UInt64
    var need: SourceNeeds.VehicleNeed
    var sensitivity: WidgetConfiguration.Sensitivity?
    var told: Told?

    struct Told {
        var at: Instant
        /// As of `at`; nil: not heard of.
        var status: VehicleStatus?
        var revision: UInt64
        /// The vehicle as told, for `sensitivity`; nil where nobody asked.
        var vehicle: Vehicle?
        /// When the refresh is due; nil where the configuration's own timer does that.
        var refreshDue: Instant?
    }

    init(version: UInt64, need: SourceNeeds.VehicleNeed, sensitivity: WidgetConfiguration.Sensitivity?) {
        self.version = version
        self.need = need
        self.sensitivity = sensitivity
    }

    func encode(into writer: inout ByteWriter) {
        writer.write(varint: version)
        SubscriptionTerms(timeZone: "", vehicle: need, sensitivity: sensitivity).encode(into: &writer)
        writer.write(optional: told) { writer, told in
            writer.write(told.at)
            writer.write(told.status.map { $0.number } ?? 0)
            writer.write(varint: told.revision)
            writer.write(optional: told.vehicle) { $0.write($1) }
            writer.write(optional: told.refreshDue)
        }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        version = try reader.varint()
        let terms = try SubscriptionTerms(from: &reader)
        guard let need = terms.vehicle else { throw CorruptBytes("a vehicle subscription without a vehicle") }
        self.need = need
        sensitivity = terms.sensitivity
        if try reader.bool() {
            let at = try reader.instant()
            let status = try VehicleStatus(number: reader.byte())
            let revision = try reader.varint()
            let vehicle = try reader.bool() ? try reader.vehicle() : nil
            told = Told(
                at: at, status: status, revision: revision, vehicle: vehicle, refreshDue: try reader.optionalInstant())
        }
    }

    /// When there is something to tell if nothing more is heard: a refresh, or the vehicle falling silent.
    func nextDue(of vehicle: Vehicle?) -> Instant? {
        guard let told else { return nil }
        var due = told.refreshDue
        if told.status != .offline, let silent = vehicle?.silentFrom(offlineAfter: need.offlineAfter) {
            due = due.map { min($0, silent) } ?? silent
        }
        return due
    }
}
