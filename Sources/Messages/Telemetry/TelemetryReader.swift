internal import CSimdjson
package import Timelines

/// Reads telemetry, the hot path: one pass over a record's bytes, no object and no `String` for a record.
///
/// Use one reader for each thread and keep it for the thread's life.
package struct TelemetryReader: ~Copyable {
    private var parser = JSONParser()

    package init() {}

    /// Reads one record.
    ///
    /// - Returns: a view of the record in this reader's memory, valid until the next call.
    /// - Throws: if the bytes are not a telemetry record; the problem names the field and what is allowed.
    package mutating func read(_ bytes: UnsafeRawBufferPointer) throws(MessageProblem) -> TelemetryView {
        let record = try parser.telemetry(bytes)
        guard record.pointee.given & csimdjson_field.series.bit != 0 else {
            return TelemetryView(record: record, givenSeries: nil)
        }
        var nodes = JSONNodes(UnsafeBufferPointer(start: record.pointee.series, count: record.pointee.series_count))
        let series = try MessageFields(nodes.next(), path: "series").series()
        return TelemetryView(record: record, givenSeries: series)
    }
}

/// One telemetry record, as its reader holds it: valid until the reader's next call.
package struct TelemetryView {
    fileprivate let record: UnsafePointer<csimdjson_telemetry>
    /// The series of the record; `nil` is the usual case, as an empty array would cost reference counting.
    fileprivate let givenSeries: [Vehicle.Series]?

    /// The id, never empty.
    package var vehicleId: TelemetryText { TelemetryText(record.pointee.vehicle_id) }
    package var observedAt: Instant { Instant(milliseconds: record.pointee.observed_at) }
    package var ignition: Bool? { given(.ignition, record.pointee.ignition) }
    /// Speed in km/h.
    package var speed: Double? { given(.speed, record.pointee.speed) }
    /// Latitude in degrees (WGS 84), from -90 to 90; given with the longitude.
    package var latitude: Double? { given(.latitude, record.pointee.latitude) }
    /// Longitude in degrees (WGS 84), from -180 to 180.
    package var longitude: Double? { given(.longitude, record.pointee.longitude) }
    /// Heading in degrees clockwise from north, from 0 to 360.
    package var heading: Double? { given(.heading, record.pointee.heading) }
    package var address: TelemetryText? { given(.address, TelemetryText(record.pointee.address)) }

    package var registration: TelemetryChange<TelemetryText> {
        change(.registration, TelemetryText(record.pointee.registration))
    }
    package var alias: TelemetryChange<TelemetryText> {
        change(.alias, TelemetryText(record.pointee.alias))
    }
    package var customAddressIcon: TelemetryChange<TelemetryText> {
        change(.custom_address_icon, TelemetryText(record.pointee.custom_address_icon))
    }
    /// What the record says of the vehicle's series, ascending by name, each ascending by time.
    package var series: TelemetryChange<[Vehicle.Series]> { change(.series, givenSeries ?? []) }

    /// The status that the record names, or else the one that follows from ignition and speed (M3).
    package var status: VehicleStatus {
        if let status = given(.status, record.pointee.status) { return VehicleStatus(status) }
        if ignition == false { return .ignitionOff }
        if let speed, speed >= 3 { return .moving }
        return ignition == true ? .idling : .stopped
    }

    /// True if the record has none of status, ignition, speed and position: it says who the vehicle is, not what it
    /// does.
    package var isMasterData: Bool {
        record.pointee.given & Self.observation == 0
    }

    private static let observation: UInt32 =
        [csimdjson_field.status, .ignition, .speed, .latitude, .longitude].reduce(0) { $0 | $1.bit }

    private func given<Value>(_ field: csimdjson_field, _ value: @autoclosure () -> Value) -> Value? {
        record.pointee.given & field.bit != 0 ? value() : nil
    }

    private func change<Value>(_ field: csimdjson_field, _ value: @autoclosure () -> Value) -> TelemetryChange<Value> {
        if record.pointee.given & field.bit != 0 { return .replaced(value()) }
        return record.pointee.cleared & field.bit != 0 ? .cleared : .unchanged
    }
}

/// What a record says of a field that stays known without it.
package enum TelemetryChange<Value> {
    /// The field is not there.
    case unchanged
    /// The field is null.
    case cleared
    case replaced(Value)
}

/// UTF-8 text inside a reader: valid until the reader's next call.
package struct TelemetryText {
    private let text: csimdjson_text

    fileprivate init(_ text: csimdjson_text) {
        self.text = text
    }

    /// The bytes of the text, valid until the reader's next call.
    package var utf8: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: text.start, count: text.length) }

    /// True if the bytes are the same. Makes no `String`.
    package static func == (left: TelemetryText, right: String) -> Bool {
        let isSame = right.utf8.withContiguousStorageIfAvailable {
            csimdjson_text_equals(left.text, $0.baseAddress, $0.count)
        }
        // Only a bridged string lies in pieces.
        return isSame ?? left.utf8.elementsEqual(right.utf8)
    }
}

extension String {
    /// Copies the text.
    package init(_ text: TelemetryText) {
        self.init(decoding: text.utf8, as: UTF8.self)
    }
}

extension csimdjson_field {
    fileprivate var bit: UInt32 { 1 << rawValue }
}

extension VehicleStatus {
    fileprivate init(_ status: csimdjson_status) {
        self =
            switch status {
            case .moving: .moving
            case .idling: .idling
            case .stopped: .stopped
            case .ignition_off: .ignitionOff
            case .charging: .charging
            case .offline: .offline
            }
    }
}

extension MessageFields {
    /// Reads telemetry's `series`, `{name: [{at, value}]}`: ascending by name, each ascending by time. Of points at the
    /// same instant the later one in the list comes last.
    func series() throws(MessageProblem) -> [Vehicle.Series] {
        var series: [Vehicle.Series] = []
        for member in members.members {
            let fields = try require(member.key, objects(member.key))
            var points: [(index: Int, point: Vehicle.Point)] = []
            for (index, point) in fields.enumerated() {
                let at = try point.require("at", point.instant("at"))
                let value = try point.require("value", point.number("value"))
                points.append((index, Vehicle.Point(at: at, value: value)))
            }
            points.sort { ($0.point.at, $0.index) < ($1.point.at, $1.index) }
            series.append(Vehicle.Series(name: member.key, points: points.map(\.point)))
        }
        return series
    }
}
