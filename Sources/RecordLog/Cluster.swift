/// A cluster of brokers, real or simulated: makes the ports.
package protocol Cluster: Sendable {
    /// - Parameter group: the consumer group; a handle without one only reads partitions assigned by hand.
    func makeConsumer(group: String?, isolation: IsolationLevel, clientId: String) throws(LogError) -> any Consumer

    func makeTransactionalProducer(transactionalId: String, clientId: String) throws(LogError)
        -> any TransactionalProducer

    func makePlainProducer(clientId: String) throws(LogError) -> any PlainProducer

    func makeAdmin() throws(LogError) -> any Admin
}
