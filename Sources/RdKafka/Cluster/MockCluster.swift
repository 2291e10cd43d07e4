import CRdKafka
import Foundation
package import RecordLog

/// librdkafka's own broker, inside this process, on a port of the loopback interface that it chooses.
///
/// For demonstrations and for trying what clients do. It keeps the newest 5 MB of a partition in memory and has no
/// transaction semantics: a transaction passes all its steps, but aborted records are read, and offsets sent with one
/// are not kept. Never evidence of exactly-once.
package final class MockCluster: Cluster {
    /// The address under which others in this process, and outside, may connect.
    package let bootstrap: String
    private let cluster: RdKafkaCluster
    private let server: Server

    /// - Parameter settings: what its clients are made with; the address is replaced by that of the mock cluster.
    package init(brokers: Int = 1, settings: RdKafkaSettings) throws(LogError) {
        server = try Server(brokers: brokers, log: settings.log)
        bootstrap = server.bootstrap
        var settings = settings
        settings.bootstrapServers = server.bootstrap
        cluster = RdKafkaCluster(settings)
    }

    package func makeConsumer(
        group: String?, isolation: IsolationLevel, clientId: String
    ) throws(LogError) -> any Consumer {
        try cluster.makeConsumer(group: group, isolation: isolation, clientId: clientId)
    }

    package func makeMember(of group: String, instance: String?, clientId: String) throws(LogError) -> any Consumer {
        try cluster.makeMember(of: group, instance: instance, clientId: clientId)
    }

    package func makeTransactionalProducer(
        transactionalId: String, clientId: String
    ) throws(LogError) -> any TransactionalProducer {
        try cluster.makeTransactionalProducer(transactionalId: transactionalId, clientId: clientId)
    }

    package func makePlainProducer(clientId: String) throws(LogError) -> any PlainProducer {
        try cluster.makePlainProducer(clientId: clientId)
    }

    package func makeAdmin() throws(LogError) -> any Admin {
        MockAdmin(try RdKafkaAdmin(cluster.settings), of: server, in: cluster)
    }

    /// From now on each answer of each broker takes so long. Any thread.
    package func answer(after delay: Duration) { server.answer(after: delay) }

    /// The next records are refused, as a request of its own each, for want of replicas; a producer tries again. Any
    /// thread.
    package func refuseNextProduces(_ count: Int) { server.refuseNextProduces(count) }
}

extension MockCluster {
    /// Owns the mock cluster and the instance whose threads it runs on.
    ///
    /// `Sendable` although its pointers are not: they never change, and the functions called on them afterwards either
    /// hand their work to the cluster's own thread and wait, or hold its lock
    /// (`rd_kafka_mock_push_request_errors_array`).
    final class Server: Sendable {
        private nonisolated(unsafe) let client: OpaquePointer
        private nonisolated(unsafe) let cluster: OpaquePointer
        private let brokers: Int

        init(brokers: Int, log: RdKafkaSettings.Log?) throws(LogError) {
            guard let configuration = rd_kafka_conf_new() else { preconditionFailure("librdkafka is out of memory") }
            // Its clients log for themselves; this instance connects nowhere.
            rd_kafka_conf_set_log_cb(configuration, nil)
            let (client, text) = withErrorText { rd_kafka_new(RD_KAFKA_PRODUCER, configuration, $0, $1) }
            guard let client else {
                rd_kafka_conf_destroy(configuration)
                throw LogError(RD_KAFKA_RESP_ERR__INVALID_ARG, text)
            }
            guard let cluster = Self.withoutSignals({ rd_kafka_mock_cluster_new(client, Int32(brokers)) }) else {
                rd_kafka_destroy(client)
                throw LogError(.other, name: "MOCK_CLUSTER", "the mock cluster could not be started")
            }
            self.client = client
            self.cluster = cluster
            self.brokers = brokers
        }

        deinit {
            // The cluster runs on the client's threads: it goes first.
            rd_kafka_mock_cluster_destroy(cluster)
            rd_kafka_destroy(client)
        }

        /// Runs `body` with all signals blocked on this thread; threads that it starts inherit this.
        ///
        /// The thread of the mock cluster ends when a signal interrupts its `poll`, and closes its port; all other
        /// threads of librdkafka block signals themselves. A signal to the process goes to a thread that takes it.
        private static func withoutSignals<Result>(_ body: () -> Result) -> Result {
            var blocked = sigset_t()
            var before = sigset_t()
            sigfillset(&blocked)
            pthread_sigmask(SIG_SETMASK, &blocked, &before)
            defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
            return body()
        }

        var bootstrap: String { String(cString: rd_kafka_mock_cluster_bootstraps(cluster)) }

        func answer(after delay: Duration) {
            for broker in 1...Int32(brokers) { rd_kafka_mock_broker_set_rtt(cluster, broker, delay.milliseconds) }
        }

        func refuseNextProduces(_ count: Int) {
            let errors = Array(repeating: RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, count: count)
            // 0 is the number of Produce in Kafka's protocol.
            rd_kafka_mock_push_request_errors_array(cluster, 0, count, errors)
        }

        func create(_ topic: NewTopic) throws(LogError) {
            let replication = min(topic.replication ?? 1, Int32(brokers))
            let code = rd_kafka_mock_topic_create(cluster, topic.name, topic.partitions, replication)
            guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw LogError(code, about: "topic \(topic.name)") }
        }
    }
}
