package import RecordLog
import Tracing

/// Writes timelines to a `TimelineSink`, batch by batch: of each configuration the last record alone, then the
/// positions. While something of an interrupted batch has not been read again, nothing is written.
package final class TimelineWriter: SinkKind {
    package typealias Notice = SinkNotice
    package typealias Failure = SinkRunError

    package var summary = SinkSummary()
    private let sink: any TimelineSink
    private let settings: SinkSettings
    private let patience: SinkPatience
    private let notice: (SinkNotice) -> Void
    private let fitting: (Int) -> Int
    private let trace: WorkTrace?

    /// Everything below is written, as the sink has kept it.
    private var kept: [Partition: SinkPosition] = [:]
    /// The position of the reader in each partition.
    private var state = SinkReadState()
    private var batch = SinkBatch()
    private var wasInterrupted = false
    private var wasSetBack = false

    init(_ sink: any TimelineSink, _ settings: SinkSettings, _ context: SinkContext<SinkNotice>) {
        self.sink = sink
        self.settings = settings
        patience = SinkPatience(settings, context)
        notice = context.notice
        fitting = context.fitting
        trace = context.trace
    }

    package var isSettled: Bool { batch.isEmpty }
    package var unsettledCount: Int { batch.read }

    package func open() throws(SinkRunError) -> [Partition: SinkPosition]? {
        try patience.whenAvailable { () throws(SinkError) in try sink.positions(of: settings.reading.topic) }
    }

    package func start(at positions: [Partition: SinkPosition]) { kept = positions }

    package func demand() -> SinkDemand? {
        SinkDemand(maximum: fitting(settings.reading.batchMaximum), timeout: settings.reading.pollTimeout)
    }

    package func work(on records: [Record], _ state: SinkReadState) throws(SinkRunError) -> Bool {
        self.state = state
        for partition in state.restarted { kept[partition] = nil }
        for record in records { add(record) }
        let isWholeAgain = kept.allSatisfy { partition, position in
            state.next[partition].map { $0 >= position.begun } ?? false
        }
        guard isWholeAgain else { return true }
        do throws(SinkRunError) {
            wasInterrupted = try !(batch.isEmpty ? renew() : write())
        } catch .sink(.setBack(let fault)) {
            // What was read counts from positions that the target does not know any more.
            notice(.setBack(fault))
            batch.removeAll()
            self.state = SinkReadState()
            kept = [:]
            wasSetBack = true
        }
        return !wasInterrupted
    }

    package func takeSetBack() -> Bool {
        defer { wasSetBack = false }
        return wasSetBack
    }

    /// Keeps the positions behind markers at the end, so that the next run does not begin before them.
    package func finish() throws(SinkRunError) {
        let isBehind = state.next.contains { partition, next in next > kept[partition]?.next ?? Offset(0) }
        if !wasInterrupted, batch.isEmpty, isBehind { _ = try keep(positions) }
    }

    package func close() { sink.close() }

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

    /// - Returns: false if it was stopped before that.
    private func renew() throws(SinkRunError) -> Bool {
        try patience.whenAvailable { () throws(SinkError) in try sink.renew() } != nil
    }

    /// Writes the batch and keeps the positions.
    ///
    /// - Returns: false if it was stopped before that; the next run does it again.
    private func write() throws(SinkRunError) -> Bool {
        sink.isTransactional ? try writeAtOnce() : try writeOneByOne()
    }

    /// The records and the positions in one transaction, which is repeated as a whole.
    private func writeAtOnce() throws(SinkRunError) -> Bool {
        let (positions, records) = (positions, batch.records)
        let outcomes = try patience.whenAvailable { () throws(SinkError) in
            do throws(SinkError) {
                var outcomes: [BatchOutcome] = []
                try sink.prepare(records)
                for record in records {
                    outcomes.append(try traced(record) { () throws(SinkError) in try outcome(of: record) })
                }
                try sink.flush()
                let began = trace?.now()
                try sink.keep(positions, of: settings.reading.topic)
                if let trace, let began { trace.step("commit", type: "settle", .client, since: began) }
                return outcomes
            } catch {
                sink.rollBack()
                // Spans say what counts: of this attempt nothing does.
                trace?.end(failure: (type: "unavailable", message: error.description))
                throw error
            }
        }
        guard let outcomes else { return false }
        for (record, outcome) in zip(records, outcomes) { count(outcome, of: record) }
        kept = positions
        summary.superseded += batch.superseded
        batch.removeAll()
        return true
    }

    /// A record after the other, each repeated by itself; the positions when all are durable.
    private func writeOneByOne() throws(SinkRunError) -> Bool {
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
        let records = batch.records
        let prepared: Void? = try patience.whenAvailable { () throws(SinkError) in try sink.prepare(records) }
        guard prepared != nil else { return false }
        for record in records {
            let answer = try traced(record) { () throws(SinkRunError) in
                try patience.whenAvailable { () throws(SinkError) in try outcome(of: record) }
            }
            guard let answer else { return false }
            count(answer, of: record)
        }
        guard try patience.whenAvailable({ () throws(SinkError) in try sink.flush() }) != nil else { return false }
        summary.superseded += batch.superseded
        batch.removeAll()
        return try keep(positions)
    }

    private enum BatchOutcome {
        case done(SinkOutcome)
        case leftOut(reason: String)
    }

    private func outcome(of record: SinkRecord) throws(SinkError) -> BatchOutcome {
        do throws(SinkError) {
            let outcome = try sink.write(record)
            trace?.note(outcome: "\(outcome)")
            return .done(outcome)
        } catch .unusable(let reason) {
            trace?.note(outcome: "unusable")
            return .leftOut(reason: reason)
        }
    }

    private func traced<Failure: Error, Answer>(
        _ record: SinkRecord, _ body: () throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        guard let trace else { return try body() }
        return try trace.process(of: record, body)
    }

    private func count(_ outcome: BatchOutcome, of record: SinkRecord) {
        switch outcome {
        case .done(.written): summary.written += 1
        case .done(.removed): summary.removed += 1
        case .done(.unchanged): summary.unchanged += 1
        case .leftOut(let reason): leaveOut(record.origin, record.offset, reason)
        }
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
    private func keep(_ positions: [Partition: SinkPosition]) throws(SinkRunError) -> Bool {
        let began = trace?.now()
        let answer: Void? = try patience.whenAvailable { () throws(SinkError) in
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
}
