import StreamCore
import Timelines

/// What the task of a vehicle or a calendar is sent.
enum SourceMessage: StateValue {
    case request(SubscriptionRequest, from: SubscriptionRequest.Subscriber)
    /// A record of this source could not be read by the task that it came to, which has dead-lettered it.
    case unreadable

    func encode(into writer: inout ByteWriter) {
        switch self {
        case .request(let request, let subscriber):
            writer.write(UInt8(0))
            request.encode(from: subscriber, into: &writer)
        case .unreadable: writer.write(UInt8(1))
        }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        switch try reader.byte() {
        case 0:
            let (subscriber, request) = try SubscriptionRequest.read(from: &reader)
            self = .request(request, from: subscriber)
        case 1: self = .unreadable
        case let kind: throw CorruptBytes("unknown message to a source \(kind)")
        }
    }
}

/// What a configuration asks of the task of its vehicle or of one of its calendars.
enum SubscriptionRequest {
    /// Answered at once, with "unknown" too; then on every change. Replaces an older version.
    case subscribe(SubscriptionTerms)
    case unsubscribe
    /// Answered once, for a timeline that is to be made for this instant.
    case snapshot(at: Instant)

    /// Who asks, and for which version of its subscriptions: what is older is not answered any more.
    struct Subscriber: Hashable {
        var configurationId: String
        var version: UInt64
    }

    func encode(from subscriber: Subscriber, into writer: inout ByteWriter) {
        writer.write(subscriber.configurationId)
        writer.write(varint: subscriber.version)
        switch self {
        case .subscribe(let terms):
            writer.write(UInt8(0))
            terms.encode(into: &writer)
        case .unsubscribe:
            writer.write(UInt8(1))
        case .snapshot(let at):
            writer.write(UInt8(2))
            writer.write(at)
        }
    }

    static func read(from reader: inout ByteReader) throws(CorruptBytes) -> (Subscriber, SubscriptionRequest) {
        let configurationId = try reader.string()
        let subscriber = Subscriber(configurationId: configurationId, version: try reader.varint())
        switch try reader.byte() {
        case 0: return (subscriber, .subscribe(try SubscriptionTerms(from: &reader)))
        case 1: return (subscriber, .unsubscribe)
        case 2: return (subscriber, .snapshot(at: try reader.instant()))
        case let kind: throw CorruptBytes("unknown subscription request \(kind)")
        }
    }
}

/// What a subscription is for: one of the two is there.
struct SubscriptionTerms: Hashable, StateValue {
    var timeZone: String
    var vehicle: SourceNeeds.VehicleNeed?
    var sensitivity: WidgetConfiguration.Sensitivity?
    var agenda: SourceNeeds.AgendaNeed?

    init(timeZone: String, vehicle: SourceNeeds.VehicleNeed?, sensitivity: WidgetConfiguration.Sensitivity?) {
        self.timeZone = timeZone
        self.vehicle = vehicle
        self.sensitivity = sensitivity
    }

    init(timeZone: String, agenda: SourceNeeds.AgendaNeed) {
        self.timeZone = timeZone
        self.agenda = agenda
    }

    func encode(into writer: inout ByteWriter) {
        writer.write(timeZone)
        writer.write(optional: vehicle) { writer, vehicle in
            writer.write(vehicle.vehicleId)
            writer.write(optional: vehicle.refresh) { writer, refresh in
                writer.write(refresh.every)
                writer.write(refresh.parkedEvery)
                writer.write(refresh.timeZone)
            }
            writer.write(list: vehicle.silences) { $0.write($1.milliseconds) }
        }
        writer.write(optional: sensitivity) { writer, sensitivity in
            writer.write(optional: sensitivity.speed)
            writer.write(optional: sensitivity.distance)
        }
        writer.write(optional: agenda) { writer, agenda in
            writer.write(list: agenda.calendarIds) { $0.write($1) }
            writer.write(count: agenda.days)
            writer.write(agenda.preEventLead)
        }
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        timeZone = try reader.string()
        if try reader.bool() {
            let vehicleId = try reader.string()
            var refresh: SourceNeeds.Refresh?
            if try reader.bool() {
                let every = try reader.duration()
                let parkedEvery = try reader.duration()
                refresh = .init(every: every, parkedEvery: parkedEvery, timeZone: try reader.string())
            }
            let silences = try reader.list { reader throws(CorruptBytes) in
                ElapsedTime(milliseconds: try reader.int64())
            }
            guard let first = silences.first else { throw CorruptBytes("a vehicle that is never silent") }
            vehicle = .init(vehicleId: vehicleId, refresh: refresh, offlineAfter: first)
            vehicle?.silences = silences
        }
        if try reader.bool() {
            let speed = try reader.optionalDouble()
            sensitivity = .init(speed: speed, distance: try reader.optionalDouble())
        }
        if try reader.bool() {
            let calendarIds = try reader.list { reader throws(CorruptBytes) in try reader.string() }
            let days = Int(try reader.varint())
            agenda = .init(calendarIds: calendarIds, days: days, preEventLead: try reader.duration())
        }
    }
}

/// What the task of a vehicle or a calendar tells a configuration.
struct SourceUpdate: StateValue {
    var source: SourceID
    /// Of the configuration's subscriptions.
    var version: UInt64
    /// Of the source, a counter in its state: an older one than was seen does not count.
    var revision: UInt64
    var cause: Cause
    /// The instant for which a timeline is to be made of this.
    var at: Instant
    var content: SourceContent
    var traceParent: [UInt8]?

    func encode(into writer: inout ByteWriter) {
        source.encode(into: &writer)
        writer.write(varint: version)
        writer.write(varint: revision)
        writer.write(cause.rawValue)
        writer.write(at)
        content.encode(into: &writer)
        writer.write(optional: traceParent) { $0.write($1) }
    }

    init(
        source: SourceID, version: UInt64, revision: UInt64, cause: Cause, at: Instant, content: SourceContent,
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
        version = try reader.varint()
        revision = try reader.varint()
        cause = try Cause(from: &reader)
        at = try reader.instant()
        content = try SourceContent(from: &reader)
        traceParent = try reader.bool() ? try reader.array() : nil
    }
}

/// A vehicle or a calendar.
enum SourceID: Hashable, StateValue {
    case vehicle(String)
    case calendar(String)

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

/// What a source is known to hold, and the record that said so last.
struct SourceContent: Hashable, StateValue {
    var vehicle: Vehicle?
    /// Those of a calendar that belong to the window of days that ends at `windowEnd`.
    var occurrences: [Occurrence] = []
    /// Nil of a vehicle, and where no window was asked for.
    var windowEnd: Instant?
    var origin: Origin?
    /// Its newest record could not be read.
    var isUnreadable: Bool

    init(vehicle: Vehicle?, origin: Origin?, isUnreadable: Bool) {
        self.vehicle = vehicle
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
        writer.write(optional: vehicle) { $0.write($1) }
        writer.write(list: occurrences) { $0.write($1) }
        writer.write(optional: windowEnd)
        writer.write(optional: origin) { $1.encode(into: &$0) }
        writer.write(isUnreadable)
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        vehicle = try reader.bool() ? try reader.vehicle() : nil
        occurrences = try reader.list { reader throws(CorruptBytes) in try reader.occurrence() }
        windowEnd = try reader.optionalInstant()
        origin = try reader.bool() ? try Origin(from: &reader) : nil
        isUnreadable = try reader.bool()
    }
}
