package import RecordLog
import Synchronization

/// A cluster in memory: the same calls in the same order give the same results, always.
///
/// The ports that it makes share its state under one lock. Each port belongs to one thread as ever, and so does the
/// order of events: a test that wants the same run twice steps all ports from one thread. No call waits. Listeners are
/// called without the lock, so they may use every port.
package final class MemoryCluster: Cluster {
    private let broker: Mutex<Broker>
    private let clock: ManualClock

    /// - Parameter transactionTimeout: after this the coordinator aborts a transaction and fences its producer.
    package init(clock: ManualClock = ManualClock(), transactionTimeout: Duration = .seconds(10)) {
        self.clock = clock
        broker = Mutex(Broker(now: clock.now, transactionTimeout: ElapsedTime(transactionTimeout)))
    }

    /// One step of the cluster: time that has passed takes effect first.
    func withBroker<Result: Sendable, Failure: Error>(
        _ body: (inout Broker) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let now = clock.now
        return try broker.withLock { (broker) throws(Failure) -> Result in
            broker.advance(to: now)
            return try body(&broker)
        }
    }

    // MARK: - Cluster

    package func makeConsumer(group: String?, isolation: IsolationLevel, clientId: String) throws(LogError)
        -> any Consumer
    {
        MemoryConsumer(cluster: self, group: group, isolation: isolation, clientId: clientId)
    }

    package func makeTransactionalProducer(transactionalId: String, clientId: String) throws(LogError)
        -> any TransactionalProducer
    {
        MemoryTransactionalProducer(cluster: self, transactionalId: transactionalId, clientId: clientId)
    }

    package func makePlainProducer(clientId: String) throws(LogError) -> any PlainProducer {
        MemoryPlainProducer(cluster: self, clientId: clientId)
    }

    package func makeAdmin() throws(LogError) -> any Admin {
        MemoryAdmin(cluster: self)
    }
}
