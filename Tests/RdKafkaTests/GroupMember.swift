import RecordLog

/// A consumer in a group that takes what it is given, from the start, and remembers what it was told.
final class GroupMember: RebalanceListener {
    enum Told: Equatable {
        case assigned(Int)
        case revoked(Int)
        case lost(Int)
    }

    let consumer: any Consumer
    private(set) var told: [Told] = []
    private(set) var owned: Set<TopicPartition> = []
    private(set) var failures: [LogError] = []
    /// Batches of a poll in which one of the methods below ran.
    private(set) var rebalancedPolls = 0
    /// Polls in which one of them ran without the batch saying so.
    private(set) var silentRebalances = 0

    init(_ consumer: any Consumer, subscribedTo topic: String) throws {
        self.consumer = consumer
        try consumer.subscribe(to: topic, listener: self)
    }

    func poll(_ timeout: Duration = .milliseconds(50)) {
        let before = told.count
        let batch = consumer.poll(maximum: 1000, timeout: timeout)
        if batch.rebalanced { rebalancedPolls += 1 }
        if told.count > before, !batch.rebalanced { silentRebalances += 1 }
        failures += batch.failures
    }

    func waitForAssignment() -> Bool {
        wait {
            poll()
            return !owned.isEmpty
        }
    }

    func assigned(_ partitions: [TopicPartition]) {
        told.append(.assigned(partitions.count))
        owned.formUnion(partitions)
        change { () throws(LogError) in try consumer.incrementalAssign(partitions.map { ($0, .earliest) }) }
    }

    func revoked(_ partitions: [TopicPartition]) {
        told.append(.revoked(partitions.count))
        giveUp(partitions)
    }

    func lost(_ partitions: [TopicPartition]) {
        told.append(.lost(partitions.count))
        giveUp(partitions)
    }

    private func giveUp(_ partitions: [TopicPartition]) {
        owned.subtract(partitions)
        change { () throws(LogError) in try consumer.incrementalUnassign(partitions) }
    }

    private func change(_ assignment: () throws(LogError) -> Void) {
        do {
            try assignment()
        } catch {
            failures.append(error)
        }
    }
}
