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

    /// Makes a read_committed consumer that is to join a group, as the instance of a name or as anybody.
    ///
    /// - Parameter instance: the name by which the group knows the member again when its process has been ended and
    ///   started anew (KIP-345, static membership); `nil` stands for a member of this process alone. A static member
    ///   that closes does not leave: its partitions wait for it until its session times out. When a second one of the
    ///   same name joins, the first one's polls report a `fatal` failure.
    func makeMember(of group: String, instance: String?, clientId: String) throws(LogError) -> any Consumer

    func makeTransactionalProducer(transactionalId: String, clientId: String) throws(LogError)
        -> any TransactionalProducer

    func makePlainProducer(clientId: String) throws(LogError) -> any PlainProducer

    func makeAdmin() throws(LogError) -> any Admin
}

extension Cluster {
    /// The member of a cluster that knows no instances: its partitions are free once its session has timed out.
    package func makeMember(of group: String, instance: String?, clientId: String) throws(LogError) -> any Consumer {
        try makeConsumer(group: group, isolation: .readCommitted, clientId: clientId)
    }
}
