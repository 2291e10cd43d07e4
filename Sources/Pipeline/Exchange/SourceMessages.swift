import StreamCore
import Timelines

/// A message to the task of a vehicle or a calendar.
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

/// A request of a configuration to the task of its vehicle or of one of its calendars.
enum SubscriptionRequest {
    /// Answered at once, with "unknown" too; then on every change. Replaces an older version.
    case subscribe(SubscriptionTerms)
    case unsubscribe
    /// Answered once, for a timeline that is to be made for this instant.
    case snapshot(at: Instant)

    /// The configuration that asks, with the version of its subscriptions: an older version gets no answers any more.
    struct Subscriber: Hashable {
        var configurationId: String
        var version: SubscriptionVersion
    }

    func encode(from subscriber: Subscriber, into writer: inout ByteWriter) {
        writer.write(subscriber.configurationId)
        subscriber.version.encode(into: &writer)
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
        let subscriber = Subscriber(configurationId: configurationId, version: try SubscriptionVersion(from: &reader))
        switch try reader.byte() {
        case 0: return (subscriber, .subscribe(try SubscriptionTerms(from: &reader)))
        case 1: return (subscriber, .unsubscribe)
        case 2: return (subscriber, .snapshot(at: try reader.instant()))
        case let kind: throw CorruptBytes("unknown subscription request \(kind)")
        }
    }
}

/// The terms of a subscription: those of a vehicle or those of a calendar.
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
            if silences.isEmpty { throw CorruptBytes("a vehicle that is never silent") }
            vehicle = .init(vehicleId: vehicleId, refresh: refresh, silences: silences)
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
