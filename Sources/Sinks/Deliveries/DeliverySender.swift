package import HTTPClient
package import RecordLog
import Timelines
package import Tracing

/// Sends the records of a topic to a destination: at least once. A position is kept only when everything before it is
/// settled: delivered, replaced by a later record, retired, dead-lettered or skipped.
///
/// Each round
/// 1. reads records, as long as there is room for what is not settled;
/// 2. has the destination learn all that was known by then, and queues what it wants to send;
/// 3. sends what is due, and settles what was answered (`Deliveries`);
/// 4. commits positions, retired tokens and dead letters in one transaction (`SinkLedger`).
package final class DeliverySender<Destination: DeliveryDestination>: SinkKind {
    package typealias Notice = DeliveryNotice
    package typealias Failure = DeliveryError

    private let settings: DeliverySettings
    private let destination: Destination
    private let transport: any HTTPTransport
    private let clock: any DeliveryClock
    private let ledger: SinkLedger
    private let deliveries: Deliveries<Destination>
    private let fitting: (Int) -> Int
    private let trace: WorkTrace?
    private let pace: (() -> DeliveryPace)?

    private var state = SinkReadState()
    /// The records that were read from the last one before the kept position on, by partition.
    private var trails: [Partition: [Fingerprint]] = [:]
    /// The entries of the next commit.
    private var entries = SinkLedger.Entries()
    private var lastCommit: Duration

    fileprivate init(
        _ destination: Destination, _ transport: any HTTPTransport, _ settings: DeliverySettings, instance: String,
        clock: any DeliveryClock, random: @escaping () -> Double, pace: (() -> DeliveryPace)?,
        _ context: SinkContext<DeliveryNotice>
    ) {
        precondition(settings.pace.requestsMax > 0 && settings.outstandingMax > 0)
        self.settings = settings
        self.destination = destination
        self.transport = transport
        self.clock = clock
        fitting = context.fitting
        ledger = SinkLedger(settings.ledger, instance: instance, context.telling { context.notice(.init($0)) })
        deliveries = Deliveries(
            destination, transport, settings, clock: clock, random: random, fitting: context.fitting,
            notice: context.notice, tracer: context.tracer)
        trace = context.trace
        self.pace = pace
        lastCommit = clock.now
    }

    package var summary: DeliverySummary {
        get { deliveries.summary }
        set { deliveries.summary = newValue }
    }

    package var isSettled: Bool { deliveries.isEmpty && entries.isEmpty }
    package var unsettledCount: Int { deliveries.outstanding.count }
    package var turnWait: Duration { deliveries.lanes.turnWait(now: clock.now) }
    package var hostsAway: [HostAway] { deliveries.hostsAway }
    package var positions: [Partition: SinkPosition] { ledger.positions }

    package func open() throws(DeliveryError) -> [Partition: SinkPosition]? {
        guard let kept = try asked({ () throws(LedgerError) in try ledger.open() }) else { return nil }
        for (key, value) in kept.sorted { destination.restore(key, value) }
        guard try destination.catchUp() else { return nil }
        return ledger.positions
    }

    package func start(at positions: [Partition: SinkPosition]) {
        trails = positions.compactMapValues { position in position.before.map { [$0] } }
    }

    package func demand() throws(DeliveryError) -> SinkDemand? {
        try destination.keepUp()
        if let pace { deliveries.adopt(pace()) }
        deliveries.tellFullness()
        guard !deliveries.isFull else { return nil }
        let room = deliveries.room
        // Answers are waited for elsewhere.
        let timeout = deliveries.lanes.isEmpty ? settings.reading.pollTimeout : .zero
        return SinkDemand(maximum: min(room, fitting(settings.reading.batchMaximum)), timeout: timeout)
    }

    package func work(on records: [Record], _ state: SinkReadState) throws(DeliveryError) -> Bool {
        self.state = state
        for partition in state.restarted {
            trails[partition] = nil
            deliveries.restart(partition)
        }
        if !records.isEmpty {
            let places = records.map { record in
                trails[record.partition, default: []].append(Fingerprint(record))
                return deliveries.begin(record)
            }
            // Stopped first: they stay outstanding, and the next run reads them again.
            if try destination.catchUp() {
                for (record, place) in zip(records, places) { deliveries.queue(record, place) }
            }
            shortenTrails()
        }
        do throws(DeliveryError) {
            try deliveries.deliver(hasRead: !records.isEmpty, state)
        } catch {
            try commit()
            throw error
        }
        if deliveries.lanes.isEmpty || clock.now - lastCommit >= settings.commitInterval { try commit() }
        return true
    }

    /// Waits for the answers to what was sent, and keeps what is settled.
    package func finish() throws(DeliveryError) {
        guard ledger.isOpen else { return }
        do throws(DeliveryError) {
            try deliveries.drain()
        } catch {
            try commit()
            throw error
        }
        try commit()
    }

    package func close() {
        deliveries.endTraces()
        transport.shutdown()
        ledger.close()
        destination.close()
    }

    /// The last record that was read below an offset. Those before it are forgotten.
    private func before(_ next: Offset, of partition: Partition) -> Fingerprint? {
        guard let trail = trails[partition] else { return nil }
        let below = trail.prefix { $0.offset < next }.count
        if below == 0 { return nil }
        trails[partition] = Array(trail[(below - 1)...])
        return trail[below - 1]
    }

    /// Forgets what no position can follow any more: the next one is that of a record that is not settled, or the end.
    /// One record that is not settled for hours would keep the trail of all behind it.
    private func shortenTrails() {
        let outstanding = deliveries.outstanding
        for (partition, trail) in trails where trail.count > 2 * outstanding.count + OutstandingRecords.settledMax {
            let waits = trail.map { !outstanding.isSettled($0.offset, of: partition) }
            // What waits, and what comes before it.
            trails[partition] = trail.indices.filter { $0 + 1 == trail.count || waits[$0] || waits[$0 + 1] }
                .map { trail[$0] }
        }
    }

    /// Writes nothing if nothing has changed.
    private func commit() throws(DeliveryError) {
        let choice = destination.choice?.digest
        for (partition, read) in state.next {
            let next = deliveries.outstanding.first(of: partition) ?? read
            let kept = ledger.positions[partition]
            let isAlike = kept == nil || (kept?.cluster == state.cluster && kept?.choice == choice)
            if next == kept?.next ?? Offset(0), isAlike { continue }
            entries.positions[partition] = SinkPosition(
                next: next, cluster: state.cluster, before: before(next, of: partition), choice: choice)
        }
        entries.changes += destination.removeLedgerChanges()
        entries.records += deliveries.removeDeadLetters()
        guard !entries.isEmpty else { return }
        let began = trace?.now()
        let isCommitted = try asked { () throws(LedgerError) in try write() }
        if isCommitted { entries = SinkLedger.Entries() }
        if let trace, let began { trace.step("commit", type: "settle", .client, since: began) }
        lastCommit = clock.now
    }

    /// Writes the entries; a dead letter that its topic does not take goes without its value.
    private func write() throws(LedgerError) -> Bool {
        while true {
            do throws(LedgerError) {
                return try ledger.commit(entries)
            } catch {
                guard case .log(let cause) = error, entries.spare(cause.record) else { throw error }
            }
        }
    }

    /// Asks the ledger, with failures as the run's.
    private func asked<Answer>(_ question: () throws(LedgerError) -> Answer) throws(DeliveryError) -> Answer {
        do throws(LedgerError) {
            return try question()
        } catch {
            switch error {
            case .log(let cause): throw .log(cause)
            case .replaced: throw .replaced(name: settings.name)
            case .reset: throw .reset(name: settings.name)
            case .topic(let topic, let problem): throw .ledger(topic: topic, problem)
            }
        }
    }
}

extension DeliveryNotice {
    fileprivate init(_ notice: LedgerNotice) {
        switch notice {
        case .log(let error): self = .log(error)
        case .producerReplaced(let error): self = .producerReplaced(error)
        }
    }
}

extension SinkRunner {
    /// Makes a run that sends records to a destination.
    ///
    /// - Parameters:
    ///   - instance: a name that no other run ever had.
    ///   - random: draws from 0 up to 1, for the jitter of back-offs.
    ///   - pace: how fast it sends from now on, asked in every round; `nil` means that the settings' pace stays.
    ///   - shouldStop: asked at every round, and at least every few seconds while the brokers are away.
    ///   - progress: called at most four times a second of the clock, and once at the end.
    ///   - notice: called with what an operator should know.
    ///   - tracer: takes spans; `nil` if nobody traces.
    package convenience init<Destination: DeliveryDestination>(
        cluster: any Cluster, destination: Destination, transport: any HTTPTransport, settings: DeliverySettings,
        instance: String, clock: any DeliveryClock, random: @escaping () -> Double,
        memory: any MemoryState = AmpleMemory(), pace: (() -> DeliveryPace)? = nil, tracer: Tracer? = nil,
        shouldStop: @escaping () -> Bool = { false },
        progress: @escaping (SinkProgress<DeliverySummary>) -> Void = { _ in },
        notice: @escaping (DeliveryNotice) -> Void = { _ in }
    ) throws(LogError) where Kind == DeliverySender<Destination> {
        var reading = settings.reading
        reading.choice = destination.choice?.digest
        let context = SinkContext(
            reading, cluster: cluster, admin: try cluster.makeAdmin(), clock: clock, shouldStop: shouldStop,
            notice: notice, memory: memory, tracer: tracer)
        let kind = DeliverySender(
            destination, transport, settings, instance: instance, clock: clock, random: random, pace: pace, context)
        try self.init(kind, context, progress: progress)
    }
}
