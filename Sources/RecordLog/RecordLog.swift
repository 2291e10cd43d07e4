// RecordLog: the ports through which everything else meets a partitioned log of records, and the values that go through
// them: topic-partitions, offsets, records, headers, errors.
//
// It must not know a broker or a client library: RdKafka implements the ports for real brokers, Simulation in memory.
// It knows no other module but Times.
//
// Begin with `Cluster`, which makes the ports: `Consumer`, `TransactionalProducer`, `PlainProducer`, `Admin`. Records
// come in as a `ConsumedBatch` of `RecordView`s. Every call is synchronous and belongs to the thread that owns the
// port; what blocks may not be called on Swift's cooperative pool.

/// Timestamps of records are `Instant`s.
@_exported public import Times

/// A cluster of brokers, real or simulated, which makes the ports to it. Any thread may ask; each port then belongs to
/// one thread.
package protocol Cluster: Sendable {
    /// Makes a consumer, which joins no group yet.
    ///
    /// - Parameters:
    ///   - group: the consumer group; `nil` makes a handle that only reads partitions assigned by hand.
    ///   - isolation: whether records of open and aborted transactions are delivered.
    ///   - clientId: the name of the handle in the brokers' logs and metrics.
    func makeConsumer(group: String?, isolation: IsolationLevel, clientId: String) throws(LogError) -> any Consumer

    func makeTransactionalProducer(transactionalId: String, clientId: String) throws(LogError)
        -> any TransactionalProducer

    func makePlainProducer(clientId: String) throws(LogError) -> any PlainProducer

    func makeAdmin() throws(LogError) -> any Admin
}
