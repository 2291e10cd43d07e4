import Messages
import Positions
package import RecordLog
import Timelines

/// The one thread that reads the topics into the views: committed records only, without a consumer group, all
/// partitions with one consumer, so that a change is there as soon as it is fetched.
///
/// It waits for brokers as long as an outage lasts. What takes long is asked by `ViewWatch`, on a thread of its own.
package final class ViewReader {
    let context: GatewayContext
    private let cluster: any Cluster
    private let requests: PatientRequests
    private let cache: ViewCache?
    private let notice: (ViewNotice) -> Void
    let watch: ViewWatch

    private let consumer: any Consumer
    private let admin: any Admin
    private var names: [ViewedTopic: String] = [:]
    /// By the consumer's index of a topic.
    private var topics: [ViewedTopic?] = []
    private var partitions: [ViewedTopic: Int32] = [:]
    /// The ends at the start, until they are reached.
    private var targets: [ViewedTopic: [Partition: Offset]]?
    private var (began, forgotAt): (Duration, Duration?) = (.zero, nil)
    private lazy var thrift = MemoryThrift(context.settings.memory)
    private var kept: ViewCache.Contents?

    /// - Parameters:
    ///   - cache: a file that makes the next start warm; `nil` reads all from the topics.
    ///   - requests: how long requests of the start are repeated, and by which clock the thread waits.
    ///   - notice: called on this thread.
    package init(
        _ context: GatewayContext, cluster: any Cluster, watch: ViewWatch, cache: ViewCache? = nil,
        requests: PatientRequests, notice: @escaping (ViewNotice) -> Void
    ) throws(LogError) {
        self.context = context
        self.cluster = cluster
        self.watch = watch
        self.cache = cache
        self.requests = requests
        self.notice = notice
        names = context.settings.topics.viewed
        admin = try cluster.makeAdmin()
        consumer = try cluster.makeConsumer(group: nil, isolation: .readCommitted, clientId: "tideline-serve")
    }

    package func close() {
        consumer.close()
        admin.close()
    }

    /// Reads until `PatientRequests.shouldStop`.
    ///
    /// - Throws: if a topic is missing at the start or cannot be looked at, and on a fatal failure of the consumer.
    package func run() throws(LogError) {
        guard try start() else { return }
        while !requests.shouldStop() { try step(timeout: .milliseconds(50)) }
        cache?.flush(context.views, notice)
    }

    // MARK: - Starting

    /// Assigns all partitions: from the cache's positions, else from the beginning.
    ///
    /// - Returns: false if it was stopped first.
    package func start() throws(LogError) -> Bool {
        began = requests.clock.now
        let all = ViewedTopic.allCases.compactMap { names[$0] }
        let answer = try requests.persistently { (timeout) throws(LogError) in
            try admin.describeTopics(all, timeout: timeout)
        }
        guard let described = answer else { return false }
        let missing = all.filter { described[$0] == nil }
        guard missing.isEmpty else {
            throw LogError(
                .unknownTopicOrPartition, name: "UNKNOWN_TOPIC_OR_PART",
                "topics do not exist: \(missing.joined(separator: ", "))")
        }
        let places = ViewedTopic.allCases.flatMap { topic in
            (0..<Partition(described[names[topic] ?? ""]?.partitions ?? 0)).map { (topic, $0) }
        }
        let named = places.map { TopicPartition(names[$0.0] ?? "", $0.1) }
        let found = try requests.persistently { (timeout) throws(LogError) in
            try admin.endOffsets(of: named, isolation: .readUncommitted, timeout: timeout)
        }
        guard let found else { return false }
        var ends: [ViewedTopic: [Partition: Offset]] = [:]
        for (place, name) in zip(places, named) { ends[place.0, default: [:]][place.1] = found[name] ?? Offset(0) }
        if try !restore(ends) { return false }
        targets = ends
        for topic in ViewedTopic.allCases { try assign(topic, ends: ends[topic] ?? [:]) }
        return true
    }

    /// Takes over what the cache has, if it is of these topics. Returns false if it was stopped first.
    private func restore(_ ends: [ViewedTopic: [Partition: Offset]]) throws(LogError) -> Bool {
        guard let cache else { return true }
        let id = try requests.persistently { (timeout) throws(LogError) in try admin.clusterId(timeout: timeout) }
        guard let cluster = id else { return false }
        kept = cache.load(names, of: cluster, ends: ends, into: context.views, notice)
        return true
    }

    private func assign(_ topic: ViewedTopic, ends: [Partition: Offset]) throws(LogError) {
        var starts: [(TopicPartition, StartOffset)] = []
        for (partition, end) in ends.sorted(by: { $0.key < $1.key }) {
            let start = start(of: topic, partition, end)
            context.views.begin(topic, partition, at: kept?.positions[topic]?[partition]?.next ?? start)
            starts.append((TopicPartition(names[topic] ?? "", partition), start == 0 ? .earliest : .at(start)))
        }
        partitions[topic] = max(partitions[topic] ?? 0, Int32((ends.keys.max().map { Int($0) } ?? -1) + 1))
        try consumer.incrementalAssign(starts)
    }

    /// The last record that the cache has is read once more: if it is another one, so is the topic.
    private func start(of topic: ViewedTopic, _ partition: Partition, _ end: Offset) -> Offset {
        if topic == .reloads { return Offset(max(0, end.rawValue - Int64(context.settings.reloadsMaximum))) }
        guard let position = kept?.positions[topic]?[partition] else { return Offset(0) }
        return position.last?.offset ?? position.next
    }

    // MARK: - Reading

    /// One round: what the watch found, a poll, heartbeats, the cache.
    package func step(timeout: Duration) throws(LogError) {
        for finding in watch.takeFindings() { try act(on: finding) }
        thrift.heed()
        let batch = consumer.poll(maximum: 1000, timeout: timeout)
        var changed: [ViewedTopic] = []
        for record in batch.records {
            guard let topic = topic(record.topic) else { continue }
            if isOld(record, topic) {
                if !changed.contains(topic) { changed.append(topic) }
            } else {
                take(record, topic)
            }
        }
        for end in batch.ends {
            guard let topic = topic(end.topic), !changed.contains(topic) else { continue }
            context.views.reachedEnd(of: topic, end.partition, at: end.offset, now: context.clock.wall)
        }
        for failure in batch.failures {
            if failure.code == .fatal { throw failure }
            notice(context.health.notice(of: failure, reading: ViewedTopic.allCases.compactMap { names[$0] }))
        }
        for topic in changed { try readAnew(topic) }
        if let targets, hasReached(targets) { becomeReady() }
        context.streams.sendHeartbeats(context.views, now: context.clock.now)
        forgetOldPositions()
        cache?.flushIfDue(context.views, now: requests.clock.now, notice)
    }

    /// Devices' positions are never deleted from their topic; what is older than `positions.expiry` counts no more.
    private func forgetOldPositions() {
        let now = requests.clock.now
        guard forgotAt.map({ now - $0 >= .seconds(3600) }) ?? true else { return }
        forgotAt = now
        context.views.forgetDevices(before: context.clock.wall - context.settings.positions.expiry)
    }

    private func topic(_ index: Int32) -> ViewedTopic? {
        while topics.count <= Int(index) {
            let name = consumer.topics[topics.count]
            topics.append(ViewedTopic.allCases.first { names[$0] == name })
        }
        return topics[Int(index)]
    }

    /// True if the record lies before the position: then the topic is another one of the same name.
    private func isOld(_ record: RecordView, _ topic: ViewedTopic) -> Bool {
        if let last = kept?.positions[topic]?[record.partition]?.last, record.offset <= last.offset {
            return record.offset < last.offset || Fingerprint(record) != last
        }
        let next = context.views.positions[topic]
        return Int(record.partition) < next.count && record.offset < next[Int(record.partition)]
    }

    private func take(_ record: RecordView, _ topic: ViewedTopic) {
        // The cache has this one: it was read to see that the topic is the same.
        if let last = kept?.positions[topic]?[record.partition]?.last {
            kept?.positions[topic]?[record.partition]?.last = nil
            if record.offset == last.offset { return }
        }
        if targets != nil, record.timestamp < context.clock.wall - .hours(24) {
            // The broker forgets deletions after `delete.retention.ms`, a day.
            context.views.forgetDeletions(of: topic, before: ViewPlace(record.partition, record.offset.next))
        }
        do throws(MessageProblem) {
            let change = try context.streams.publish(record, of: topic, to: context.views, now: context.clock.wall)
            if let change { context.waiters.didChange(change) }
            cache?.note(record, topic, isReadable: true)
        } catch {
            notice(.unreadable(TopicPartition(names[topic] ?? "", record.partition), record.offset, error))
            cache?.note(record, topic, isReadable: false)
        }
    }

    private func hasReached(_ targets: [ViewedTopic: [Partition: Offset]]) -> Bool {
        let positions = context.views.positions
        return targets.allSatisfy { topic, ends in
            let next = positions[topic]
            return ends.allSatisfy { Int($0.key) < next.count && next[Int($0.key)] >= $0.value }
        }
    }

    private func becomeReady() {
        targets = nil
        context.views.markReady()
        forgotAt = nil
        let elapsed = ElapsedTime(requests.clock.now - began).milliseconds
        notice(.ready(records: context.views.counts.records, milliseconds: elapsed))
    }

    // MARK: - What the watch found

    private func act(on finding: ViewWatch.Finding) throws(LogError) {
        switch finding {
        case .partitions(let topic, let total):
            let known = partitions[topic] ?? 0
            guard total > known else { return }
            // Nobody announces new partitions (R9). Whatever they hold is new.
            let added = (Partition(known)..<Partition(total)).map { ($0, Offset(0)) }
            try assign(topic, ends: Dictionary(uniqueKeysWithValues: added))
            notice(.newPartitions(topic: names[topic] ?? "", total: total))
        case .endBeforePosition(let topic, let partition, let end):
            // The watch may have looked just before the reader moved on; that the position is behind the end is certain
            // only of an end that was asked for after it.
            let next = context.views.positions[topic]
            if Int(partition) < next.count, next[Int(partition)] > end { try readAnew(topic) }
        case .notice(let notice): self.notice(notice)
        }
    }

    private func readAnew(_ topic: ViewedTopic) throws(LogError) {
        let name = names[topic] ?? ""
        let all = 0..<Partition(partitions[topic] ?? 0)
        try consumer.incrementalUnassign(all.map { TopicPartition(name, $0) })
        context.views.forget(topic, context.settings)
        kept?.positions[topic] = nil
        targets?[topic] = nil
        cache?.forget(topic)
        notice(.recreated(topic: name))
        try assign(topic, ends: Dictionary(uniqueKeysWithValues: all.map { ($0, Offset(0)) }))
        if let type = StreamFilter.EventType.allCases.first(where: { $0.topic == topic }) {
            context.streams.sendGap(type, context.views)
        }
    }
}
