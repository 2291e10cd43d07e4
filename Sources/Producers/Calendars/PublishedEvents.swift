import Agendas
import Messages
package import RecordLog

/// What a topic of calendar events holds of some calendars: the last record of each key.
package struct PublishedEvents {
    /// A record that is no tombstone.
    struct Event {
        var key: EventKey
        var value: [UInt8]
    }

    private struct Latest {
        var event: Event?
        var partition: Int32
        var timestamp: Int64
    }

    private let calendars: Set<[UInt8]>
    private var latest: [[UInt8]: Latest] = [:]

    init(calendars: Set<[UInt8]>) {
        self.calendars = calendars
    }

    /// The value of a key, byte by byte as it lies there.
    subscript(key: [UInt8]) -> Event? { latest[key]?.event }

    /// Everything, by the bytes of the keys.
    var events: [(key: [UInt8], event: Event)] {
        latest.compactMap { key, latest in latest.event.map { (key, $0) } }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    /// Takes a record; within a partition the later one counts, between partitions the younger. Records of other
    /// calendars and with keys that name no event are passed over.
    mutating func take(_ view: RecordView) {
        guard let bytes = view.key, let key = try? EventKey.decode(bytes),
            calendars.contains(Array(key.calendarId.utf8))
        else { return }
        let name = Array(bytes)
        if let known = latest[name], known.partition != view.partition, known.timestamp > view.timestamp { return }
        latest[name] = Latest(
            event: view.value.map { Event(key: key, value: Array($0)) }, partition: view.partition,
            timestamp: view.timestamp)
    }
}

extension PublishedEvents {
    /// Reads a topic from its beginning up to the end that it has now, committed records only. Blocks.
    ///
    /// - Parameters:
    ///   - calendars: the ids, as UTF-8, of the calendars to keep.
    ///   - shouldStop: asked after every batch.
    ///   - progress: told after every batch how many records were read, and of how many.
    /// - Returns: nil where it was stopped first.
    /// - Throws: where the topic is missing, a request fails, or nothing comes for `patience`.
    package static func read(
        topic: String, calendars: Set<[UInt8]>, of cluster: any Cluster, clock: any PacingClock,
        patience: Duration = .seconds(60), shouldStop: () -> Bool = { false },
        progress: (_ records: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(LogError) -> PublishedEvents? {
        let consumer = try cluster.makeConsumer(
            group: nil, isolation: .readCommitted, clientId: "tideline-produce")
        defer { consumer.close() }
        var ends = try ends(of: topic, cluster)
        var published = PublishedEvents(calendars: calendars)
        guard !ends.isEmpty else { return published }
        try consumer.incrementalAssign(ends.keys.sorted().map { (TopicPartition(topic, $0), .earliest) })
        let total = ends.values.reduce(0) { $0 + Int($1) }
        var (records, failure, heard) = (0, LogError?.none, clock.now)
        while !ends.isEmpty {
            if shouldStop() { return nil }
            let batch = consumer.poll(maximum: 5_000, timeout: .milliseconds(200))
            for view in batch.records {
                published.take(view)
                if let end = ends[view.partition], view.offset + 1 >= end { ends[view.partition] = nil }
            }
            for place in batch.ends {
                if let end = ends[place.partition], place.offset >= end { ends[place.partition] = nil }
            }
            for problem in batch.failures {
                if problem.code == .fatal || problem.code == .notAuthorised { throw problem }
                failure = problem
            }
            if !batch.records.isEmpty || !batch.ends.isEmpty { heard = clock.now }
            records += batch.records.count
            progress(records, total)
            guard clock.now - heard < patience else {
                throw failure ?? LogError(.timedOut, name: "_TIMED_OUT", "the end of \(topic) does not come")
            }
        }
        return published
    }

    /// The read_uncommitted ends of the partitions that ever held something: a transaction that was just committed lies
    /// before them, whether its marker is written or not.
    private static func ends(of topic: String, _ cluster: any Cluster) throws(LogError) -> [Int32: Int64] {
        let admin = try cluster.makeAdmin()
        defer { admin.close() }
        guard let found = try admin.describeTopics([topic], timeout: .seconds(30))[topic] else {
            throw LogError(.unknownTopicOrPartition, name: "UNKNOWN_TOPIC_OR_PART", "topic \(topic) does not exist")
        }
        let places = (0..<found.partitions).map { TopicPartition(topic, $0) }
        let ends = try admin.endOffsets(of: places, isolation: .readUncommitted, timeout: .seconds(30))
        return ends.reduce(into: [:]) { ends, end in
            if end.value > Offset(0) { ends[end.key.partition] = end.value.rawValue }
        }
    }
}
