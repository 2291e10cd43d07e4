import RecordLog

/// A consumer that notes its calls for `ObservedCluster`.
final class ObservedConsumer: Consumer {
    /// Nil once the process is dead: the handle is destroyed, without a word to the broker.
    private var base: (any Consumer)?
    /// While a poll goes on its handle is there, also if the process dies in a callback of it.
    private weak var handle: (any Consumer)?
    private let clientId: String
    private let cluster: ObservedCluster

    init(_ base: any Consumer, _ clientId: String, _ cluster: ObservedCluster) {
        self.base = base
        handle = base
        self.clientId = clientId
        self.cluster = cluster
    }

    private func note(_ name: String, _ partitions: [TopicPartition], hasFailed: Bool = false) {
        cluster.note(.init(client: clientId, name: name, partitions: partitions, hasFailed: hasFailed))
    }

    private func living() throws(LogError) -> any Consumer {
        if cluster.isDead { base = nil }
        guard let base else { throw ObservedCluster.death }
        return base
    }

    var topics: [String] { base?.topics ?? [] }

    func subscribe(to topic: String, listener: any RebalanceListener) throws(LogError) {
        try living().subscribe(to: topic, listener: listener)
    }

    func incrementalAssign(_ partitions: [(TopicPartition, StartOffset)]) throws(LogError) {
        cluster.note(
            .init(
                client: clientId, name: "incrementalAssign", partitions: partitions.map(\.0),
                starts: partitions.map(\.1)))
        if cluster.isDead { try handle?.incrementalAssign(partitions) }
        try living().incrementalAssign(partitions)
    }

    func incrementalUnassign(_ partitions: [TopicPartition]) throws(LogError) {
        note("incrementalUnassign", partitions)
        if cluster.isDead { try handle?.incrementalUnassign(partitions) }
        try living().incrementalUnassign(partitions)
    }

    func seek(_ positions: [(TopicPartition, Offset)], timeout: Duration) throws(LogError) -> [TopicPartition] {
        note("seek", positions.map(\.0))
        return try living().seek(positions, timeout: timeout)
    }

    func poll(maximum: Int, timeout: Duration) -> ConsumedBatch {
        // Else its heartbeats would go on.
        if cluster.isDead { base = nil }
        guard !cluster.withholdsAssignment, cluster.lives(through: "poll"), let base = try? living() else {
            return ConsumedBatch(records: [], headers: { _ in [] }, release: {})
        }
        var batch = base.poll(maximum: maximum, timeout: timeout)
        if let silent = cluster.silentPartition, let topic = base.topics.firstIndex(of: silent.topic) {
            batch.records.removeAll { Int($0.topic) == topic && $0.partition == silent.partition }
            batch.ends.removeAll { Int($0.topic) == topic && $0.partition == silent.partition }
        }
        return batch
    }

    func committed(
        _ partitions: [TopicPartition], timeout: Duration
    ) throws(LogError) -> [TopicPartition: CommittedOffset] {
        do throws(LogError) {
            let committed = try living().committed(partitions, timeout: timeout)
            note("committed", partitions)
            return committed
        } catch {
            note("committed", partitions, hasFailed: true)
            throw error
        }
    }

    func watermarks(of partition: TopicPartition, timeout: Duration) throws(LogError) -> Watermarks {
        note("watermarks", [partition])
        return try living().watermarks(of: partition, timeout: timeout)
    }

    func knownEnd(of partition: TopicPartition) -> Offset? { base?.knownEnd(of: partition) }

    func groupMetadata() -> (any GroupMetadata)? { cluster.withholdsMetadata ? nil : base?.groupMetadata() }

    func close() { close(waiting: .zero) }

    func close(waiting patience: Duration) {
        note("close", [])
        cluster.noteClose(waiting: patience)
        base?.close()
        base = nil
    }
}
