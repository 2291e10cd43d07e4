import CRdKafka
import Foundation
import RecordLog
import Synchronization

// A cluster cannot be asked what a client may do (librdkafka 2.0.2 does not know that request), so each operation is
// tried in a form that brokers refuse for another reason once they have found that it is allowed.

extension RdKafkaAdmin {
    func check(_ permission: Permission, timeout: Duration) throws(LogError) {
        do throws(LogError) {
            switch (permission.operation, permission.resource) {
            case (.read, .topic(let topic)):
                // Whoever may not even look at it would wait for its records in vain.
                _ = try client.topics(named: [topic], timeout: timeout)
                try tryReading(topic, timeout)
            case (.write, .topic(let topic)):
                _ = try client.topics(named: [topic], timeout: timeout)
                try tryWriting(topic, timeout)
            case (.describe, .topic(let topic)): _ = try client.topics(named: [topic], timeout: timeout)
            case (.describeConfigs, .topic(let topic)):
                try describeSettings(of: [topic], timeout: timeout) { _, _ in }
            case (.alterConfigs, .topic(let topic)):
                // The settings that it has: nothing would change even where a broker took the request in earnest.
                try requestSettings([], of: topic, validatesOnly: true, timeout: timeout)
            case (.alter, .topic(let topic)): try tryAddingPartitions(to: topic, timeout)
            case (.create, .topic(let topic)):
                try requestTopic(NewTopic(name: topic, partitions: 1), validatesOnly: true, timeout: timeout)
            case (.delete, .topic(let topic)): try tryDeletingRecords(of: topic, timeout)
            case (.read, .group(let group)): try tryCommitting(group, timeout)
            case (.describe, .group(let group)): _ = try members(of: group, timeout: timeout)
            case (.write, .transactionalId(let id)): try tryTransactions(id, isUsed: true, timeout)
            case (.write, .transactionalIds(let prefix)):
                try tryTransactions(prefix + "doctor", isUsed: false, timeout)
            default:
                throw LogError(
                    .unsupported, name: "UNSUPPORTED", "nobody knows how to ask for \(permission.name) by the way")
            }
        } catch {
            guard error.code == .notAuthorised else {
                if error.lasts || error.code == .topicAlreadyExists { return }
                throw error
            }
            throw error.needing(permission, by: client.grants)
        }
    }

    /// Reads at the end of the first partition, where there is nothing yet.
    private func tryReading(_ topic: String, _ timeout: Duration) throws(LogError) {
        let consumer = try RdKafkaCluster(settings).makeConsumer(
            group: nil, isolation: .readUncommitted, clientId: Self.clientId)
        defer { consumer.close() }
        try consumer.incrementalAssign([(TopicPartition(topic, 0), .latest)])
        let deadline = ContinuousClock.now + timeout
        while ContinuousClock.now < deadline {
            let batch = consumer.poll(maximum: 1, timeout: .milliseconds(200))
            if let refusal = batch.failures.first(where: { $0.code == .notAuthorised }) { throw refusal }
            if !batch.ends.isEmpty || !batch.records.isEmpty { return }
        }
        throw LogError(RD_KAFKA_RESP_ERR__TIMED_OUT, about: "reading \(topic)")
    }

    /// Sends a record that the broker refuses because it can never have been acknowledged as often as was asked for.
    private func tryWriting(_ topic: String, _ timeout: Duration) throws(LogError) {
        let producer = RdKafkaReportingProducer(
            try settings.makeClient(.writeProbe(timeout: timeout), clientId: Self.clientId))
        defer { producer.close() }
        let refusal = Refusal()
        let told = DispatchSemaphore(value: 0)
        try producer.produce(topic: topic, partition: 0, key: nil, value: [], headers: []) { result in
            if case .failure(let error) = result { refusal.error.withLock { $0 = error } }
            told.signal()
        }
        // librdkafka reports each record by its own deadline; nothing is waited for without end.
        told.wait()
        guard let error = refusal.error.withLock({ $0 }) else {
            throw LogError(
                .unsupported, name: "UNSUPPORTED",
                "the broker took a record that it should have refused (acks=2): \(topic) has an empty record now, and"
                    + " the permission cannot be told")
        }
        if error.name != "INVALID_REQUIRED_ACKS" { throw error }
    }

    /// Why a record was refused, as another thread reports it.
    private final class Refusal: Sendable {
        let error = Mutex<LogError?>(nil)
    }

    /// Asks for one partition in all, which every topic has already.
    private func tryAddingPartitions(to topic: String, _ timeout: Duration) throws(LogError) {
        do throws(LogError) {
            try requestPartitions(1, of: topic, validatesOnly: true, timeout: timeout)
        } catch {
            if error.name != "INVALID_PARTITIONS" { throw error }
        }
    }

    /// Removes the records before the earliest one, so none.
    private func tryDeletingRecords(of topic: String, _ timeout: Duration) throws(LogError) {
        let place = TopicPartition(topic, 0)
        guard let start = try startOffsets(of: [place], timeout: timeout)[place] else { return }
        do throws(LogError) {
            try deleteRecords(before: [(place, start)], timeout: timeout)
        } catch {
            // A topic that is compacted alone: it was asked first who may.
            if error.name != "POLICY_VIOLATION" { throw error }
        }
    }

    /// Commits an offset of a topic that there is not, which the broker refuses after it has looked at the group.
    private func tryCommitting(_ group: String, _ timeout: Duration) throws(LogError) {
        let client = try settings.makeClient(
            .consumer(group: group, isolation: .readCommitted), clientId: Self.clientId)
        let member = RdKafkaConsumer(client, group: group)
        defer { member.close() }
        let list = PartitionList(capacity: 1)
        list.add(TopicPartition("\(group).doctor-asks-for-no-such-topic", 0), offset: 0)
        let code = askingUntilSettled(within: timeout) { _ in rd_kafka_commit(client.pointer, list.pointer, 0) }
        if ([code] + list.elements.map(\.err)).contains(RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED) {
            throw LogError(RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, about: "group \(group)")
        }
        guard code.isTransient else { return }
        // Who may not even look at the group is not told its coordinator: the reason waits in the queue.
        let failures = member.poll(maximum: 10, timeout: .seconds(1)).failures
        throw failures.first { $0.code == .notAuthorised } ?? LogError(code, about: "group \(group)")
    }

    /// Initialises a producer whose transactions would last longer than any broker lets them, which is refused after
    /// the permission was looked at, and before anything becomes of the id: whoever uses it is not fenced.
    ///
    /// - Parameter isUsed: somebody may use the id. It is tried only where brokers are known to refuse.
    private func tryTransactions(_ transactionalId: String, isUsed: Bool, _ timeout: Duration) throws(LogError) {
        switch transactionLimit(timeout) {
        case .milliseconds(let limit) where limit == Int32.max:
            throw LogError(
                .unsupported, name: "UNSUPPORTED",
                "transaction.max.timeout.ms of a broker is \(Int32.max), so to try it would fence who uses the id")
        case .unknown(let reason) where isUsed:
            throw LogError(
                .unsupported, name: "UNSUPPORTED",
                "to try it may fence who uses the id, unless transaction.max.timeout.ms of brokers can be read"
                    + " (DescribeConfigs on the cluster): \(reason)")
        case .milliseconds, .unknown: break
        }
        var endless = settings
        endless.properties["transaction.timeout.ms"] = String(Int32.max)
        // The refusal is what is asked for, and no failure of the program's.
        endless.log = nil
        let producer = try RdKafkaCluster(endless).makeTransactionalProducer(
            transactionalId: transactionalId, clientId: Self.clientId)
        defer { producer.destroy() }
        do throws(TransactionError) {
            try producer.initialise(timeout: timeout)
        } catch {
            throw error.cause
        }
    }

    private func transactionLimit(_ timeout: Duration) -> TransactionLimit {
        if let known = knownTransactionLimit.withLock({ $0 }) { return known }
        let limit = askForTransactionLimit(timeout)
        // Several may have asked at once, and one of them without an answer.
        return knownTransactionLimit.withLock { known in
            switch known {
            case .milliseconds(let number): return .milliseconds(number)
            case .unknown, nil:
                known = limit
                return limit
            }
        }
    }

    /// Asks all brokers: each of them may coordinate an id.
    private func askForTransactionLimit(_ timeout: Duration) -> TransactionLimit {
        let name = "transaction.max.timeout.ms"
        var largest: Int32 = 0
        do throws(LogError) {
            for broker in try brokers(timeout: timeout) {
                let value = try setting(name, ofBroker: broker.id, timeout: timeout)
                guard let limit = value.flatMap({ Int32($0) }) else {
                    return .unknown("broker \(broker.id) does not name it")
                }
                largest = max(largest, limit)
            }
        } catch {
            return .unknown("\(error)")
        }
        return largest > 0 ? .milliseconds(largest) : .unknown("no broker is named")
    }
}

/// The longest time that any broker lets a transaction last.
enum TransactionLimit: Sendable {
    case milliseconds(Int32)
    case unknown(String)
}
