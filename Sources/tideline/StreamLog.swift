import Observability
import Pipeline
import RecordLog
import StreamCore
import StreamRuntime
import Synchronization

/// Writes what stream threads tell to the log.
struct StreamLog: Sendable {
    private let logger: Logger
    private let deadLetters: DeadLetterLog
    private let threshold: Duration

    init(_ logger: Logger, threshold: Duration) {
        self.logger = logger
        deadLetters = DeadLetterLog(logger)
        self.threshold = threshold
    }

    var observer: StreamObserver { { event in write(event) } }

    private func write(_ event: StreamEvent) {
        deadLetters.flush(now: WallClock.uptime())
        switch event {
        case .assigned(let tasks): logger.info("tasks assigned", metadata: ["tasks": "\(tasks)"])
        case .revoked(let tasks): logger.info("tasks revoked", metadata: ["tasks": "\(tasks)"])
        case .lost(let tasks): logger.warning("tasks lost", metadata: ["tasks": "\(tasks)"])
        case .restoring(let task, let end):
            logger.info("restoring", metadata: ["task": "\(task)", "end": "\(end)"])
        case .running(let task, let records):
            logger.info("running", metadata: ["task": "\(task)", "restored": "\(records)"])
        case .committed(let records): logger.trace("committed", metadata: ["records": "\(records)"])
        case .deadLetter(let partition, let offset, let reason):
            deadLetters.add(partition, offset, reason: reason, now: WallClock.uptime())
        case .moreDeadLetters(let count): deadLetters.add(more: count, now: WallClock.uptime())
        case .aborted(let cause): logger.warning("transaction aborted: \(cause)")
        case .producerReplaced(let cause, let failures):
            logger.warning("producer replaced: \(cause)", metadata: ["failuresInARow": "\(failures)"])
        case .claimSettled(let id):
            logger.info("ended the transaction of a process that is gone", metadata: ["transactionalId": "\(id)"])
        case .partitionsAdded(let topic, let count):
            logger.notice("reading new partitions", metadata: ["topic": "\(topic)", "partitions": "\(count)"])
        case .positionOutOfRange(let partition, let position, let kept):
            logger.error(
                "records were removed before they were read; going on from the earliest",
                metadata: [
                    "partition": "\(partition)", "position": "\(position)", "kept": "\(kept.low) to \(kept.high)",
                ])
        case .corruptRecord(let partition, let offset, let reason):
            logger.error(
                "an internal record cannot be read: \(reason)",
                metadata: ["partition": "\(partition)", "offset": "\(offset)"])
        case .waiting(let task, let duration):
            logger.critical(
                "task \(task) has waited \(duration.milliseconds / 1000) s for a transaction that nobody ends")
        case .failed(let error, let doing): logger.warning("\(doing): \(error)")
        }
    }
}

/// Every few seconds one log line: per task its state, lag per topic, age of the last commit, aborts, dead letters.
/// Owned by one thread.
final class StatusReporter {
    private let logger: Logger
    private let topology: Topology
    private var last = WallClock.uptime()
    private static let interval = Duration.seconds(5)

    init(_ logger: Logger, topology: Topology) {
        self.logger = logger
        self.topology = topology
    }

    func report(_ statuses: [StreamStatus], _ admin: any Admin) {
        let now = WallClock.uptime()
        guard now - last >= Self.interval else { return }
        last = now
        let tasks = statuses.flatMap(\.tasks).sorted { $0.partition < $1.partition }
        var counters = TaskCounters()
        for status in statuses { counters.add(status.counters) }
        let lastCommit = statuses.compactMap(\.lastCommit).max()
        logger.info(
            "status",
            metadata: [
                "tasks": .string(tasks.map(text).joined(separator: " ")),
                "lag": .string(lag(of: tasks, admin)),
                "lastCommit": .string(lastCommit.map { "\((now - $0).milliseconds) ms ago" } ?? "none"),
                "aborts": "\(statuses.reduce(0) { $0 + $1.aborts })",
                "records": "\(counters.records)",
                "deadLetters": "\(counters.outputs.last ?? 0)",
                "changes": .string(counters.reloads.line),
            ])
    }

    private func text(_ task: StreamStatus.TaskStatus) -> String {
        switch task.state {
        case .created: "\(task.partition):waiting"
        case .restoring(let records, let end): "\(task.partition):restoring(\(records) of \(end))"
        case .running: "\(task.partition):running"
        }
    }

    private func lag(of tasks: [StreamStatus.TaskStatus], _ admin: any Admin) -> String {
        let positions = tasks.flatMap(\.positions)
        let partitions = positions.map(\.topicPartition)
        guard !partitions.isEmpty,
            let ends = try? admin.endOffsets(of: partitions, isolation: .readUncommitted, timeout: .seconds(2))
        else { return "unknown" }
        var byTopic: [String: Int64] = [:]
        for position in positions {
            let lag = max(0, (ends[position.topicPartition]?.rawValue ?? 0) - position.next.rawValue)
            byTopic[position.topicPartition.topic, default: 0] += lag
        }
        return byTopic.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }
}
