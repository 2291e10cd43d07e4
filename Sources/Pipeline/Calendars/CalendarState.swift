import Agendas
import RecordLog
import StreamCore
import Timelines

/// A record of a calendar as it came; its events are read from it again after a restore.
struct CalendarRecordState: StateValue {
    var value: [UInt8]
    /// The record's content type; `nil` if its value is JSON or tells its form at its beginning.
    var contentType: String?
    /// A number that tells which of two records of the calendar came first.
    var arrival: UInt64
    /// Newer versions of events in it that an older record of this key held, each as a record of its own
    /// holds it.
    var newer: [[UInt8]]

    init(value: [UInt8], contentType: String?, arrival: UInt64, newer: [[UInt8]]) {
        self.value = value
        self.contentType = contentType
        self.arrival = arrival
        self.newer = newer
    }

    func encode(into writer: inout ByteWriter) {
        writer.write(value)
        writer.write(optional: contentType)
        writer.write(varint: arrival)
        writer.write(list: newer) { $0.write($1) }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        value = try reader.array()
        contentType = try reader.optionalString()
        arrival = try reader.varint()
        newer = try reader.list { reader throws(CorruptBytes) in try reader.array() }
    }
}

/// The state of a calendar as a whole, beside its records.
struct CalendarState: StateValue {
    /// Rises with every record that changed it, or whether it can be read.
    var revision: SourceRevision = 0
    /// The record that changed it last.
    var origin: Origin?
    /// The newest record that names it could not be read.
    var isUnreadable = false
    /// When a record changed it last, or whether it can be read, by the clock of the task; `nil` in state of releases
    /// that kept none.
    var heardAt: Instant?
    /// Some of its subscribers may not have been told of its last change yet.
    var fanOut: FanOutMark?

    init() {}

    func encode(into writer: inout ByteWriter) {
        revision.encode(into: &writer)
        writer.write(optional: origin) { $1.encode(into: &$0) }
        writer.write(isUnreadable)
        // What follows is not read by releases before it, and not written by them.
        guard heardAt != nil || fanOut != nil else { return }
        writer.write(optional: heardAt)
        writer.write(optional: fanOut) { $1.encode(into: &$0) }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        revision = try SourceRevision(from: &reader)
        origin = try reader.bool() ? try Origin(from: &reader) : nil
        isUnreadable = try reader.bool()
        if reader.isAtEnd { return }
        heardAt = try reader.optionalInstant()
        fanOut = try reader.bool() ? try FanOutMark(from: &reader) : nil
    }
}

extension CalendarState: ExpiringState {
    var heardAtLeast: Instant? { nil }
}

/// A configuration's subscription at one of its calendars, with the last update that it was sent.
struct CalendarSubscription: StateValue {
    var version: SubscriptionVersion
    var timeZone: String
    var need: SourceNeeds.AgendaNeed
    /// `nil` if no update was sent yet.
    var lastUpdate: Update?

    struct Update: Hashable {
        /// A digest of the occurrences.
        var agenda: UInt64
        var isUnreadable: Bool
        /// The midnight with which the window moves on; `nil` if no window is shown.
        var until: Instant?
    }

    init(version: SubscriptionVersion, timeZone: String, need: SourceNeeds.AgendaNeed) {
        self.version = version
        self.timeZone = timeZone
        self.need = need
    }

    func encode(into writer: inout ByteWriter) {
        version.encode(into: &writer)
        SubscriptionTerms(timeZone: timeZone, agenda: need).encode(into: &writer)
        writer.write(optional: lastUpdate) { writer, update in
            writer.write(update.agenda)
            writer.write(update.isUnreadable)
            writer.write(optional: update.until)
        }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        version = try SubscriptionVersion(from: &reader)
        let terms = try SubscriptionTerms(from: &reader)
        guard let need = terms.agenda else { throw CorruptBytes("a calendar subscription without an agenda") }
        timeZone = terms.timeZone
        self.need = need
        if try reader.bool() {
            let agenda = try reader.uint64()
            let isUnreadable = try reader.bool()
            lastUpdate = Update(agenda: agenda, isUnreadable: isUnreadable, until: try reader.optionalInstant())
        }
    }
}

extension Occurrence {
    /// A digest that is the same in every process: it tells whether an agenda is the one that was sent last.
    static func digest(of occurrences: [Occurrence]) -> UInt64 {
        var writer = ByteWriter()
        writer.write(list: occurrences) { $0.write($1) }
        return writer.digest
    }
}
