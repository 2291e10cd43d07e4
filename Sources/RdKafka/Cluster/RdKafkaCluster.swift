package import RecordLog

/// A cluster of Kafka brokers, met through librdkafka.
package struct RdKafkaCluster: Cluster {
    package let settings: RdKafkaSettings

    /// Connects nowhere; the ports do when they are made.
    package init(_ settings: RdKafkaSettings) {
        self.settings = settings
    }

    package func makeConsumer(
        group: String?, isolation: IsolationLevel, clientId: String
    ) throws(LogError) -> any Consumer {
        let role = ClientRole.consumer(group: group, isolation: isolation)
        return RdKafkaConsumer(try settings.makeClient(role, clientId: clientId), group: group)
    }

    package func makeMember(of group: String, instance: String?, clientId: String) throws(LogError) -> any Consumer {
        let role = ClientRole.consumer(group: group, instance: instance, isolation: .readCommitted)
        return RdKafkaConsumer(try settings.makeClient(role, clientId: clientId), group: group, instance: instance)
    }

    package func makeTransactionalProducer(
        transactionalId: String, clientId: String
    ) throws(LogError) -> any TransactionalProducer {
        let role = ClientRole.transactionalProducer(transactionalId: transactionalId)
        return RdKafkaTransactionalProducer(
            try settings.makeClient(role, clientId: clientId), transactionalId: transactionalId)
    }

    package func makePlainProducer(clientId: String) throws(LogError) -> any PlainProducer {
        RdKafkaPlainProducer(try settings.makeClient(.plainProducer, clientId: clientId))
    }

    /// - Parameter deliveryTimeout: after that a record is reported as not written, whether brokers answer or not.
    package func makeReportingProducer(
        clientId: String, deliveryTimeout: Duration
    ) throws(LogError) -> any ReportingProducer {
        RdKafkaReportingProducer(
            try settings.makeClient(.reportingProducer(deliveryTimeout: deliveryTimeout), clientId: clientId))
    }

    package func makeAdmin() throws(LogError) -> any Admin {
        try RdKafkaAdmin(settings)
    }
}

extension RdKafkaSettings {
    func makeClient(_ role: ClientRole, clientId: String) throws(LogError) -> ClientHandle {
        try ClientHandle(
            role, properties: properties(for: role, clientId: clientId),
            callbacks: ClientCallbacks(log: log, statistics: statistics),
            grants: grants ?? Grants(at: bootstrapServers))
    }
}
