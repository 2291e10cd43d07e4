import StreamCore
import Timelines

/// What a vehicle's task keeps of it.
struct VehicleState: StateValue {
    var vehicle: Vehicle
    /// A record of it was read.
    var isKnown = false
    /// The newest record that names it could not be read.
    var isUnreadable = false
    /// Rises with every record that was applied, or that could not be read.
    var revision: UInt64 = 0
    /// The record that was applied last.
    var origin: Origin?
    /// Its `observedAt` was held against the arrival of a record, and is not from the future.
    var isHeldToArrival = false

    init(vehicleId: String) {
        vehicle = Vehicle(vehicleId: vehicleId)
    }

    /// Nil: nothing was ever heard of it, whatever could not be read.
    var known: Vehicle? { isKnown ? vehicle : nil }

    func encode(into writer: inout ByteWriter) {
        writer.write(vehicle)
        writer.write(isKnown)
        writer.write(isUnreadable)
        writer.write(varint: revision)
        writer.write(optional: origin) { $1.encode(into: &$0) }
        // What follows is not read by releases before it, and not written by them.
        if isHeldToArrival { writer.write(true) }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        vehicle = try reader.vehicle()
        isKnown = try reader.bool()
        isUnreadable = try reader.bool()
        revision = try reader.varint()
        origin = try reader.bool() ? try Origin(from: &reader) : nil
        isHeldToArrival = reader.isAtEnd ? false : try reader.bool()
    }
}

extension VehicleState {
    /// The bytes of JSON that each entry of a timeline shows of it at the most, where they are so many that a
    /// timeline of the most entries may be too large for them; else 0.
    var heavyBytes: Int {
        let texts = [vehicle.registration, vehicle.alias, vehicle.customAddressIcon, vehicle.address]
        let series = vehicle.series.reduce(0) { $0 + $1.name.jsonBytes + 32 }
        let bytes = texts.reduce(series) { $0 + ($1?.jsonBytes ?? 0) }
        return bytes > Self.lightBytesMax ? bytes : 0
    }

    private static let lightBytesMax = 1024
}

extension String {
    /// Its bytes in JSON, without the quotation marks; control characters count as six, the most that any takes.
    fileprivate var jsonBytes: Int {
        utf8.reduce(0) { bytes, byte in
            switch byte {
            case ..<0x20: bytes + 6
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes + 2
            default: bytes + 1
            }
        }
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
        /// How many of the need's silences had passed at `at`.
        var silences: Int
        var isUnreadable: Bool
        var revision: UInt64
        /// The vehicle as told, for `sensitivity`; nil where nobody asked.
        var vehicle: Vehicle?
        /// When the refresh is due; nil where the configuration's own timer does that.
        var refreshDue: Instant?
        /// `VehicleState.heavyBytes` as told.
        var heavyBytes = 0
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
            writer.write(count: told.silences)
            writer.write(told.isUnreadable)
            writer.write(varint: told.revision)
            writer.write(optional: told.vehicle) { $0.write($1) }
            writer.write(optional: told.refreshDue)
        }
        // What follows is not read by releases before it, and not written by them.
        if let told, told.heavyBytes > 0 { writer.write(count: told.heavyBytes) }
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
            let silences = Int(try reader.varint())
            let isUnreadable = try reader.bool()
            let revision = try reader.varint()
            let vehicle = try reader.bool() ? try reader.vehicle() : nil
            told = Told(
                at: at, status: status, silences: silences, isUnreadable: isUnreadable, revision: revision,
                vehicle: vehicle, refreshDue: try reader.optionalInstant())
            if !reader.isAtEnd { told!.heavyBytes = Int(try reader.varint()) }
        }
    }

    /// When the next silence of the vehicle is due if nothing more is heard.
    func silenceDue(of vehicle: Vehicle?) -> Instant? {
        guard let told, told.silences < need.silences.count else { return nil }
        return vehicle?.silentFrom(offlineAfter: need.silences[told.silences])
    }
}

extension SourceContent {
    /// What is known of a vehicle; nil: nothing.
    init(_ state: VehicleState?) {
        self.init(vehicle: state?.known, origin: state?.origin, isUnreadable: state?.isUnreadable ?? false)
    }
}
