import RecordLog

/// A producer that notes its calls for `ObservedCluster`.
final class ObservedProducer: TransactionalProducer {
    private let base: any TransactionalProducer
    private let cluster: ObservedCluster

    init(_ base: any TransactionalProducer, _ cluster: ObservedCluster) {
        self.base = base
        self.cluster = cluster
    }

    var transactionalId: String { base.transactionalId }

    private func live(through call: String) throws(TransactionError) {
        guard cluster.lives(through: call) else { throw .fatal(ObservedCluster.death) }
    }

    private func note(_ name: String, _ offsets: [(TopicPartition, CommittedOffset)] = []) {
        let offsets = Dictionary(uniqueKeysWithValues: offsets)
        cluster.note(
            .init(client: transactionalId, name: name, partitions: offsets.keys.sorted(), offsets: offsets))
    }

    func initialise(timeout: Duration) throws(TransactionError) {
        try live(through: "initialise")
        note("initialise")
        try base.initialise(timeout: timeout)
    }

    func begin() throws(TransactionError) {
        try live(through: "begin")
        note("begin")
        try base.begin()
    }

    func produce(
        topic: String, partition: Partition?, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?,
        headers: [Header]
    ) throws(TransactionError) {
        try live(through: "produce")
        cluster.note(
            .init(client: transactionalId, name: "produce", partitions: [TopicPartition(topic, partition ?? -1)]))
        try base.produce(topic: topic, partition: partition, key: key, value: value, headers: headers)
    }

    func sendOffsets(
        _ offsets: [(TopicPartition, CommittedOffset)], group: any GroupMetadata, timeout: Duration
    ) throws(TransactionError) {
        try live(through: "sendOffsets")
        note("sendOffsets", offsets)
        try base.sendOffsets(offsets, group: group, timeout: timeout)
    }

    func commit(timeout: Duration) throws(TransactionError) {
        try live(through: "commit")
        try base.commit(timeout: timeout)
        note("commit")
    }

    func abort(timeout: Duration) throws(TransactionError) {
        try live(through: "abort")
        note("abort")
        try base.abort(timeout: timeout)
    }

    func destroy() {
        if cluster.isDead { return }
        note("destroy")
        base.destroy()
    }
}
