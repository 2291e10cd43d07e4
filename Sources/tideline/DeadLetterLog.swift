import Observability
import RecordLog
import Synchronization

/// One warning per dead letter, ten a second at most; what is above is counted, and the count is said once the second
/// is over. Any thread.
final class DeadLetterLog: Sendable {
    private struct State {
        var windowEnd = Duration.zero
        var written = 0
        var withheld = 0
    }

    private let logger: Logger
    private let state = Mutex(State())
    private static let linesMax = 10
    private static let window = Duration.seconds(1)

    init(_ logger: Logger) {
        self.logger = logger
    }

    func add(_ partition: TopicPartition, _ offset: Offset, reason: String, now: Duration) {
        flush(now: now)
        let isWritten = state.withLock { state in
            if state.written == 0 { state.windowEnd = now + Self.window }
            guard state.written < Self.linesMax else {
                state.withheld += 1
                return false
            }
            state.written += 1
            return true
        }
        if !isWritten { return }
        logger.warning(
            "dead letter: \(reason)",
            metadata: [
                "topic": "\(partition.topic)", "partition": "\(partition.partition)", "offset": "\(offset)",
            ])
    }

    func add(more count: Int, now: Duration) {
        flush(now: now)
        state.withLock { state in
            if state.written == 0 { state.windowEnd = now + Self.window }
            state.written = Self.linesMax
            state.withheld += count
        }
    }

    /// Says how many were withheld, once their second is over.
    func flush(now: Duration) {
        let withheld = state.withLock { state in
            guard state.written > 0, now >= state.windowEnd else { return 0 }
            defer { state = State() }
            return state.withheld
        }
        if withheld > 0 { logger.warning("and more dead letters", metadata: ["count": "\(withheld)"]) }
    }
}
