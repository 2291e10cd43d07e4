import Observability
import Pipeline
import RdKafka
import RecordLog
import Settings
import StreamCore
import StreamRuntime

/// Writes what a reset writes, each portion in one transaction. Only the newest writer of an application can commit.
/// Owned by one thread, which it blocks.
final class ResetWriter {
    private let producer: any TransactionalProducer
    private let environment: Environment
    private static let patience = Duration.seconds(60)

    /// Fences the writer of an earlier reset.
    ///
    /// - Throws: if the application may not write in transactions, or no broker answers.
    init(_ environment: Environment) throws(LogError) {
        self.environment = environment
        let application = environment.settings[Keys.application]
        var settings = Environment.kafka(environment.settings)
        // A million revisions take some seconds.
        settings.properties["transaction.timeout.ms"] = "300000"
        producer = try RdKafkaCluster(settings).makeTransactionalProducer(
            transactionalId: application + "-reset", clientId: application + "-reset")
        do throws(TransactionError) {
            try producer.initialise(timeout: Self.patience)
        } catch {
            producer.destroy()
            throw error.cause
        }
    }

    func close() { producer.destroy() }

    /// Puts a record into the transaction.
    typealias Put = (_ topic: String, _ partition: Partition, _ key: [UInt8], _ value: [UInt8]) throws(TransactionError)
        -> Void

    /// - Parameters:
    ///   - body: puts the records.
    ///   - lastCheck: called when all are put; what it throws gives the transaction up.
    func transaction(
        _ body: (Put) throws(TransactionError) -> Void, lastCheck: () throws(LogError) -> Void
    ) throws(LogError) {
        do throws(TransactionError) {
            try producer.begin()
            do throws(TransactionError) {
                try body(put)
                do throws(LogError) {
                    try lastCheck()
                } catch {
                    throw .abortable(error)
                }
                try persistently { () throws(TransactionError) in try producer.commit(timeout: Self.patience) }
            } catch {
                abort()
                throw error
            }
        } catch {
            throw error.cause
        }
    }

    private func abort() {
        do throws(TransactionError) {
            try producer.abort(timeout: Self.patience)
        } catch {
            environment.logger.warning("cannot abort either: \(error.cause)")
        }
    }

    private func put(
        _ topic: String, _ partition: Partition, _ key: [UInt8], _ value: [UInt8]
    ) throws(TransactionError) {
        // The queue is full: nothing was taken, and there is room once the broker has taken some.
        try persistently { () throws(TransactionError) in
            try key.span.bytes.withUnsafeBytes { (key) throws(TransactionError) in
                try value.span.bytes.withUnsafeBytes { (value) throws(TransactionError) in
                    try producer.produce(topic: topic, partition: partition, key: key, value: value, headers: [])
                }
            }
        }
    }

    /// Repeats a call whose outcome is not known yet (R6), or that found no room.
    private func persistently(_ call: () throws(TransactionError) -> Void) throws(TransactionError) {
        let clock = SleepingClock()
        let end = clock.now + Self.patience
        while true {
            do throws(TransactionError) {
                return try call()
            } catch {
                guard case .retriable = error, !Signals.isStopRequested, clock.now < end else { throw error }
            }
            clock.wait(for: .milliseconds(20))
        }
    }
}
