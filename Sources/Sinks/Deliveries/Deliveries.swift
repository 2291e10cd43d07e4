import HTTPClient
import Messages
import RecordLog
import Tracing

/// The records that are read and not settled: they wait in lanes, are under way, or were refused and are doubted. Sends
/// what is due, up to the number of requests that may be under way. One thread owns it.
final class Deliveries<Destination: DeliveryDestination> {
    typealias Parcel = DeliveryLanes<Destination.Content>.Parcel

    private(set) var settings: DeliverySettings
    let destination: Destination
    let transport: any HTTPTransport
    let clock: any DeliveryClock
    /// Draws from 0 up to 1.
    let random: () -> Double
    let notice: (DeliveryNotice) -> Void
    /// How much of what may be held is held now: less while memory is short.
    private let fitting: (Int) -> Int

    var summary = DeliverySummary()
    var lanes: DeliveryLanes<Destination.Content>
    private(set) var outstanding = OutstandingRecords()
    var underWay: [Int: Sent] = [:]
    var traces: DeliveryTraces
    var hosts: [String: HostState<Refused>] = [:]
    var failing = FailingLanes()
    /// The lanes whose latest answer was that something is not there, which is not believed yet.
    var absent = FailingLanes()
    /// Counts the refusals, for their order.
    var refusals = 0
    /// The number of the latest request.
    var tag = 0
    /// True once it is told that a host which is away leaves no room for others.
    var hasToldFullness = false
    private var deadLetters: [SinkLedger.OutputRecord] = []

    /// A parcel with the lane that it was taken from.
    struct Item {
        var lane: String
        var parcel: Parcel
    }

    /// A request with all that it carries.
    struct Sent {
        /// One or more, of one address and of a lane each.
        var items: [Item]
        var attempt: DeliveryAttempt
        /// True if it finds out whether a server is back.
        var isProbe: Bool
        /// The span of the request; `nil` if nobody traces it.
        var span: Span?
    }

    /// What was refused.
    struct Refused {
        var sent: Sent
        var problem: MessageProblem
        var number: Int
    }

    init(
        _ destination: Destination, _ transport: any HTTPTransport, _ settings: DeliverySettings,
        clock: any DeliveryClock, random: @escaping () -> Double, fitting: @escaping (Int) -> Int,
        notice: @escaping (DeliveryNotice) -> Void, tracer: Tracer?
    ) {
        traces = DeliveryTraces(tracer)
        self.settings = settings
        self.destination = destination
        self.transport = transport
        self.clock = clock
        self.random = random
        self.fitting = fitting
        self.notice = notice
        lanes = DeliveryLanes(
            gather: destination.conflation == .joined ? settings.pace.gather : .zero,
            replaces: destination.conflation == .newest, merge: { destination.merge($0, $1) })
    }

    /// True if everything that was taken in is settled, and its dead letters are given.
    var isEmpty: Bool { lanes.isEmpty && outstanding.isEmpty && deadLetters.isEmpty }

    /// True if nothing more is to be read before something is settled.
    var isFull: Bool {
        outstanding.count >= fitting(settings.outstandingMax)
            || outstanding.byteCount >= fitting(settings.outstandingBytesMax)
    }

    /// From now on it sends at another pace.
    func adopt(_ pace: DeliveryPace) {
        settings.pace = pace
        lanes.gather = destination.conflation == .joined ? pace.gather : .zero
    }

    /// The records that may be read, if they are as long as those that wait are on average.
    var room: Int {
        let average = outstanding.isEmpty ? 1 : max(1, outstanding.byteCount / outstanding.count)
        let bytes = fitting(settings.outstandingBytesMax) - outstanding.byteCount
        return max(1, min(fitting(settings.outstandingMax) - outstanding.count, bytes / average))
    }

    // MARK: - Taking in

    /// Counts a record as not settled; `queue` has to follow, unless the run ends before.
    func begin(_ record: Record) -> OutstandingRecords.Place {
        let place = outstanding.begin(record)
        traces.begin(record, place)
        return place
    }

    /// What is read of the partition from now on is of another topic of the same name.
    func restart(_ partition: Partition) { outstanding.restart(partition) }

    /// Queues everything that the destination wants to send for a record, which `begin` has taken up.
    func queue(_ record: Record, _ place: OutstandingRecords.Place) {
        let written = record.timestamp.milliseconds < 0 ? clock.wall : record.timestamp
        do throws(MessageProblem) {
            let parcels = try destination.parcels(for: record)
            if parcels.isEmpty { summary.skipped += 1 }
            for (lane, content) in parcels {
                outstanding.claim(place)
                merged(lanes.add(content, of: place, written: written, to: lane, now: clock.now))
            }
        } catch {
            deadLetter([place], error)
        }
        settle(place)
    }

    private func settle(_ place: OutstandingRecords.Place) {
        if outstanding.settle(place) { traces.end(place) }
    }

    /// Settles what gave way to something later, if anything was merged.
    private func merged(_ replaced: [OutstandingRecords.Place]?) {
        guard let replaced else { return }
        summary.conflated += 1
        for place in replaced { settle(place) }
    }

    /// Ends the spans of what was not settled.
    func endTraces() { traces.endAll() }

    /// Gives the dead letters made since the last call.
    func removeDeadLetters() -> [SinkLedger.OutputRecord] {
        defer { deadLetters.removeAll() }
        return deadLetters
    }

    // MARK: - The rounds

    /// Sends what is due, waits a moment for answers and settles them.
    ///
    /// - Parameters:
    ///   - hasRead: the latest round has read something, so more may be there that goes with what waits.
    ///   - state: how far the run has read.
    /// - Throws: `refused`, when everything that was answered is settled.
    func deliver(hasRead: Bool, _ state: SinkReadState) throws(DeliveryError) {
        let hasReadAll = state.hasReadAll
        if destination.conflation != .newest || state.hasReadStart || isFull { send(isFlushing: hasReadAll || isFull) }
        if lanes.isEmpty { return }
        var patience = Duration.milliseconds(underWay.isEmpty ? 200 : 20)
        if underWay.isEmpty, hasRead { patience = .zero }
        if let due = lanes.nextDue, underWay.count < settings.pace.requestsMax {
            patience = min(patience, max(due - clock.now, .zero))
        }
        try settle(transport.completions(timeout: patience))
        endDoubts(hasReadAll: hasReadAll)
    }

    /// Waits for the answers to what was sent, and sends nothing more.
    func drain() throws(DeliveryError) {
        let deadline = clock.now + settings.drainTimeout
        while !underWay.isEmpty, clock.now < deadline {
            try settle(transport.completions(timeout: min(deadline - clock.now, .milliseconds(200))))
        }
    }

    /// Moves what has to go elsewhere by now.
    ///
    /// - Returns: what is left of the parcel here; `nil` if nothing is.
    func redirect(_ parcel: Parcel, from lane: String) -> Parcel? {
        let routes = destination.routes(of: parcel.content)
        if routes.isEmpty { summary.skipped += parcel.records.count }
        var rest: Parcel?
        for (route, content) in routes {
            if route == lane {
                rest = parcel
                rest?.content = content
                continue
            }
            for place in parcel.records {
                outstanding.claim(place)
                if let replaced = lanes.add(content, of: place, written: parcel.newest, to: route, now: clock.now) {
                    for place in replaced { settle(place) }
                }
            }
        }
        return rest
    }

    func putBack(_ parcel: Parcel, to lane: String, due: Duration) {
        merged(lanes.putBack(parcel, to: lane, due: due))
    }

    func finish(_ lane: String, _ parcel: Parcel) {
        failing.remove(lane)
        absent.remove(lane)
        lanes.finish(lane, now: clock.now)
        for place in parcel.records { settle(place) }
    }

    // MARK: - Dead letters

    /// Makes a dead letter of each record once, whatever is wrong with several of those it names.
    func deadLetter(_ places: [OutstandingRecords.Place], _ problem: MessageProblem) {
        for place in places {
            guard let record = outstanding.markDeadLetter(place) else { continue }
            let told = told(problem, of: record)
            deadLetters.append(
                .init(
                    topic: settings.deadLettersTopic, key: record.key, value: record.value,
                    headers: headers(of: record, told, size: nil),
                    headersAlone: record.value.map { headers(of: record, told, size: $0.count) }))
            summary.deadLetters += 1
            traces.note(told.description, ofDeadLetter: place)
            let origin = TopicPartition(record.topic, record.partition)
            notice(.deadLetter(origin, record.offset, reason: told.description))
        }
    }

    /// - Parameter size: the length of a value that is left out.
    private func headers(of record: Record, _ problem: MessageProblem, size: Int?) -> [Header] {
        let added = DeadLetterHeaders.headers(
            for: problem, topic: record.topic, partition: record.partition.rawValue, offset: record.offset.rawValue,
            size: size)
        return record.headers + added.map { Header($0.name, $0.value) }
    }

    /// The problem with the record's key and the field in its text, if the key is a text.
    private func told(_ problem: MessageProblem, of record: Record) -> MessageProblem {
        guard let key = record.key.flatMap({ String(validating: $0, as: UTF8.self) }), !key.isEmpty else {
            return problem
        }
        let bad = BadRecord(field: problem.field, problem.message)
        return MessageProblem(problem.kind, bad.text(of: key, destination.content))
    }
}
