import HTTPClient
import Messages
import RecordLog
import Tracing

/// The reloads that are read and not settled: they wait in lanes, are under way, or were refused and are doubted. Sends
/// what is due, up to the number of requests that may be under way. One thread owns it.
final class Deliveries<Destination: ReloadDestination> {
    typealias Parcel = DeliveryLanes<Destination.Content>.Parcel

    private(set) var settings: ReloadSinkSettings
    let destination: Destination
    let transport: any HTTPTransport
    let clock: any ReloadSinkClock
    /// Draws from 0 up to 1.
    let random: () -> Double
    let notice: (ReloadSinkNotice) -> Void

    var summary = ReloadSinkSummary()
    var lanes: DeliveryLanes<Destination.Content>
    private(set) var outstanding = OutstandingRecords()
    var underWay: [Int: Sent] = [:]
    var traces: DeliveryTraces
    var hosts: [String: HostState<Refused>] = [:]
    /// Counts the refusals, for their order.
    var refusals = 0
    private var tag = 0
    private var deadLetters: [SinkLedger.OutputRecord] = []

    /// A parcel that was sent.
    struct Sent {
        var lane: String
        var parcel: Parcel
        var attempt: DeliveryAttempt
        /// The span of the request; `nil` if nobody traces it.
        var span: Span?
    }

    /// A parcel that was refused.
    struct Refused {
        var sent: Sent
        var problem: MessageProblem
        var number: Int
    }

    init(
        _ destination: Destination, _ transport: any HTTPTransport, _ settings: ReloadSinkSettings,
        clock: any ReloadSinkClock, random: @escaping () -> Double, notice: @escaping (ReloadSinkNotice) -> Void,
        tracer: Tracer?
    ) {
        traces = DeliveryTraces(tracer)
        self.settings = settings
        self.destination = destination
        self.transport = transport
        self.clock = clock
        self.random = random
        self.notice = notice
        lanes = DeliveryLanes(
            gather: destination.conflates ? settings.pace.gather : .zero, merge: { destination.merge($0, $1) })
    }

    /// True if everything that was taken in is settled, and its dead letters are given.
    var isEmpty: Bool { lanes.isEmpty && outstanding.isEmpty && deadLetters.isEmpty }

    /// True if nothing more is to be read before something is settled.
    var isFull: Bool {
        outstanding.count >= settings.outstandingMax || outstanding.byteCount >= settings.outstandingBytesMax
    }

    /// From now on it sends at another pace.
    func adopt(_ pace: ReloadPace) {
        settings.pace = pace
        lanes.gather = destination.conflates ? pace.gather : .zero
    }

    /// The records that may be read, if they are as long as those that wait are on average.
    var room: Int {
        let average = outstanding.isEmpty ? 1 : max(1, outstanding.byteCount / outstanding.count)
        let bytes = settings.outstandingBytesMax - outstanding.byteCount
        return max(1, min(settings.outstandingMax - outstanding.count, bytes / average))
    }

    // MARK: - Taking in

    /// Counts a record as not settled; `queue` has to follow, unless the run ends before.
    func begin(_ record: Record) {
        outstanding.begin(record)
        traces.begin(record)
    }

    /// Queues everything that the destination wants to send for a record.
    func queue(_ record: Record) {
        let place = OutstandingRecords.Place(record)
        let written = record.timestamp.milliseconds < 0 ? clock.wall : record.timestamp
        do throws(MessageProblem) {
            let parcels = try destination.parcels(for: record)
            if parcels.isEmpty { summary.skipped += 1 }
            for (lane, content) in parcels {
                outstanding.claim(place)
                if lanes.add(content, of: place, written: written, to: lane, now: clock.now) { summary.conflated += 1 }
            }
        } catch {
            deadLetter([place], error)
        }
        settle(place)
    }

    private func settle(_ place: OutstandingRecords.Place) {
        if outstanding.settle(place) { traces.end(place) }
    }

    /// Ends the spans of what was not settled.
    func endTraces() { traces.endAll() }

    /// Gives the dead letters made since the last call.
    func removeDeadLetters() -> [SinkLedger.OutputRecord] {
        defer { deadLetters.removeAll() }
        return deadLetters
    }

    // MARK: - Sending

    /// Sends what is due, waits a moment for answers and settles them.
    ///
    /// - Parameters:
    ///   - hasRead: the latest round has read something, so more may be there that goes with what waits.
    ///   - hasReadAll: nothing more will be read.
    /// - Throws: `refused`, when everything that was answered is settled.
    func deliver(hasRead: Bool, hasReadAll: Bool) throws(ReloadSinkError) {
        send(isFlushing: hasReadAll || isFull)
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
    func drain() throws(ReloadSinkError) {
        let deadline = clock.now + settings.drainTimeout
        while !underWay.isEmpty, clock.now < deadline {
            try settle(transport.completions(timeout: min(deadline - clock.now, .milliseconds(200))))
        }
    }

    private func send(isFlushing: Bool) {
        while underWay.count < settings.pace.requestsMax,
            let (lane, first) = lanes.next(now: clock.now, isFlushing: isFlushing)
        {
            guard let parcel = redirect(first, from: lane) else {
                finish(lane, first)
                continue
            }
            var attempt = destination.attempt(parcel.content, wall: clock.wall, now: clock.now)
            if isTooOld(parcel, for: attempt.host) {
                dropForAge(parcel)
                finish(lane, parcel)
                continue
            }
            if let pause = hosts[attempt.host]?.pause, pause.until > clock.now {
                putBack(parcel, to: lane, due: pause.until)
                continue
            }
            tag += 1
            let span = traces.push(
                parcel.records, attempts: parcel.attempts, to: attempt.host, &attempt.request)
            underWay[tag] = Sent(lane: lane, parcel: parcel, attempt: attempt, span: span)
            transport.execute(attempt.request, tag: tag)
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
                lanes.add(content, of: place, written: parcel.newest, to: route, now: clock.now)
            }
        }
        return rest
    }

    func putBack(_ parcel: Parcel, to lane: String, due: Duration) {
        if lanes.putBack(parcel, to: lane, due: due) { summary.conflated += 1 }
    }

    func finish(_ lane: String, _ parcel: Parcel) {
        lanes.finish(lane, now: clock.now)
        for place in parcel.records { settle(place) }
    }

    // MARK: - Age

    /// A destination that does not conflate is told everything, however old. There a failure is the parcel's own only
    /// if others were delivered meanwhile, so that an outage of a day costs nothing.
    private func isTooOld(_ parcel: Parcel, for host: String) -> Bool {
        if destination.conflates, Duration(clock.wall - parcel.newest) > settings.pace.ageMax { return true }
        guard let failure = parcel.failure, clock.now - failure.since >= settings.pace.ageMax else { return false }
        return destination.conflates || hosts[host]?.deliveredAt.map { $0 > failure.since } ?? false
    }

    /// Settles a parcel that is too old: it is a dead letter if it has failed for its own sake, else nothing.
    private func dropForAge(_ parcel: Parcel) {
        if let failure = parcel.failure {
            let reason = "could not be sent for \(settings.pace.ageMax): \(failure.reason)"
            deadLetter(parcel.records, MessageProblem(.notAllowed, reason))
        } else {
            summary.tooOld += parcel.records.count
        }
    }

    /// Makes a dead letter of each record once, whatever is wrong with several of those it names.
    func deadLetter(_ places: [OutstandingRecords.Place], _ problem: MessageProblem) {
        for place in places {
            guard let record = outstanding.markDeadLetter(place) else { continue }
            let added = DeadLetterHeaders.headers(
                for: problem, topic: record.topic, partition: record.partition.rawValue, offset: record.offset.rawValue)
            deadLetters.append(
                .init(
                    topic: settings.deadLettersTopic, key: record.key, value: record.value,
                    headers: record.headers + added.map { Header($0.name, $0.value) }))
            summary.deadLetters += 1
            traces.note(problem.description, ofDeadLetter: place)
            let origin = TopicPartition(record.topic, record.partition)
            notice(.deadLetter(origin, record.offset, reason: problem.description))
        }
    }
}
