import StreamCore
import Timelines

/// News of a vehicle or a calendar for a configuration.
struct SourceUpdate: StateValue {
    var source: SourceID
    /// The version of the configuration's subscriptions.
    var version: SubscriptionVersion
    /// A counter in the source's state: an update that is older than one that was received does not count.
    var revision: SourceRevision
    var cause: Cause
    /// The instant for which a timeline is to be made of this.
    var at: Instant
    var content: SourceContent
    var traceParent: [UInt8]?

    func encode(into writer: inout ByteWriter) {
        source.encode(into: &writer)
        version.encode(into: &writer)
        revision.encode(into: &writer)
        writer.write(cause.rawValue)
        writer.write(at)
        content.encode(into: &writer)
        writer.write(optional: traceParent) { $0.write($1) }
        // What follows is not read by releases before it.
        if content.leftOutBytes > 0 { writer.write(count: content.leftOutBytes) }
    }

    init(
        source: SourceID, version: SubscriptionVersion, revision: SourceRevision, cause: Cause, at: Instant,
        content: SourceContent,
        traceParent: [UInt8]?
    ) {
        self.source = source
        self.version = version
        self.revision = revision
        self.cause = cause
        self.at = at
        self.content = content
        self.traceParent = traceParent
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        source = try SourceID(from: &reader)
        version = try SubscriptionVersion(from: &reader)
        revision = try SourceRevision(from: &reader)
        cause = try Cause(from: &reader)
        at = try reader.instant()
        content = try SourceContent(from: &reader)
        traceParent = try reader.bool() ? try reader.array() : nil
        if !reader.isAtEnd { content.leftOutBytes = Int(truncatingIfNeeded: try reader.varint()) }
    }
}

/// A vehicle or a calendar. Ids are told apart by their UTF-8 bytes, as Kafka's keys are.
enum SourceID: Hashable, StateValue {
    case vehicle(String)
    case calendar(String)

    private var id: TextKey {
        switch self {
        case .vehicle(let id), .calendar(let id): TextKey(id)
        }
    }

    static func == (left: SourceID, right: SourceID) -> Bool {
        switch (left, right) {
        case (.vehicle(let left), .vehicle(let right)), (.calendar(let left), .calendar(let right)):
            left.isSameByUTF8(as: right)
        case (.vehicle, .calendar), (.calendar, .vehicle): false
        }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(isCalendar)
        hasher.combine(id)
    }

    var isCalendar: Bool {
        if case .calendar = self { true } else { false }
    }

    func encode(into writer: inout ByteWriter) {
        switch self {
        case .vehicle(let id):
            writer.write(UInt8(0))
            writer.write(id)
        case .calendar(let id):
            writer.write(UInt8(1))
            writer.write(id)
        }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        let kind = try reader.byte()
        let id = try reader.string()
        switch kind {
        case 0: self = .vehicle(id)
        case 1: self = .calendar(id)
        default: throw CorruptBytes("unknown kind of source \(kind)")
        }
    }
}

/// The content of a source as far as it is known, and the newest record that said so.
struct SourceContent: Hashable, StateValue {
    /// Held, for a content is copied on its way into a timeline, and nobody changes the vehicle there.
    private var heldVehicle: Indirect<Vehicle>?
    /// The occurrences of a calendar that belong to the window of days that ends at `windowEnd`.
    var occurrences: [Occurrence] = []
    /// The bytes of the occurrences, by `Occurrence.agendaBytes`, if they are too many to be kept: then there are none
    /// here. It is stored by whoever stores the content.
    var leftOutBytes = 0
    /// `nil` for a vehicle, and if no window was asked for.
    var windowEnd: Instant?
    var origin: Origin?
    /// Its newest record could not be read.
    var isUnreadable: Bool

    var vehicle: Vehicle? { heldVehicle?.value }

    init(vehicle: Vehicle?, origin: Origin?, isUnreadable: Bool) {
        heldVehicle = vehicle.map(Indirect.init)
        self.origin = origin
        self.isUnreadable = isUnreadable
    }

    init(occurrences: [Occurrence], windowEnd: Instant?, origin: Origin?, isUnreadable: Bool) {
        self.occurrences = occurrences
        self.windowEnd = windowEnd
        self.origin = origin
        self.isUnreadable = isUnreadable
    }

    func encode(into writer: inout ByteWriter) {
        writer.write(optional: heldVehicle) { $0.write($1.value) }
        writer.write(list: occurrences) { $0.write($1) }
        writer.write(optional: windowEnd)
        writer.write(optional: origin) { $1.encode(into: &$0) }
        writer.write(isUnreadable)
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        heldVehicle = try reader.bool() ? Indirect(try reader.vehicle()) : nil
        occurrences = try reader.list { reader throws(CorruptBytes) in try reader.occurrence() }
        windowEnd = try reader.optionalInstant()
        origin = try reader.bool() ? try Origin(from: &reader) : nil
        isUnreadable = try reader.bool()
    }
}
