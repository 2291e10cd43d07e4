package import RecordLog

/// Finds out when a group has read all there was: its stable committed offsets, on all partitions whoever owns them,
/// have reached every input end seen at the start and every exchange end, twice in a row with unchanged exchange ends.
///
/// Blocking; owned by one thread.
package final class CaughtUpWatch {
    private let admin: any Admin
    /// A read_committed handle of the group, which is no member of it: asks for stable offsets only.
    private let group: any Consumer
    private let exchange: [TopicPartition]
    private let timeout: Duration
    /// The ends of the inputs at the start.
    package let targets: [TopicPartition: Offset]
    private var lastExchangeEnds: [TopicPartition: Offset]?

    /// Asks for the ends of the inputs: the read_uncommitted ones, for what is in doubt now may be committed.
    package init(
        admin: any Admin, group: any Consumer, inputs: [TopicPartition], exchange: [TopicPartition], timeout: Duration
    ) throws(LogError) {
        self.admin = admin
        self.group = group
        self.exchange = exchange
        self.timeout = timeout
        targets = try admin.endOffsets(of: inputs, isolation: .readUncommitted, timeout: timeout)
    }

    package func close() {
        group.close()
        admin.close()
    }

    /// Call it again and again: not faster than commits come, unless all tasks are those of this process.
    package func isCaughtUp() throws(LogError) -> Bool {
        let exchangeEnds = try admin.endOffsets(of: exchange, isolation: .readUncommitted, timeout: timeout)
        let partitions = (Array(targets.keys) + exchange).sorted()
        let hasReached = try committed(partitions).map { committed in
            partitions.allSatisfy { partition in
                guard let target = targets[partition] ?? exchangeEnds[partition] else { return true }
                return (committed[partition]?.next ?? Offset(-1)) >= target
            }
        }
        defer { lastExchangeEnds = hasReached == true ? exchangeEnds : nil }
        return hasReached == true && lastExchangeEnds == exchangeEnds
    }

    /// The committed offsets; `nil` if there is no stable answer yet, since a transaction that holds some of them is
    /// open, or the coordinator is starting or moving.
    private func committed(
        _ partitions: [TopicPartition]
    ) throws(LogError) -> [TopicPartition: CommittedOffset]? {
        do throws(LogError) {
            return try group.committed(partitions, timeout: .milliseconds(300))
        } catch {
            if error.isRetriable || error.code == .unstableOffsets || error.code == .timedOut { return nil }
            throw error
        }
    }
}
