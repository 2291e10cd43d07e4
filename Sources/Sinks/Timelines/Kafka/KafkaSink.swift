package import RecordLog
import Timelines

/// The newest timeline of each configuration in a compacted topic, of another cluster as a rule: exactly once.
///
/// Key, value and headers are the record's; the target's partitions are decided by the key. A configuration that is
/// gone, or names other sinks, becomes a tombstone. A batch and the positions behind it are one transaction: positions
/// are in a `SinkLedger` beside the topic. So readers with `read_committed` see whole batches, each once, and a record
/// cannot come again. Therefore the sink does not look for older timelines: positions alone decide. While all is read
/// again because the choice of timelines is another one, the topic has older ones for a time, until the newest come.
///
/// The newest of several sinks of one topic goes on; the one before it is fenced, and ends.
package final class KafkaSink: TimelineSink {
    package let name: String
    package var isTransactional: Bool { true }
    private let settings: KafkaSinkSettings
    private let context: SinkContext<LedgerNotice>
    private let ledger: SinkLedger
    private let outage: KafkaOutage
    private let unknownHosts: () -> [String]
    private let source: any Cluster
    /// The target's partitions, as they were found.
    private var places: [TopicPartition] = []
    /// The target was seen to hold records, or was written to.
    private var hasRecords = false
    private var lookedAt = Duration.zero
    /// Written with the next `keep`.
    private var records: [SinkLedger.OutputRecord] = []
    /// The offsets of `records` in their source, by configuration.
    private var offsets = TextDictionary<Offset>()
    /// Records that the target has refused, by configuration and offset.
    private var refused = TextDictionary<[Offset: BadRecord]>()
    /// The smallest of them, if size alone is why; so whatever is as large is refused, too.
    private var tooLarge: TooLarge?

    private struct TooLarge {
        /// The bytes of key and value, as the client counts them.
        var bytes: Int
        /// Those of headers, too.
        var whole: Int
        var cause: LogError
    }

    /// Connects nowhere yet.
    ///
    /// - Parameters:
    ///   - cluster: the target's.
    ///   - source: the cluster that is read. It is asked for its id where a name is one of the application's topics.
    ///   - instance: a name that no other run ever had.
    ///   - unknownHosts: asked while no broker answers: the names of the hosts, if none of them can be found.
    ///   - shouldStop: asked at least every few seconds while the target is waited for.
    package init(
        cluster: any Cluster, source: any Cluster, _ settings: KafkaSinkSettings, instance: String,
        clock: any BlockingClock, name: String = "kafka", unknownHosts: @escaping () -> [String] = { [] },
        shouldStop: @escaping () -> Bool = { false }
    ) throws(SinkError) {
        self.name = name
        self.settings = settings
        self.unknownHosts = unknownHosts
        self.source = source
        let outage = KafkaOutage(clock, patience: settings.patience, shouldStop: shouldStop)
        do throws(LogError) {
            context = SinkContext(
                settings.reading, cluster: cluster, admin: try cluster.makeAdmin(), clock: clock,
                shouldStop: { outage.isToEnd }, notice: { outage.note($0) })
        } catch {
            throw .refused(SinkFault(place: settings.place, operation: "connect to", reason: error.description))
        }
        self.outage = outage
        ledger = SinkLedger(settings.ledger(name), instance: instance, context)
    }

    deinit {
        ledger.close()
        context.admin.close()
    }

    /// Finds the topic, fences every other sink of it, and reads how far they have come. Where the topic is empty there
    /// are none: it was made anew.
    ///
    /// - Throws: `refused` also if the topic, or that of its positions, is one of the application's. Nothing was
    ///   written then.
    package func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] {
        precondition(topic == settings.source)
        // It begins anew each time: brokers that come back slowly must get to its end once.
        outage.begin(patience: settings.openingPatience)
        try target.checkNames(against: source)
        places = try target.check()
        hasRecords = try !target.isEmpty(places)
        lookedAt = context.clock.now
        try asked { () throws(LedgerError) in try ledger.open() != nil }
        return hasRecords ? ledger.positions : [:]
    }

    /// Looks now and then whether the target is still the topic that it was.
    package func renew() throws(SinkError) {
        guard context.clock.now - lookedAt >= Self.lookInterval else { return }
        outage.begin()
        try expectSameTopic()
    }

    private static let lookInterval = Duration.seconds(5)

    /// - Throws: `setBack` if the target was deleted and made anew: then all goes there again.
    private func expectSameTopic() throws(SinkError) {
        lookedAt = context.clock.now
        guard hasRecords, try target.isEmpty(places) else { return }
        hasRecords = false
        rollBack()
        throw .setBack(target.fault("go on at", "it was made anew, and is empty"))
    }

    package func write(_ record: SinkRecord) throws(SinkError) -> SinkOutcome {
        let id = record.configurationId
        if let bad = refused[id]?[record.offset] { throw .unusable(bad) }
        let value = record.timeline(for: name)
        if let value, TimelineStamp(value) == nil {
            throw .unusable(BadRecord(noTimeline: value))
        }
        let output = SinkLedger.OutputRecord(
            topic: settings.topic, key: Array(id.utf8), value: value, headers: record.headers)
        if let tooLarge, output.keyAndValueCount >= tooLarge.bytes, output.byteCount >= tooLarge.whole {
            throw .unusable(refusal(of: output.keyAndValueCount, tooLarge.cause))
        }
        records.append(output)
        offsets[id] = record.offset
        return value == nil ? .removed : .written
    }

    /// The commit of `keep` makes all durable.
    package func flush() throws(SinkError) {}

    package func rollBack() {
        records.removeAll(keepingCapacity: true)
        offsets.removeAll(keepingCapacity: true)
    }

    package func keep(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError) {
        precondition(topic == settings.source)
        outage.begin()
        try expectSameTopic()
        try asked { () throws(LedgerError) in
            try ledger.commit(SinkLedger.Entries(positions: positions, records: records))
        }
        hasRecords = hasRecords || !records.isEmpty
        rollBack()
        refused.removeAll()
        tooLarge = nil
    }

    private var target: KafkaTarget { KafkaTarget(settings, context, outage, unknownHosts: unknownHosts) }

    /// - Parameter question: false if it was stopped first.
    private func asked(_ question: () throws(LedgerError) -> Bool) throws(SinkError) {
        let isDone: Bool
        do throws(LedgerError) {
            isDone = try question()
        } catch {
            throw failure(error)
        }
        if !isDone { throw target.unavailable(outage.latest) }
    }

    private func failure(_ error: LedgerError) -> SinkError {
        switch error {
        case .replaced, .reset:
            return .replaced(
                target.fault("write to", "another sink of this topic has started and goes on in its place"))
        case .topic(let topic, let problem):
            return .refused(
                SinkFault(place: "topic \(topic) at \(settings.place)", operation: "use", reason: "it \(problem)"))
        case .log(let cause):
            if cause.record != nil, refuse(cause) {
                return .recordRefused(target.fault("write to", cause.description))
            }
            return cause.lasts || cause.code == .fatal
                ? .refused(target.fault("write to", cause.description)) : target.unavailable(cause)
        }
    }

    /// Remembers the record that the target has refused: of those whose keys begin alike the largest. Larger ones than
    /// that may fit, for brokers judge what is compressed.
    ///
    /// - Returns: false if it is none of this batch.
    private func refuse(_ cause: LogError) -> Bool {
        guard cause.record?.topic == settings.topic else { return false }
        let alike = records.filter { record in
            let key = record.key?.withUnsafeBytes { RefusedRecord(topic: record.topic, key: $0, bytes: 0).key }
            return key == cause.record?.key
        }
        let found = alike.max { $0.value?.count ?? 0 < $1.value?.count ?? 0 }
        guard let key = found?.key, let bytes = cause.record?.bytes else { return false }
        let id = String(decoding: key, as: UTF8.self)
        guard let offset = offsets[id] else { return false }
        refused[id, default: [:]][offset] = refusal(of: bytes, cause)
        if settings.isJudgedBySize, bytes >= KafkaSinkSettings.batchBytes, bytes < tooLarge?.bytes ?? .max {
            tooLarge = found.map { TooLarge(bytes: bytes, whole: $0.byteCount, cause: cause) }
        }
        return true
    }

    private func refusal(of bytes: Int, _ cause: LogError) -> BadRecord {
        BadRecord("\(settings.topic) takes no record of \(bytes) bytes: \(cause)")
    }
}
