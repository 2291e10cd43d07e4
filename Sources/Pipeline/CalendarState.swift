import Agendas
import StreamCore
import Timelines

/// A record of a calendar's event as it came; the event is read from it again after a restore.
struct EventState: StateValue {
    var value: [UInt8]

    init(value: [UInt8]) {
        self.value = value
    }

    func encode(into writer: inout ByteWriter) { writer.write(value) }

    init(from reader: inout ByteReader) throws(CorruptBytes) { value = try reader.array() }
}

/// What is kept of a calendar as a whole.
struct CalendarState: StateValue {
    /// Rises with every record that changed it.
    var revision: UInt64 = 0
    /// The record that changed it last.
    var origin: Origin?

    init() {}

    func encode(into writer: inout ByteWriter) {
        writer.write(varint: revision)
        writer.write(optional: origin) { $1.encode(into: &$0) }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        revision = try reader.varint()
        origin = try reader.bool() ? try Origin(from: &reader) : nil
    }
}

/// A configuration's subscription at one of its calendars, with a digest of the agenda it was told last.
struct CalendarSubscription: StateValue {
    var version: UInt64
    var timeZone: String
    var need: SourceNeeds.AgendaNeed
    var told: UInt64?

    init(version: UInt64, timeZone: String, need: SourceNeeds.AgendaNeed) {
        self.version = version
        self.timeZone = timeZone
        self.need = need
    }

    func encode(into writer: inout ByteWriter) {
        writer.write(varint: version)
        SubscriptionTerms(timeZone: timeZone, agenda: need).encode(into: &writer)
        writer.write(optional: told) { $0.write($1) }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        version = try reader.varint()
        let terms = try SubscriptionTerms(from: &reader)
        guard let need = terms.agenda else { throw CorruptBytes("a calendar subscription without an agenda") }
        timeZone = terms.timeZone
        self.need = need
        told = try reader.bool() ? try reader.uint64() : nil
    }
}

extension Occurrence {
    /// FNV-1a over the stored form: tells whether an agenda is the one that was told last, in any process.
    static func digest(of occurrences: [Occurrence]) -> UInt64 {
        var writer = ByteWriter()
        writer.write(list: occurrences) { $0.write($1) }
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in writer.bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }
}
