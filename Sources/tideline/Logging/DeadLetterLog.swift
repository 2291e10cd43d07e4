import Observability
import RecordLog
import StreamCore
import Synchronization

/// Logs a line for each dead letter, or for each record of another sort, ten a second at most: a warning, or an error
/// with stable keys where the sort has an event's name. Further ones are
/// counted, and the count is logged once the second is over. A warning about a subject is never lost: the names of the
/// subjects are logged together in one line. Any thread.
final class DeadLetterLog: Sendable {
    private struct State {
        var windowEnd = Duration.zero
        var written = 0
        var withheld = 0
        /// The subjects of withheld lines.
        var subjects: [String] = []

        /// True if the second is over at `now`; `nil` stands for the end of everything.
        func hasEnded(by now: Duration?) -> Bool {
            guard let now else { return true }
            return now >= windowEnd
        }

        mutating func open(now: Duration, _ window: Duration) {
            if written == 0 { windowEnd = now + window }
        }
    }

    private let logger: Logger
    private let sort: String
    private let event: String?
    private let state = Mutex(State())
    private static let linesMax = 10
    private static let window = Duration.seconds(1)
    /// The most subjects in one line.
    private static let subjectsMax = 50

    /// - Parameters:
    ///   - sort: the name of its records, in the singular.
    ///   - event: the message of its lines, which then are errors and have the reason as `reason`; `nil` makes warnings
    ///     that say the reason.
    init(_ logger: Logger, _ sort: String = "dead letter", event: String? = nil) {
        self.logger = logger
        self.sort = sort
        self.event = event
    }

    /// - Parameter subject: a short name of what the reason is about. It is logged even if the line is withheld.
    func add(_ partition: TopicPartition, _ offset: Offset, reason: String, subject: String? = nil, now: Duration) {
        guard admits(subject: subject, now: now) else { return }
        guard let event else {
            return logger.warning("\(sort): \(reason)", metadata: .record(partition, offset))
        }
        var metadata = Logger.Metadata.record(partition, offset)
        metadata["reason"] = .string(reason)
        metadata["source"] = "record"
        logger.error("\(event)", metadata: metadata)
    }

    /// The same for a failure that has its own fields; its configuration is never lost.
    func add(_ failure: ActivityNote, now: Duration) {
        let configuration = failure.fields.first { $0.name == "configurationId" }?.value
        guard admits(subject: configuration.map { "configuration \($0)" }, now: now) else { return }
        var metadata = failure.metadata
        // Numbers, as in the lines of records.
        for field in failure.fields where ["partition", "offset"].contains(field.name) {
            if let number = Int64(field.value) { metadata[field.name] = .number(number) }
        }
        logger.error("\(failure.name)", metadata: metadata)
    }

    /// - Returns: true if a line is to be written now; else it is counted, or its subject kept.
    private func admits(subject: String?, now: Duration) -> Bool {
        flush(now: now)
        let (isWritten, subjects) = state.withLock { state -> (Bool, [String]) in
            state.open(now: now, Self.window)
            if state.written < Self.linesMax {
                state.written += 1
                return (true, [])
            }
            guard let subject else {
                state.withheld += 1
                return (false, [])
            }
            state.subjects.append(subject)
            guard state.subjects.count == Self.subjectsMax else { return (false, []) }
            defer { state.subjects = [] }
            return (false, state.subjects)
        }
        logSubjects(subjects)
        return isWritten
    }

    func add(more count: Int, now: Duration) {
        flush(now: now)
        state.withLock { state in
            state.open(now: now, Self.window)
            state.written = Self.linesMax
            state.withheld += count
        }
    }

    /// Logs what was withheld, once its second is over.
    ///
    /// - Parameter now: the time on a clock that does not go back; `nil` means that nothing more comes.
    func flush(now: Duration?) {
        let ended = state.withLock { state -> State in
            guard state.written > 0, state.hasEnded(by: now) else { return State() }
            defer { state = State() }
            return state
        }
        logSubjects(ended.subjects)
        if ended.withheld > 0 { write("and more \(sort)s", ["count": .number(ended.withheld)]) }
    }

    private func logSubjects(_ subjects: [String]) {
        if subjects.isEmpty { return }
        write("\(sort)s like those above: \(subjects.joined(separator: ", "))")
    }

    private func write(_ message: Logger.Message, _ metadata: Logger.Metadata? = nil) {
        logger.log(level: event == nil ? .warning : .error, message, metadata: metadata)
    }
}

extension ActivityNote {
    var metadata: Logger.Metadata {
        Dictionary(fields.map { ($0.name, .string($0.value)) }, uniquingKeysWith: { _, last in last })
    }
}
