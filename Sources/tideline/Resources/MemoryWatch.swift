import Observability
import RecordLog
import Settings
import Synchronization

/// Looks at the memory that is resident, as the kernel counts it, and says when it is short. Any thread reads; one
/// looks.
final class MemoryWatch: MemoryState {
    /// The memory that the process is to have; `nil` stands for any.
    let limit: Int?
    private let threshold: LiveSetting<Double>
    private let logger: Logger
    private let resident: @Sendable () -> Int?
    private let state = Mutex(State())

    private struct State {
        var pressure = Pressure()
        var trimCount = 0
        var trimmedAt = Duration.zero
    }

    /// How often caches are trimmed while memory is short.
    private static let trimInterval = Duration.seconds(60)

    /// - Parameter resident: gives the memory that is resident now; `nil` where the system does not say it.
    init(
        limit: Int?, threshold: LiveSetting<Double>, _ logger: Logger,
        resident: @escaping @Sendable () -> Int? = { ProcessUsage.residentMemory }
    ) {
        self.limit = limit
        self.threshold = threshold
        self.logger = logger
        self.resident = resident
    }

    var isShort: Bool { state.withLock { $0.pressure.since != nil } }
    var trimCount: Int { state.withLock { $0.trimCount } }

    func release() { Allocator.release() }

    /// Says once what the limit is, and where it comes from.
    func announce(_ settings: Settings) {
        guard let limit else { return }
        let origin = settings[Keys.memoryLimit] == .automatic ? "that of the control group" : "memory.limit"
        logger.info(
            "memory is to stay below \(ByteSize.rounded(limit)), \(origin)", metadata: ["limitBytes": .number(limit)])
    }

    /// To be called about once a second.
    func look(now: Duration) {
        guard let limit, let used = resident() else { return }
        let threshold = threshold.value
        let (change, isTrimDue) = state.withLock { state in
            let change = state.pressure.see(used, of: limit, threshold: threshold, now: now)
            let isDue = state.pressure.since != nil && (change != nil || now - state.trimmedAt >= Self.trimInterval)
            if isDue { (state.trimCount, state.trimmedAt) = (state.trimCount + 1, now) }
            return (change, isDue)
        }
        if let change { tell(change, used, limit, threshold) }
        if isTrimDue { release() }
    }

    private func tell(_ change: Pressure.Change, _ used: Int, _ limit: Int, _ threshold: Double) {
        let amount = "\(ByteSize.rounded(used)) of \(ByteSize.rounded(limit)) are resident"
        var metadata: Logger.Metadata = ["residentBytes": .number(used), "limitBytes": .number(limit)]
        switch change {
        case .began:
            logger.warning(
                """
                memory is short: \(amount) (memory.warningThreshold \(threshold)); less is read at a time, and caches \
                are trimmed. Start another process, or raise memory.limit
                """,
                metadata: metadata)
        case .ended(let time):
            metadata["lastedMs"] = .milliseconds(time)
            logger.notice("memory is no longer short: \(amount)", metadata: metadata)
        }
    }
}
