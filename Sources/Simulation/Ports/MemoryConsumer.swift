import RecordLog

/// A reader, with librdkafka's ways: see `MemoryConsumer+Poll.swift` and `MemoryConsumer+Rebalance.swift`.
final class MemoryConsumer: Consumer {
    let process: MemoryProcess
    let group: String?
    let isolation: IsolationLevel
    let clientId: String
    /// The name of a static member (KIP-345).
    let instance: String?
    private(set) var topics: [String] = []
    /// Ascending.
    private(set) var assignedPlaces: [TopicPartition] = []
    var assignments: [TopicPartition: Assignment] = [:]
    /// The partition that the last poll ended with: the next poll begins behind it, so that none starves.
    var lastServed: TopicPartition?
    var subscription: Subscription?
    /// True if the listener has changed the assignment, as it must before it returns.
    var assignmentChanged = false
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

    init(
        process: MemoryProcess, group: String?, isolation: IsolationLevel, clientId: String, instance: String? = nil
    ) {
        self.instance = instance
        self.process = process
        self.group = group
        self.isolation = isolation
        self.clientId = clientId
    }

    var cluster: MemoryCluster { process.cluster }

    var membership: (group: String, member: Int)? {
        guard let group, let subscription else { return nil }
        return (group, subscription.member)
    }

    func incrementalAssign(_ partitions: [(TopicPartition, StartOffset)]) throws(LogError) {
        checkIsOpen()
        assignmentChanged = true
        let started = try process.begin(.log(.assign), client: clientId)
        for (place, start) in partitions {
            precondition(assignments[place] == nil, "\(place) is assigned already")
            assignments[place] = Assignment(topic: index(of: place.topic), position: position(start, in: place))
        }
        assignedPlaces = assignments.keys.sorted()
        try process.end(started)
    }

    func incrementalUnassign(_ partitions: [TopicPartition]) throws(LogError) {
        checkIsOpen()
        assignmentChanged = true
        let started = try process.begin(.log(.unassign), client: clientId)
        for place in partitions {
            precondition(assignments.removeValue(forKey: place) != nil, "\(place) is not assigned")
        }
        assignedPlaces = assignments.keys.sorted()
        try process.end(started)
    }

    func seek(_ positions: [(TopicPartition, Offset)], timeout: Duration) throws(LogError) -> [TopicPartition] {
        checkIsOpen()
        let started = try process.begin(.log(.seek), client: clientId, timeout: timeout)
        // As librdkafka's: no answer in time leaves the partitions as unmoved ones, and is no failure.
        if process.hindrance(of: started) != nil { return positions.map(\.0) }
        if let fault = takeFault(.seek, .beforeEffect) { throw fault }
        let unmoved = positions.filter { !move($0.0, to: $0.1) }.map(\.0)
        if let fault = takeFault(.seek, .afterEffect) { throw fault }
        try process.end(started)
        if process.lostAnswer(of: started) != nil { return positions.map(\.0) }
        return unmoved
    }

    /// - Returns: false if the partition cannot be moved yet.
    private func move(_ place: TopicPartition, to offset: Offset) -> Bool {
        precondition(assignments[place] != nil, "\(place) is not assigned")
        guard assignments[place]!.isFetching else { return false }
        assignments[place]!.position = offset
        assignments[place]!.reportedEnd = nil
        return true
    }

    private func takeFault(_ call: LogCall, _ moment: FaultMoment) -> LogError? {
        cluster.withBroker { $0.logFaults.next(call, moment, client: clientId) }
    }

    func committed(_ partitions: [TopicPartition], timeout: Duration) throws(LogError)
        -> [TopicPartition: CommittedOffset]
    {
        checkIsOpen()
        guard let group else { throw LogError(.wrongState, name: "_UNKNOWN_GROUP", "\(clientId) has no group") }
        var isUnstable = false
        do throws(LogError) {
            let isolation = isolation
            let offsets = try process.attempt(
                .committed, client: clientId, timeout: timeout,
                obstacle: { broker in
                    let obstacle = broker.obstacle(toOffsetsOf: partitions, group: group, isolation: isolation)
                    isUnstable = obstacle?.failure.code == .timedOut
                    return obstacle
                },
                { $0.committed(partitions, group: group) })
            hasTimedOut = false
            return offsets
        } catch {
            guard isUnstable, error.code == .timedOut else { throw error }
            guard hasTimedOut else {
                hasTimedOut = true
                throw error
            }
            // After a time-out librdkafka gives neither offset nor error (R2); the port has a name for that.
            throw LogError(.unstableOffsets, name: "UNSTABLE_OFFSET_COMMIT", error.message, isRetriable: true)
        }
    }

    func watermarks(of partition: TopicPartition, timeout: Duration) throws(LogError) -> Watermarks {
        checkIsOpen()
        let isolation = isolation
        return try process.attempt(.watermarks, client: clientId, timeout: timeout) { (broker) throws(LogError) in
            let log = try broker.log(of: partition)
            return Watermarks(low: log.low, high: log.end(isolation))
        }
    }

    func knownEnd(of partition: TopicPartition) -> Offset? {
        // A fetch tells the high watermark, whatever the handle may read. A topic that was deleted has no end.
        cluster.withBroker { broker in try? broker.log(of: partition).end(.readUncommitted) }
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
