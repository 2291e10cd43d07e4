import RecordLog

/// A reader, with librdkafka's ways: see `MemoryConsumer+Poll.swift` and `MemoryConsumer+Rebalance.swift`.
final class MemoryConsumer: Consumer {
    let cluster: MemoryCluster
    let group: String?
    let isolation: IsolationLevel
    let clientId: String
    private(set) var topics: [String] = []
    /// Ascending.
    private(set) var assignedPlaces: [TopicPartition] = []
    var assignments: [TopicPartition: Assignment] = [:]
    /// The partition that the last poll ended with: the next poll begins behind it, so that none starves.
    var lastServed: TopicPartition?
    var subscription: Subscription?
    private var hasTimedOut = false
    private(set) var isClosed = false

    struct Assignment {
        var topic: Int32
        var position: Offset
        /// The end that was reported last; each is reported once.
        var reportedEnd: Offset?
        /// False until a poll has seen it: until then it cannot be moved.
        var isFetching = false
        var hasReportedFailure = false
    }

    /// What a consumer is to its group.
    struct Subscription {
        var topic: String
        var listener: any RebalanceListener
        var member: Int
        /// The generation that the listener knows; `nil` before the first.
        var generation: Int?
        var owned: [TopicPartition] = []
    }

    init(cluster: MemoryCluster, group: String?, isolation: IsolationLevel, clientId: String) {
        self.cluster = cluster
        self.group = group
        self.isolation = isolation
        self.clientId = clientId
    }

    var membership: (group: String, member: Int)? {
        guard let group, let subscription else { return nil }
        return (group, subscription.member)
    }

    func incrementalAssign(_ partitions: [(TopicPartition, StartOffset)]) throws(LogError) {
        checkIsOpen()
        for (place, start) in partitions {
            precondition(assignments[place] == nil, "\(place) is assigned already")
            assignments[place] = Assignment(topic: index(of: place.topic), position: position(start, in: place))
        }
        assignedPlaces = assignments.keys.sorted()
    }

    func incrementalUnassign(_ partitions: [TopicPartition]) throws(LogError) {
        checkIsOpen()
        for place in partitions {
            precondition(assignments.removeValue(forKey: place) != nil, "\(place) is not assigned")
        }
        assignedPlaces = assignments.keys.sorted()
    }

    func seek(_ positions: [(TopicPartition, Offset)], timeout: Duration) throws(LogError) -> [TopicPartition] {
        checkIsOpen()
        return try cluster.attempt(.seek, client: clientId) { _ in
            var unmoved: [TopicPartition] = []
            for (place, offset) in positions {
                precondition(assignments[place] != nil, "\(place) is not assigned")
                guard assignments[place]!.isFetching else {
                    unmoved.append(place)
                    continue
                }
                assignments[place]!.position = offset
                assignments[place]!.reportedEnd = nil
            }
            return unmoved
        }
    }

    func committed(_ partitions: [TopicPartition], timeout: Duration) throws(LogError)
        -> [TopicPartition: CommittedOffset]
    {
        checkIsOpen()
        guard let group else { throw LogError(.wrongState, name: "_UNKNOWN_GROUP", "\(clientId) has no group") }
        return try cluster.attempt(.committed, client: clientId) { (broker) throws(LogError) in
            do throws(LogError) {
                let offsets = try broker.committed(partitions, group: group, isolation: isolation)
                hasTimedOut = false
                return offsets
            } catch {
                guard hasTimedOut else {
                    hasTimedOut = true
                    throw error
                }
                // After a time-out librdkafka gives neither offset nor error (R2); the port has a name for that.
                throw LogError(.unstableOffsets, name: "UNSTABLE_OFFSET_COMMIT", error.message, isRetriable: true)
            }
        }
    }

    func watermarks(of partition: TopicPartition, timeout: Duration) throws(LogError) -> Watermarks {
        checkIsOpen()
        return try cluster.attempt(.watermarks, client: clientId) { (broker) throws(LogError) in
            let log = try broker.log(of: partition)
            return Watermarks(low: log.low, high: log.end(isolation))
        }
    }

    func checkIsOpen() {
        precondition(!isClosed, "\(clientId) is closed")
    }

    func markClosed() {
        assignments = [:]
        assignedPlaces = []
        subscription = nil
        isClosed = true
    }

    private func position(_ start: StartOffset, in place: TopicPartition) -> Offset {
        if case .at(let offset) = start { return offset }
        let isolation = isolation
        return cluster.withBroker { broker in
            guard let log = try? broker.log(of: place) else { return 0 }
            return start == .earliest ? log.low : log.end(isolation)
        }
    }

    private func index(of topic: String) -> Int32 {
        if let index = topics.firstIndex(of: topic) { return Int32(index) }
        topics.append(topic)
        return Int32(topics.count - 1)
    }
}
