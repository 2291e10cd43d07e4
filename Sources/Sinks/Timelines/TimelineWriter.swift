package import RecordLog
import Timelines
import Tracing

/// Writes timelines to a `TimelineSink`, batch by batch: of each configuration the last record that the sink takes, and
/// no other, then the positions. While something of an interrupted batch has not been read again, nothing is written.
/// Of reloads it writes each record.
package final class TimelineWriter: SinkKind {
    package typealias Notice = SinkNotice
    package typealias Failure = SinkRunError

    package var summary = SinkSummary()
    let sink: any TimelineSink
    let settings: SinkSettings
    private let notice: (SinkNotice) -> Void
    private let fitting: (Int) -> Int
    let trace: WorkTrace?
    private let held: HeldRequests
    let letters: DeadLetterOutput

    /// Everything below is written, as the sink has kept it.
    private(set) var kept: [Partition: SinkPosition] = [:]
    /// Positions are of no known choice, as an earlier release kept them: they are kept anew at once.
    private var isUnbound = false
    /// The last record that the sink has as it is to be.
    private var last: SinkRecord?
    /// The position of the reader in each partition.
    private(set) var state = SinkReadState()
    /// What the topic has for the sink, as far as it is read. It is noted only if the target is to lose all else.
    var presence = TopicPresence()
    let agreesToRemove: (AbsentTimelines) -> Bool
    /// Says that the run turns while the target takes long; false if it is to stop.
    let goesOn: () -> Bool
    var batch: SinkBatch
    var sent: SentBatch?
    private var wasInterrupted = false
    private var wasSetBack = false

    init(
        _ sink: any TimelineSink, _ settings: SinkSettings, _ context: SinkContext<SinkNotice>,
        agreesToRemove: @escaping (AbsentTimelines) -> Bool
    ) {
        self.sink = sink
        self.settings = settings
        batch = SinkBatch(of: settings.content)
        notice = context.notice
        fitting = context.fitting
        trace = context.trace
        held = HeldRequests(settings, context)
        letters = DeadLetterOutput(topic: settings.deadLettersTopic, context)
        self.agreesToRemove = agreesToRemove
        let goesOn = {
            context.waiting.call()
            return !context.shouldStop()
        }
        self.goesOn = goesOn
        // Whoever is asked sees the run turn; what it answers counts once the batch is written.
        sink.tell { _ = goesOn() }
    }

    package var isSettled: Bool { batch.isEmpty && sent == nil }
    package var unsettledCount: Int { batch.read + (sent?.batch.read ?? 0) }
    package var positions: [Partition: SinkPosition] { kept }
    package var written: SinkStatus.Written? {
        settings.content == .timelines ? last.map { SinkStatus.Written($0) } : nil
    }

    package func open() throws(SinkRunError) -> [Partition: SinkPosition]? {
        let positions = try whenAvailable { () throws(SinkError) in try sink.positions(of: settings.reading.topic) }
        guard let positions, try checkOrigin(positions) else { return nil }
        return positions
    }

    package func start(at positions: [Partition: SinkPosition]) {
        kept = positions
        isUnbound = positions.values.contains { $0.choice != settings.choice?.digest }
    }

    /// While a commit has no answer only what is there already is read: if nothing is, the answer is waited for.
    package func demand() -> SinkDemand? {
        SinkDemand(
            maximum: fitting(settings.reading.batchMaximum), timeout: sent == nil ? settings.reading.pollTimeout : .zero
        )
    }

    package func work(on records: [Record], _ state: SinkReadState) throws(SinkRunError) -> Bool {
        self.state = state
        for partition in state.restarted {
            kept[partition] = nil
            sent?.positions[partition] = nil
        }
        presence.startOver(state.restarted)
        for record in records { add(record) }
        let isWholeAgain = kept.allSatisfy { partition, position in
            state.next[partition].map { $0 >= position.begun } ?? false
        }
        guard isWholeAgain else { return true }
        do throws(SinkRunError) {
            // Where it starts over is kept at once: a position of before may be taken for one of the new topic.
            let hasWork = !batch.isEmpty || !letters.isEmpty || !state.restarted.isEmpty || isUnbound
            wasInterrupted = try !(hasWork ? write() : renew())
        } catch .sink(.setBack(let fault)) {
            // What was read counts from positions that the target does not know any more.
            notice(.setBack(fault))
            batch.removeAll()
            sent = nil
            self.state = SinkReadState()
            presence = TopicPresence()
            kept = [:]
            wasSetBack = true
        }
        return !wasInterrupted
    }

    package func takeSetBack() -> Bool {
        defer { wasSetBack = false }
        return wasSetBack
    }

    /// Waits for the last answer. Keeps the positions behind markers at the end, so that the next run does not begin
    /// before them.
    package func finish() throws(SinkRunError) {
        do throws(SinkRunError) {
            guard !wasInterrupted, try settle() else { return }
            if settings.removesAbsent, !summary.wasStopped {
                guard try removeAbsent() else {
                    summary.wasStopped = true
                    return
                }
            }
            let isBehind = state.next.contains { partition, next in next > kept[partition]?.next ?? Offset(0) }
            if batch.isEmpty, isBehind { _ = try keep(reached) }
            try checkRemovals()
        } catch .sink(.setBack(let fault)) {
            // What was to be removed may be there again.
            if settings.removesAbsent { throw .sink(.setBack(fault)) }
            // The next run begins where the target is.
            notice(.setBack(fault))
        }
    }

    package func close() {
        letters.close()
        sink.close()
    }

    // MARK: - Writing

    private func add(_ record: Record) {
        defer { if settings.removesAbsent { presence.pass(record) } }
        let place = TopicPartition(record.topic, record.partition)
        guard let key = record.key, let id = String(validating: key, as: UTF8.self) else {
            return leaveOut(record, "the key is not the text of a \(settings.content.keyName)")
        }
        var meant = SinkRecord(
            configurationId: id, value: record.value, headers: record.headers, origin: place, offset: record.offset)
        if let choice = settings.choice, !choice.takes(meant) { meant.value = nil }
        guard note(presenceOf: meant) else { return }
        let superseded = batch.add(meant)
        guard let trace, let superseded else { return }
        trace.process(of: superseded) { trace.note(outcome: "superseded") }
    }

    /// - Returns: false if it was stopped before that.
    private func renew() throws(SinkRunError) -> Bool {
        if sent != nil { return try settle() }
        return try whenAvailable { () throws(SinkError) in try sink.renew() } != nil
    }

    /// Writes the batch and keeps the positions.
    ///
    /// - Returns: false if it was stopped before that; the next run does it again.
    func write() throws(SinkRunError) -> Bool {
        if batch.isEmpty {
            guard try settle() else { return false }
            return try keep(reached)
        }
        return sink.isTransactional ? try writeAtOnce() : try writeOneByOne()
    }

    /// Waits for the answer to the last commit.
    ///
    /// - Returns: as `write`.
    func settle() throws(SinkRunError) -> Bool { sent == nil ? true : try writeAtOnce() }

    func count(_ answer: SinkAnswer, of record: SinkRecord) {
        if settings.removesAbsent, case .done = answer, record.timeline(for: sink.name) != nil {
            presence.hasTaken = true
        }
        switch answer {
        case .done(.written):
            summary.written += 1
            last = record
            guard settings.content == .timelines, let revision = record.revision else { break }
            summary.revision = max(revision, summary.revision ?? revision)
        case .done(.removed):
            summary.removed += 1
            if record.offset >= Offset(0) { last = record }
        case .done(.unchanged): summary.unchanged += 1
        case .leftOut: break
        }
    }

    /// - Returns: false if it was stopped before that.
    func keep(_ positions: [Partition: SinkPosition]) throws(SinkRunError) -> Bool {
        let began = trace?.now()
        let answer: Void? = try whenAvailable { () throws(SinkError) in
            try letters.send()
            try sink.keep(positions, of: settings.reading.topic)
        }
        guard answer != nil else { return false }
        if let trace, let began { trace.step("commit", type: "settle", .client, since: began) }
        settled(at: positions)
        return true
    }

    func settled(at positions: [Partition: SinkPosition]) {
        kept = positions
        isUnbound = false
        letters.settle()
    }

    func leaveOut(_ record: SinkRecord, _ bad: BadRecord) {
        guard record.offset >= Offset(0) else {
            // It is of no record, so there is nothing to set aside.
            guard presence.leave(record.configurationId, because: bad.description) else { return }
            return notice(.unremoved(configurationId: record.configurationId, reason: bad.description))
        }
        leaveOut(Record(record), bad.text(of: record.configurationId, settings.content))
    }

    /// Its position moves on once its dead letter is there.
    private func leaveOut(_ record: Record, _ reason: String) {
        // The same batch may be written again.
        guard letters.add(record, reason: reason) else { return }
        summary.unusable += 1
        notice(.unusable(TopicPartition(record.topic, record.partition), record.offset, reason: reason))
    }

    /// As `HeldRequests.repeatedly`, with failures as the run's.
    func whenAvailable<Answer>(_ request: () throws(SinkError) -> Answer) throws(SinkRunError) -> Answer? {
        do throws(SinkError) {
            return try held.repeatedly(request)
        } catch {
            throw .sink(error)
        }
    }
}
