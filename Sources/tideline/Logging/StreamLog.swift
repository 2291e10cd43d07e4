import Observability
import RecordLog
import StreamRuntime

/// Writes the events of stream threads to the log.
struct StreamLog: Sendable {
    private let logger: Logger
    private let brokers: BrokerWatch?
    private let deadLetters: DeadLetterLog
    private let warnings: DeadLetterLog

    /// - Parameter brokers: the watch over brokers; `nil` if the brokers are within this process.
    init(_ logger: Logger, brokers: BrokerWatch?) {
        self.logger = logger
        self.brokers = brokers
        deadLetters = DeadLetterLog(logger)
        warnings = DeadLetterLog(logger, "odd record")
    }

    var observer: StreamObserver { { event in write(event) } }

    /// Logs the number of lines that were withheld, once their second is over. Call it now and then.
    ///
    /// - Parameter isLast: true if nothing more comes.
    func flush(isLast: Bool = false) {
        let now = isLast ? nil : WallClock.uptime()
        deadLetters.flush(now: now)
        warnings.flush(now: now)
    }

    private func write(_ event: StreamEvent) {
        flush()
        switch event {
        case .assigned(let tasks): logger.info("tasks assigned", metadata: ["tasks": .numbers(tasks.map(\.rawValue))])
        case .revoked(let tasks): logger.info("tasks revoked", metadata: ["tasks": .numbers(tasks.map(\.rawValue))])
        case .lost(let tasks): logger.warning("tasks lost", metadata: ["tasks": .numbers(tasks.map(\.rawValue))])
        case .restoring(let task, let end):
            logger.info("restoring", metadata: ["task": .number(task.rawValue), "end": .number(end.rawValue)])
        case .running(let task, let records):
            logger.info("running", metadata: ["task": .number(task.rawValue), "restoredRecords": .number(records)])
        case .committed(let records): logger.trace("committed", metadata: ["records": .number(records)])
        case .deadLetter(let partition, let offset, let reason):
            deadLetters.add(partition, offset, reason: reason, now: WallClock.uptime())
        case .moreDeadLetters(let count): deadLetters.add(more: count, now: WallClock.uptime())
        case .warning(let partition, let offset, let reason, let subject):
            warnings.add(partition, offset, reason: reason, subject: subject, now: WallClock.uptime())
        case .moreWarnings(let count): warnings.add(more: count, now: WallClock.uptime())
        case .aborted(let cause): warn("transaction aborted", cause)
        case .producerReplaced(let cause, let failures): warn("producer replaced", cause, failuresInARow: failures)
        case .claimSettled(let id):
            logger.info("ended the transaction of a process that is gone", metadata: ["transactionalId": .string(id)])
        case .partitionsAdded(let topic, let count):
            logger.notice(
                "reading new partitions", metadata: ["topic": .string(topic), "partitions": .number(count)])
        case .positionOutOfRange(let partition, let position, let kept):
            logger.error(
                "records were removed before they were read; going on from the earliest",
                metadata: [
                    "topic": .string(partition.topic), "partition": .number(partition.partition.rawValue),
                    "position": .number(position.rawValue), "keptFrom": .number(kept.low.rawValue),
                    "keptTo": .number(kept.high.rawValue),
                ])
        case .corruptRecord(let partition, let offset, let reason):
            logger.error("an internal record cannot be read: \(reason)", metadata: .record(partition, offset))
        case .waiting(let task, let duration):
            logger.critical(
                "a task waits for a transaction that nobody ends",
                metadata: ["task": .number(task.rawValue), "waitedMs": .milliseconds(duration)])
        case .failed(let error, let doing): warn(doing, error)
        }
    }

    /// Logs an error, unless the watch over brokers explains it. The second producer in a row that is replaced is
    /// logged in any case: five end the thread.
    private func warn(_ what: String, _ error: LogError, failuresInARow: Int = 0) {
        if failuresInARow < 2, brokers?.absorbs(error) == true { return }
        var metadata: Logger.Metadata = ["error": .string(error.name)]
        if failuresInARow > 0 { metadata["failuresInARow"] = .number(failuresInARow) }
        logger.warning("\(what): \(error.message)", metadata: metadata)
    }
}
