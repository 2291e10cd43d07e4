import Agendas
import Messages
import RecordLog
import StreamCore
import Timelines

// The bounds of all that is kept and sent, so that each record of the exchange and the changelog fits (R11). The
// largest value is a configuration's state: its record, the ids of its sources, one vehicle and its calendars' agendas.
// Each of them has its share of `PipelineSettings.internalBytesMax`, and together they are less than the whole. What a
// share does not hold is refused where it comes in, by name: as a dead letter, or as an `error` timeline.

extension PipelineSettings {
    /// The bytes of a record that is read.
    var recordBounds: RecordBounds {
        RecordBounds(value: min(recordBytesMax, internalBytesMax / 8), key: internalBytesMax / 8)
    }

    /// The bytes of all that is known of a vehicle. A record of less than `lightTelemetryBytesMax` is not held against
    /// it; five texts and series of such records are a sixth of it.
    var vehicleBytesMax: Int { internalBytesMax / 4 }

    /// A smaller record of telemetry makes no vehicle too large by more than itself for each of its fields.
    var lightTelemetryBytesMax: Int { vehicleBytesMax / 32 }

    /// The bytes of the agendas of a configuration's calendars together, by `Occurrence.agendaBytes`.
    var agendasBytesMax: Int { internalBytesMax / 8 * 3 }

    /// The bytes of what older records of a name leave in a calendar record's state.
    var newerEventsBytesMax: Int { internalBytesMax / 8 }

    /// The number of calendars of a configuration: its state says something of each, whatever they hold.
    private var calendarsMax: Int { internalBytesMax / 1024 }

    /// The bytes of the names around a configuration's outputs. In JSON a byte takes six at the most, and keys and
    /// headers repeat it up to four times.
    var namesBytesMax: Int { min(32 << 10, internalBytesMax / 256, min(timelineBytesMax, reloadBytesMax) / 24) }

    /// The bytes of the configurations' ids that one reload names, as JSON has them.
    var reloadIdsBytesMax: Int { min(256 << 10, reloadBytesMax / 3) }

    /// The bytes of a reader's state.
    var readerBytesMax: Int { internalBytesMax / 2 }

    /// The bytes of a content type.
    static let contentTypeBytesMax = 1024

    /// - Throws: if the configuration's state might not fit.
    func check(_ message: ConfigurationMessage) throws(MessageProblem) {
        guard case .usable(let configuration) = message else { return }
        let count = configuration.calendarIds.count
        guard count > calendarsMax else { return }
        throw MessageProblem(
            .tooLarge, field: "calendarIds", "names \(count) calendars, at most \(calendarsMax) are allowed")
    }
}

/// The bounds that each record is checked against: apart, since a call of the settings would copy them all.
struct RecordBounds {
    /// The bytes of the value.
    let value: Int
    /// The bytes of the key, which names state and goes through the exchange.
    let key: Int

    /// - Throws: if the record is too large to be read.
    func check(_ record: InputRecord) throws(MessageProblem) {
        if let size = record.value?.count, size > value {
            throw MessageProblem(.tooLarge, "the value has \(size) bytes, at most \(value) are read")
        }
        if let size = record.key?.count, size > key {
            throw MessageProblem(.tooLarge, field: "key", "has \(size) bytes, at most \(key) are read")
        }
    }
}

extension TaskContext {
    /// `whereOwned`, for a record that may be too large to be sent on.
    ///
    /// - Throws: if another task owns the entity and the record would not fit into the exchange.
    func whereOwned<Result>(
        _ id: String, orForward record: InputRecord, _ settings: PipelineSettings,
        _ body: (UnsafeRawBufferPointer, UInt32) -> Result
    ) throws(MessageProblem) -> Result? {
        var name = id
        let isOwned = name.withUTF8 { owner(of: Murmur2.hash(UnsafeRawBufferPointer($0))) == partition }
        if !isOwned { try checkForwarding(record, of: id.utf8.count, settings) }
        return whereOwned(id, orForward: record, body)
    }

    /// - Parameter entityBytes: the size of the id that the record is sent to.
    /// - Throws: if the record would not fit into the exchange with its headers.
    func checkForwarding(
        _ record: InputRecord, of entityBytes: Int, _ settings: PipelineSettings
    ) throws(MessageProblem) {
        let headersBytes = headers(of: record).reduce(0) { $0 + $1.name.utf8.count + ($1.value?.count ?? 0) + 16 }
        let bytes = (record.key?.count ?? 0) + (record.value?.count ?? 0) + headersBytes + entityBytes
        // The rest is for its origin, and for the batch around it.
        let bytesMax = settings.internalBytesMax - 4096
        guard bytes > bytesMax else { return }
        throw MessageProblem(
            .tooLarge,
            """
            the record has \(bytes) bytes, \(headersBytes) of them in headers, at most \(bytesMax) are sent on to the \
            task that owns it
            """)
    }
}

extension String {
    /// Its bytes in JSON, without the quotation marks; control characters count as six, the most that any takes.
    var jsonBytes: Int {
        utf8.reduce(0) { bytes, byte in
            switch byte {
            case ..<0x20: bytes + 6
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes + 2
            default: bytes + 1
            }
        }
    }
}

extension String {
    /// Its first scalars, of so many bytes at the most. One character may be as long as the whole text.
    func prefix(bytes: Int) -> String {
        guard let end = utf8.index(startIndex, offsetBy: bytes, limitedBy: endIndex) else { return String(self) }
        var last = end
        while last.samePosition(in: unicodeScalars) == nil { last = utf8.index(before: last) }
        return String(self[..<last])
    }
}

extension Occurrence {
    /// Its bytes in a message or in state, or a few more.
    var agendaBytes: Int {
        title.utf8.count + (location?.utf8.count ?? 0) + uid.utf8.count + calendarId.utf8.count
            + (vehicleId?.utf8.count ?? 0) + 128
    }
}

extension Vehicle {
    /// The fields that have no fixed size, with their bytes in state.
    private var sizes: [(field: String, bytes: Int)] {
        [
            ("vehicleId", vehicleId.utf8.count), ("registration", registration?.utf8.count ?? 0),
            ("alias", alias?.utf8.count ?? 0), ("customAddressIcon", customAddressIcon?.utf8.count ?? 0),
            ("address", address?.utf8.count ?? 0),
            ("series", series.reduce(0) { $0 + $1.name.utf8.count + $1.points.count * 16 + 16 }),
        ]
    }

    /// - Throws: if all that is known of the vehicle has more bytes than are kept; the problem names the largest field.
    func check(_ settings: PipelineSettings) throws(MessageProblem) {
        let sizes = sizes
        let bytes = sizes.reduce(256) { $0 + $1.bytes }
        guard bytes > settings.vehicleBytesMax, let largest = sizes.max(by: { $0.bytes < $1.bytes }) else { return }
        throw MessageProblem(
            .tooLarge, field: largest.field,
            """
            has \(largest.bytes) bytes; with all else that stays known of the vehicle it would have \(bytes), at most \
            \(settings.vehicleBytesMax) are kept
            """)
    }
}
