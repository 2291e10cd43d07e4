import Observability
import RecordLog
import StreamCore
import StreamRuntime

/// Writes the events of stream threads to the log.
struct StreamLog: Sendable {
    private let logger: Logger
    private let pipeline: Logger
    private let brokers: BrokerWatch?
    private let deadLetters: DeadLetterLog
    private let warnings: DeadLetterLog

    /// - Parameters:
    ///   - logger: says what threads do.
    ///   - pipeline: says what they make of records; `nil` stands for the same one.
    ///   - brokers: the watch over brokers; `nil` if the brokers are within this process.
    init(_ logger: Logger, pipeline: Logger? = nil, brokers: BrokerWatch?) {
        self.logger = logger
        let pipeline = pipeline ?? logger
        self.pipeline = pipeline
        self.brokers = brokers
        deadLetters = DeadLetterLog(pipeline, "failed source", event: "source.failed")
        warnings = DeadLetterLog(pipeline, "odd record")
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
        case .assigned, .revoked, .lost, .restoring, .standbyTaken, .changelogShortened, .standbys, .running:
            writeTasks(event)
        case .committed(let records): logger.trace("committed", metadata: ["records": .number(records)])
        case .deadLetter(let partition, let offset, let reason):
            deadLetters.add(partition, offset, reason: reason, now: WallClock.uptime())
        case .moreDeadLetters(let count): deadLetters.add(more: count, now: WallClock.uptime())
        case .warning(let partition, let offset, let reason, let subject):
            warnings.add(partition, offset, reason: reason, subject: subject, now: WallClock.uptime())
        case .moreWarnings(let count): warnings.add(more: count, now: WallClock.uptime())
        case .aborted(let cause): warn("transaction aborted", cause)
        case .sourceFailed, .moreSourcesFailed, .noted, .moreNotes: writeNote(event)
        case .producerReplaced(let cause, let failures): warn("producer replaced", cause, failuresInARow: failures)
        case .claimSettled(let id):
            logger.info("ended the transaction of a process that is gone", metadata: ["transactionalId": .string(id)])
        case .partitionsAdded(let topic, let count):
            logger.notice(
                "reading new partitions", metadata: ["topic": .string(topic), "partitions": .number(count)])
        case .positionOutOfRange(let partition, let position, let kept):
            let what =
                position > kept.high
                ? "the topic ends before what was read of it: it is another topic of its name"
                : "records were removed before they were read"
            logger.error(
                "\(what); going on from the earliest",
                metadata: [
                    "topic": .string(partition.topic), "partition": .number(partition.partition.rawValue),
                    "position": .number(position.rawValue), "keptFrom": .number(kept.low.rawValue),
                    "keptTo": .number(kept.high.rawValue),
                ])
        case .positionOfOther(let partition, let known, let found, let kept):
            let what = "another record stands where the last one was read: it is another topic of its name"
            logger.error(
                "\(what); going on from the earliest",
                metadata: [
                    "topic": .string(partition.topic), "partition": .number(partition.partition.rawValue),
                    "offset": .number(known.offset.rawValue), "readOf": .string(known.timestamp.rfc3339),
                    "foundOf": .string(found.timestamp.rfc3339), "keptFrom": .number(kept.low.rawValue),
                    "keptTo": .number(kept.high.rawValue),
                ])
        case .stateLost(let task, let partitions):
            logger.error(
                "the state of a task has gone; reading its inputs from the earliest (state.lost)",
                metadata: [
                    "task": .number(task.rawValue), "inputs": .array(partitions.map { .string($0.description) }),
                ])
        case .waiting, .offsetsUnstable, .restoreProgress, .stalled, .topicsMissing, .timersNoLongerWait,
            .claimUnreadable:
            writeWait(event)
        case .unowned(let tasks):
            logger.error(
                "nobody had been given these tasks: the group gives all out anew",
                metadata: ["tasks": .numbers(tasks.map(\.rawValue))])
        case .failed(let error, let doing): warn(doing, error)
        }
    }

    /// The tasks that come, go, and begin to run.
    private func writeTasks(_ event: StreamEvent) {
        switch event {
        case .assigned(let tasks): logger.info("tasks assigned", metadata: ["tasks": .numbers(tasks.map(\.rawValue))])
        case .revoked(let tasks): logger.info("tasks revoked", metadata: ["tasks": .numbers(tasks.map(\.rawValue))])
        case .lost(let tasks): logger.warning("tasks lost", metadata: ["tasks": .numbers(tasks.map(\.rawValue))])
        case .restoring(let task, let end):
            logger.info("restoring", metadata: ["task": .number(task.rawValue), "end": .number(end.rawValue)])
        case .standbyTaken(let task, let next):
            logger.info(
                "begins with its standby copy",
                metadata: ["task": .number(task.rawValue), "next": .number(next.rawValue)])
        case .changelogShortened(let task):
            logger.warning(
                "the changelog ends before the end that it had: it was made anew, and the task is taken over again",
                metadata: ["task": .number(task.rawValue)])
        case .standbys(let tasks):
            logger.info("standby copies kept", metadata: ["tasks": .numbers(tasks.map(\.rawValue))])
        case .running(let task, let records):
            logger.info("running", metadata: ["task": .number(task.rawValue), "restoredRecords": .number(records)])
        default: preconditionFailure("\(event) is not of the tasks that come and go")
        }
    }

    /// What processors made, or could not make.
    private func writeNote(_ event: StreamEvent) {
        switch event {
        case .sourceFailed(let failure): deadLetters.add(failure, now: WallClock.uptime())
        case .moreSourcesFailed(let count): deadLetters.add(more: count, now: WallClock.uptime())
        case .noted(let note): pipeline.debug("\(note.name)", metadata: note.metadata)
        case .moreNotes(let count): pipeline.debug("more of the same transaction", metadata: ["count": .number(count)])
        default: break
        }
    }

    /// What a task or the whole thread waits for.
    private func writeWait(_ event: StreamEvent) {
        switch event {
        case .waiting(let task, let duration):
            logger.critical(
                "a task waits for a transaction that nobody ends",
                metadata: ["task": .number(task.rawValue), "waitedMs": .milliseconds(duration)])
        case .offsetsUnstable(let task):
            logger.error(
                "a task goes on although an offset of it stays pending: a transaction has ended without it",
                metadata: ["task": .number(task.rawValue)])
        case .restoreProgress(let task, let next, let end, let rate):
            logger.info(
                "still restoring",
                metadata: [
                    "task": .number(task.rawValue), "next": .number(next.rawValue), "end": .number(end.rawValue),
                    "recordsPerSecond": .number(rate),
                ])
        case .stalled(let partition, let next, let end, let duration, let remedy):
            logger.critical(
                "a partition has records to read and gives none; remedy: \(remedy.rawValue)",
                metadata: [
                    "topic": .string(partition.topic), "partition": .number(partition.partition.rawValue),
                    "next": .number(next.rawValue), "end": .number(end.rawValue),
                    "stoodMs": .milliseconds(duration),
                ])
        case .topicsMissing(let topics, let cause):
            logger.critical(
                """
                waiting for \(topics.joined(separator: ", ")), which can be written to no more: make it again with its \
                former settings. Outputs lose nothing meanwhile; where the changelog or the exchange has gone, the \
                tasks are taken over anew, and what is lost is said then (state.lost)
                """, metadata: ["error": .string(cause.name)])
        case .timersNoLongerWait(let task, let unread):
            let partitions = unread.map { "\($0)" }.joined(separator: ", ")
            logger.warning(
                "timers fire although not all is read that they should know: \(partitions) (restore.patience is over)",
                metadata: ["task": .number(task.rawValue)])
        case .claimUnreadable(let partition, let text):
            logger.warning(
                "the note beside a committed offset is none of this program's, and counts as none: \(text)",
                metadata: ["topic": .string(partition.topic), "partition": .number(partition.partition.rawValue)])
        default: break
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
