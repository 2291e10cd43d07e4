package import RecordLog
package import Tracing

/// Writes timelines to a `TimelineSink`, batch by batch: of each configuration the last record alone, then the
/// positions. While something of an interrupted batch has not been read again, nothing is written.
package final class TimelineWriter: SinkKind {
    package typealias Notice = SinkNotice
    package typealias Failure = SinkRunError

    package var summary = SinkSummary()
    private let sink: any TimelineSink
    private let settings: SinkSettings
    private let clock: any BlockingClock
    private let shouldStop: () -> Bool
    private let notice: (SinkNotice) -> Void
    private let trace: WorkTrace?

    /// Everything below is written, as the sink has kept it.
    private var kept: [Partition: SinkPosition] = [:]
    /// The position of the reader in each partition.
    private var state = SinkReadState()
    private var batch = SinkBatch()
    private var wasInterrupted = false

    init(_ sink: any TimelineSink, _ settings: SinkSettings, _ context: SinkContext<SinkNotice>) {
        self.sink = sink
        self.settings = settings
        clock = context.clock
        shouldStop = context.shouldStop
        notice = context.notice
        trace = context.trace
    }

    package var isSettled: Bool { batch.isEmpty }
    package var unsettledCount: Int { batch.read }

    package func open() throws(SinkRunError) -> [Partition: SinkPosition]? {
        try whenAvailable { () throws(SinkError) in try sink.positions(of: settings.reading.topic) }
    }

    package func start(at positions: [Partition: SinkPosition]) { kept = positions }

    package func demand() -> SinkDemand? {
        SinkDemand(maximum: settings.reading.batchMaximum, timeout: settings.reading.pollTimeout)
    }

    package func work(on records: [Record], _ state: SinkReadState) throws(SinkRunError) -> Bool {
        self.state = state
        for partition in state.restarted { kept[partition] = nil }
        for record in records { add(record) }
        let isWholeAgain = kept.allSatisfy { partition, position in
            state.next[partition].map { $0 >= position.begun } ?? false
        }
        guard isWholeAgain else { return true }
        wasInterrupted = try !write()
        return !wasInterrupted
    }

    /// Keeps the positions behind markers at the end, so that the next run does not begin before them.
    package func finish() throws(SinkRunError) {
        let isBehind = state.next.contains { partition, next in next > kept[partition]?.next ?? Offset(0) }
        if !wasInterrupted, batch.isEmpty, isBehind { _ = try keep(positions) }
    }

    package func close() {}

    // MARK: - Writing

    private func add(_ record: Record) {
        let place = TopicPartition(record.topic, record.partition)
        guard let key = record.key, let id = String(validating: key, as: UTF8.self) else {
            return leaveOut(place, record.offset, "the key is not the text of a configurationId")
        }
        let superseded = batch.add(
            SinkRecord(
                configurationId: id, value: record.value, headers: record.headers, origin: place,
                offset: record.offset))
        guard let trace, let superseded else { return }
        trace.process(of: superseded) { trace.note(outcome: "superseded") }
    }

    /// Writes the batch and keeps the positions.
    ///
    /// - Returns: false if it was stopped before that; the next run does it again.
    private func write() throws(SinkRunError) -> Bool {
        guard !batch.isEmpty else { return true }
        // Should this be interrupted, the next run has to know how far a later record may have been written.
        if batch.isConflated {
            let begun = state.next.map { partition, next in
                let kept = kept[partition]
                return (
                    partition,
                    SinkPosition(
                        next: kept?.next ?? Offset(0), begun: next, cluster: state.cluster, before: kept?.before)
                )
            }
            guard try keep(Dictionary(uniqueKeysWithValues: begun)) else { return false }
        }
        for record in batch.records {
            guard try write(record) else { return false }
        }
        guard try whenAvailable({ () throws(SinkError) in try sink.flush() }) != nil else { return false }
        summary.superseded += batch.superseded
        batch.removeAll()
        return try keep(positions)
    }

    /// The positions once everything that was read is written.
    private var positions: [Partition: SinkPosition] {
        var positions: [Partition: SinkPosition] = [:]
        for (partition, next) in state.next {
            positions[partition] = SinkPosition(
                next: next, cluster: state.cluster, before: state.before[partition] ?? kept[partition]?.before)
        }
        return positions
    }

    /// - Returns: false if it was stopped before that.
    private func write(_ record: SinkRecord) throws(SinkRunError) -> Bool {
        guard let trace else { return try writeUntraced(record) }
        return try trace.process(of: record) { () throws(SinkRunError) in try writeUntraced(record) }
    }

    private func writeUntraced(_ record: SinkRecord) throws(SinkRunError) -> Bool {
        do throws(SinkError) {
            let outcome = try repeatedly { () throws(SinkError) in try sink.write(record) }
            if let outcome { trace?.note(outcome: "\(outcome)") }
            switch outcome {
            case nil: return false
            case .written: summary.written += 1
            case .removed: summary.removed += 1
            case .unchanged: summary.unchanged += 1
            }
        } catch .unusable(let reason) {
            trace?.note(outcome: "unusable")
            leaveOut(record.origin, record.offset, reason)
        } catch {
            throw .sink(error)
        }
        return true
    }

    /// - Returns: false if it was stopped before that.
    private func keep(_ positions: [Partition: SinkPosition]) throws(SinkRunError) -> Bool {
        let began = trace?.now()
        let answer: Void? = try whenAvailable { () throws(SinkError) in
            try sink.keep(positions, of: settings.reading.topic)
        }
        guard answer != nil else { return false }
        if let trace, let began { trace.step("commit", type: "settle", .client, since: began) }
        kept = positions
        return true
    }

    private func leaveOut(_ place: TopicPartition, _ offset: Offset, _ reason: String) {
        summary.unusable += 1
        notice(.unusable(place, offset, reason: reason))
    }

    // MARK: - Holding

    /// As `repeatedly`, with failures as the run's.
    private func whenAvailable<Answer>(_ request: () throws(SinkError) -> Answer) throws(SinkRunError) -> Answer? {
        do throws(SinkError) {
            return try repeatedly(request)
        } catch {
            throw .sink(error)
        }
    }

    /// Repeats a request while the sink is unavailable, ever slower, for as long as that lasts.
    ///
    /// - Returns: `nil` if it was stopped before the sink answered.
    private func repeatedly<Answer>(_ request: () throws(SinkError) -> Answer) throws(SinkError) -> Answer? {
        var delay = settings.retryDelay
        while true {
            do throws(SinkError) {
                return try request()
            } catch {
                guard error.isRetriable else { throw error }
                notice(.holding(error, retryIn: delay))
            }
            let end = clock.now + delay
            while clock.now < end {
                if shouldStop() { return nil }
                clock.wait(for: min(end - clock.now, .milliseconds(100)))
            }
            delay = min(delay * 2, settings.retryDelayMax)
        }
    }
}

extension SinkRunner where Kind == TimelineWriter {
    /// Makes a run that writes timelines to a sink.
    ///
    /// - Parameters:
    ///   - shouldStop: asked after every batch, and at least ten times a second while the sink is unavailable.
    ///   - progress: called at most four times a second of the clock, and once at the end.
    ///   - notice: called with what an operator should know.
    ///   - tracer: takes spans; `nil` if nobody traces.
    package convenience init(
        cluster: any Cluster, sink: any TimelineSink, settings: SinkSettings, clock: any BlockingClock,
        tracer: Tracer? = nil, shouldStop: @escaping () -> Bool = { false },
        progress: @escaping (SinkProgress<SinkSummary>) -> Void = { _ in },
        notice: @escaping (SinkNotice) -> Void = { _ in }
    ) throws(LogError) {
        let context = SinkContext(
            settings.reading, cluster: cluster, admin: try cluster.makeAdmin(), clock: clock, shouldStop: shouldStop,
            notice: notice, tracer: tracer)
        try self.init(TimelineWriter(sink, settings, context), context, progress: progress)
    }
}
