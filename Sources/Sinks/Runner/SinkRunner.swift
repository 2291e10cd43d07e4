import RecordLog
import Tracing

/// Runs a sink: reads its topic, committed records only, each partition in the order of its offsets, from the positions
/// that the sink keeps. It has no consumer group, so one run reads all partitions. The rest is its `SinkKind`'s.
///
/// A run that is killed at any point is made good by the next one: a record may be done twice, never left out. One run
/// per runner, on a thread that the caller owns.
package final class SinkRunner<Kind: SinkKind> {
    let kind: Kind
    let context: SinkContext<Kind.Notice>
    let progress: (SinkProgress<Kind.Summary>) -> Void
    private(set) var reader: TopicReader

    /// The ends that `untilCaughtUp` waits for: the read_uncommitted ones at the start; `nil` before it.
    private(set) var targets: [Partition: Offset]?
    /// The ends at the start of the partitions that were not read so far yet.
    private var unread: [Partition: Offset] = [:]
    /// The positions at which the reader began.
    private(set) var begins: [Partition: Offset] = [:]
    /// The id of the cluster; `nil` before the start.
    private(set) var cluster: String?
    /// The positions of partitions that turned out, in this round, to be another topic's.
    private var restarts: [Partition: TopicReader.LostPosition] = [:]
    let begin: Duration
    private var partitionsSeen: Duration
    var reportedAt: Duration
    /// The ends as of the last answer; `nil` if it failed, nobody asked, or the reader has no places yet.
    var ends: [TopicPartition: Offset]?
    var endsAsked: Duration?
    /// How far each partition was read at that answer.
    var readPlaces: [Partition: SinkReadPlace] = [:]
    /// The number of such answers.
    var looks = 0

    /// - Parameter progress: called at most four times a second of the clock, and once at the end.
    init(
        _ kind: Kind, _ context: SinkContext<Kind.Notice>, progress: @escaping (SinkProgress<Kind.Summary>) -> Void
    ) throws(LogError) {
        precondition(context.reading.batchMaximum > 0)
        self.kind = kind
        self.context = context
        self.progress = progress
        reader = try context.makeReader(of: context.reading.topic)
        begin = context.clock.now
        partitionsSeen = begin
        reportedAt = begin
        // The lag grows meanwhile, and who looks at it is to see that.
        context.waiting.call = { [weak self] in
            self?.lookForEnds()
            self?.reportProgress()
        }
    }

    /// Runs until it has caught up, if the settings ask for that, or until it is to stop.
    ///
    /// - Throws: `log` if the topic is missing, a request at the start fails or the reader cannot go on; the kind's own
    ///   failures.
    package func run() throws(Kind.Failure) -> Kind.Summary {
        defer {
            kind.close()
            reader.close()
            context.admin.close()
        }
        var goesOn = try start()
        while goesOn, !context.shouldStop(), !isCaughtUp {
            lookForPartitions()
            lookForEnds()
            let records = try read()
            noteReached()
            do throws(Kind.Failure) {
                goesOn = try kind.work(on: records, state)
            } catch {
                context.trace?.end(failure: (type: "failed", message: "\(error)"))
                throw error
            }
            context.trace?.end()
            for (partition, lost) in restarts.sorted(by: { $0.key < $1.key }) {
                note(restartOf: partition, lost.position, because: lost.reason)
            }
            restarts = [:]
            if goesOn, kind.takeSetBack() { goesOn = try startAgain() }
            reportProgress()
        }
        kind.summary.wasStopped = !isCaughtUp
        try kind.finish()
        context.trace?.end()
        reportProgress(isLast: true)
        return kind.summary
    }

    /// The first start has the patience of its requests: somebody may have named the wrong brokers. Later, and once its
    /// target has been waited for, the run goes on whatever becomes of them.
    ///
    /// - Returns: false if it was stopped first.
    private func start() throws(Kind.Failure) -> Bool {
        let opens = context.clock.now
        guard let kept = try kind.open() else { return false }
        let hasWaited = context.reading.hasWaited || context.clock.now - opens >= context.reading.requestPatience
        let outlasts = targets != nil || hasWaited
        guard try checkCluster(of: kept, outlasts) else { return false }
        let positions = takenAlike(kept)
        do throws(LogError) {
            let start = try answer(outlasts) { () throws(LogError) in
                try reader.start(
                    from: positions.mapValues { $0.next }, known: positions.mapValues { $0.begun },
                    before: positions.compactMapValues(\.before))
            }
            guard let start else { return false }
            targets = start.ends
            unread = start.ends
            begins = reader.next
            for (partition, reason) in start.restarts.sorted(by: { $0.key < $1.key }) {
                note(restartOf: partition, positions[partition]?.next ?? Offset(0), because: reason)
            }
            kind.start(at: positions.filter { start.ends[$0.key] != nil && start.restarts[$0.key] == nil })
        } catch {
            throw .log(error)
        }
        return true
    }

    /// What the target holds follows from the choice of timelines. If that is another one now, all is read again once:
    /// what is taken no more is removed, and what was left out is written.
    private func takenAlike(_ kept: [Partition: SinkPosition]) -> [Partition: SinkPosition] {
        if context.reading.readsAll { return [:] }
        guard let choice = context.reading.choice else { return kept }
        let isOther = { (position: SinkPosition) in position.choice.map { $0 != choice } ?? false }
        for (partition, position) in kept.sorted(by: { $0.key < $1.key }) where isOther(position) {
            note(restartOf: partition, position.next, because: .otherChoice)
        }
        return kept.filter { !isOther($0.value) }
    }

    /// Starts from positions that are others than those that were kept.
    ///
    /// - Returns: false if it was stopped first.
    private func startAgain() throws(Kind.Failure) -> Bool {
        do throws(LogError) {
            let anew = try context.makeReader(of: context.reading.topic)
            reader.close()
            (reader, ends, endsAsked, readPlaces) = (anew, nil, nil, [:])
        } catch {
            throw .log(error)
        }
        return try start()
    }

    /// - Returns: false if it was stopped first.
    /// - Throws: `otherCluster`, unless the settings accept that.
    private func checkCluster(
        of positions: [Partition: SinkPosition], _ outlasts: Bool
    ) throws(Kind.Failure) -> Bool {
        do throws(LogError) {
            cluster = try answer(outlasts) { () throws(LogError) in
                try context.requests.persistently { (timeout) throws(LogError) in
                    try context.admin.clusterId(timeout: timeout)
                }
            }
        } catch {
            throw .log(error)
        }
        guard let cluster else { return false }
        let other = positions.sorted { $0.key < $1.key }.lazy.compactMap(\.value.cluster).first { $0 != cluster }
        if let other, !context.reading.acceptsMovedCluster { throw .otherCluster(kept: other, present: cluster) }
        return true
    }

    /// - Parameter outlasts: an outage of the brokers ends nothing.
    /// - Returns: `nil` if it was stopped first.
    private func answer<Answer>(
        _ outlasts: Bool, to request: () throws(LogError) -> Answer?
    ) throws(LogError) -> Answer? {
        try outlasts ? context.outlasting(request) : request()
    }

    private func note(restartOf partition: Partition, _ position: Offset, because reason: TopicReader.Restart) {
        kind.summary.startedOver += 1
        context.notice(.startedOver(TopicPartition(reader.topic, partition), position, because: reason))
    }

    private func lookForPartitions() {
        guard context.clock.now - partitionsSeen >= context.reading.partitionInterval else { return }
        partitionsSeen = context.clock.now
        do throws(LogError) {
            if let total = try reader.lookForPartitions() {
                context.notice(.newPartitions(topic: reader.topic, total: total))
            }
        } catch {
            context.notice(.log(error))
        }
        reportProgress()
    }

    private func read() throws(Kind.Failure) -> [Record] {
        guard let demand = try kind.demand() else { return [] }
        do throws(LogError) {
            try reader.compare(every: context.reading.comparisonInterval, failed: { context.notice(.log($0)) })
            let began = context.trace?.now()
            let records = try reader.poll(
                maximum: demand.maximum, timeout: demand.timeout, failed: { context.notice(.log($0)) })
            kind.summary.records += records.count
            if let trace = context.trace, let began, !records.isEmpty {
                trace.step(
                    "poll", type: "receive", .client, since: began,
                    [
                        SpanNames.batchCount: .int(Int64(records.count)),
                        SpanNames.destination: .string(reader.topic),
                    ])
            }
            restarts = reader.takeRestarts()
            return records
        } catch {
            throw .log(error)
        }
    }

    // MARK: - State

    private var state: SinkReadState {
        SinkReadState(
            next: reader.next, before: reader.before, restarted: Set(restarts.keys), cluster: cluster,
            hasReadAll: hasReadAll, hasReadStart: unread.isEmpty)
    }

    private var hasReadAll: Bool {
        guard context.reading.untilCaughtUp, let targets else { return false }
        return reader.hasReached(targets)
    }

    /// What was reached once stays reached, and the end of a topic that is no more is none.
    private func noteReached() {
        if unread.isEmpty { return }
        unread = unread.filter { partition, end in
            restarts[partition] == nil && (reader.next[partition].map { $0 < end } ?? true)
        }
    }

    private var isCaughtUp: Bool { hasReadAll && kind.isSettled }
}
