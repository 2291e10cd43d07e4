package import RecordLog

/// Reads a topic of timelines and writes them to a sink. Reads committed records only, each partition in the order of
/// its offsets, from the positions that the sink keeps; without a consumer group, so one runner reads everything.
///
/// A run that is killed at any point is made good by the next one: a record may be written twice, which changes
/// nothing, and never after a later one of its configuration. One run per runner, on a thread that the caller owns.
package final class SinkRunner {
    let settings: SinkSettings
    let sink: any TimelineSink
    let admin: any Admin
    let consumer: any Consumer
    let clock: any SinkClock
    let shouldStop: () -> Bool
    let notice: (SinkNotice) -> Void
    private let progress: (SinkProgress) -> Void

    /// Everything below is written, as the sink has kept it.
    var kept: [Partition: SinkPosition] = [:]
    /// Where the reader is, transaction markers included.
    var read: [Partition: Offset] = [:]
    /// What `untilCaughtUp` waits for: the read_uncommitted ends at the start.
    private var targets: [Partition: Offset] = [:]
    private var begins: [Partition: Offset] = [:]
    var batch = SinkBatch()
    var summary = SinkSummary()
    private let begin: Duration
    private var partitionsSeen: Duration
    private var told: Duration

    /// - Parameters:
    ///   - shouldStop: asked after every batch, and at least ten times a second while the sink is unavailable.
    ///   - progress: told at most four times a second of the clock, and once at the end.
    ///   - notice: told what an operator should know.
    package init(
        cluster: any Cluster, sink: any TimelineSink, settings: SinkSettings, clock: any SinkClock,
        shouldStop: @escaping () -> Bool = { false }, progress: @escaping (SinkProgress) -> Void = { _ in },
        notice: @escaping (SinkNotice) -> Void = { _ in }
    ) throws(LogError) {
        precondition(settings.batchMaximum > 0)
        self.settings = settings
        self.sink = sink
        self.clock = clock
        self.shouldStop = shouldStop
        self.progress = progress
        self.notice = notice
        admin = try cluster.makeAdmin()
        consumer = try cluster.makeConsumer(group: nil, isolation: .readCommitted, clientId: settings.clientId)
        begin = clock.now
        partitionsSeen = begin
        told = begin
    }

    /// Writes until it has caught up, where the settings ask for that, or until `shouldStop`.
    ///
    /// 1. Takes up the sink's positions, and the topic's ends.
    /// 2. Reads a batch; while something of an interrupted batch has not been read again, one more.
    /// 3. Writes the last record of each configuration, then keeps the positions.
    ///
    /// - Throws: `log` where the topic is missing or a request at the start fails; `sink` where the sink refuses.
    package func run() throws(SinkRunError) -> SinkSummary {
        defer {
            consumer.close()
            admin.close()
        }
        var isRunning = try start()
        while isRunning, !shouldStop(), !isCaughtUp {
            lookForPartitions()
            try poll()
            if mayWrite { isRunning = try write() }
            tellProgress()
        }
        if isRunning { try keepMarkers() }
        summary.wasStopped = !isCaughtUp
        tellProgress(isLast: true)
        return summary
    }

    // MARK: - Start

    /// - Returns: false where it was stopped first.
    private func start() throws(SinkRunError) -> Bool {
        guard let positions = try ask({ () throws(SinkError) in try sink.positions(of: settings.topic) }) else {
            return false
        }
        do throws(LogError) {
            let requests = BrokerRequests(
                attempt: settings.requestTimeout, patience: settings.startTimeout, clock: clock, shouldStop: shouldStop)
            guard let topic = try requests.persistently({ (timeout) throws(LogError) in try describe(timeout) }) else {
                let message = "topic \(settings.topic) does not exist"
                throw LogError(.unknownTopicOrPartition, name: "UNKNOWN_TOPIC_OR_PART", message)
            }
            let places = (0..<Partition(topic.partitions)).map { TopicPartition(settings.topic, $0) }
            let ends = try requests.persistently { (timeout) throws(LogError) in
                try admin.endOffsets(of: places, isolation: .readUncommitted, timeout: timeout)
            }
            for place in places {
                let end = ends[place] ?? Offset(0)
                targets[place.partition] = end
                guard let position = positions[place.partition] else { continue }
                if position.begun <= end {
                    kept[place.partition] = position
                } else {
                    notice(.startedOver(place, position.next))
                }
            }
            try assign(places)
        } catch {
            if error.isRetriable, shouldStop() { return false }
            throw .log(error)
        }
        return true
    }

    private func describe(_ timeout: Duration) throws(LogError) -> TopicDescription? {
        try admin.describeTopics([settings.topic], timeout: timeout)[settings.topic]
    }

    private func assign(_ places: [TopicPartition]) throws(LogError) {
        let starts = places.map { place -> (TopicPartition, StartOffset) in
            (place, kept[place.partition].map { .at($0.next) } ?? .earliest)
        }
        try consumer.incrementalAssign(starts)
        for place in places {
            read[place.partition] = kept[place.partition]?.next ?? Offset(0)
            begins[place.partition] = read[place.partition]
        }
    }

    private func lookForPartitions() {
        guard clock.now - partitionsSeen >= settings.partitionInterval else { return }
        partitionsSeen = clock.now
        do throws(LogError) {
            guard let total = try describe(settings.requestTimeout)?.partitions, total > read.count else { return }
            try assign((Partition(Int32(read.count))..<Partition(total)).map { TopicPartition(settings.topic, $0) })
            notice(.newPartitions(topic: settings.topic, total: total))
        } catch {
            notice(.log(error))
        }
        tellProgress()
    }

    // MARK: - State

    /// Nothing of an interrupted batch is missing.
    private var mayWrite: Bool {
        kept.allSatisfy { partition, position in read[partition]! >= position.begun }
    }

    private var isCaughtUp: Bool {
        settings.untilCaughtUp && batch.isEmpty
            && targets.allSatisfy { partition, target in read[partition]! >= target }
    }

    private func tellProgress(isLast: Bool = false) {
        summary.elapsed = clock.now - begin
        guard isLast || clock.now - told >= .milliseconds(250) else { return }
        told = clock.now
        progress(SinkProgress(summary: summary, fractionDone: settings.untilCaughtUp ? fractionDone : nil))
    }

    private var fractionDone: Double {
        var (done, total) = (Int64(0), Int64(0))
        for (partition, target) in targets {
            let begin = begins[partition]!.rawValue
            total += max(0, target.rawValue - begin)
            done += max(0, min(target.rawValue, read[partition]!.rawValue) - begin)
        }
        return total == 0 ? 1 : Double(done) / Double(total)
    }
}
