import Metrics
import Observability
import RecordLog
import Settings
import Sinks
import Synchronization

/// The metrics and the health of a sink. The sink's thread tells it; any thread asks.
final class SinkMonitoring: HealthSource {
    /// How far a sink is, whatever it writes.
    struct Progress {
        var records: Int
        var lag: Int64?
        var startedOver: Int
        /// What became of records, in a fixed order.
        var outcomes: [(name: String, count: Int)]
        /// The number of those that were written or delivered.
        var successes: Int
    }

    private struct State {
        var progress: Progress?
        /// When the loop turned last, and when a record was done or none was waiting, on the monotonic clock.
        var turned: Duration?
        var done: Duration
        /// By the clock of the day.
        var success: Instant?
        /// The last trouble, until a record is done.
        var trouble: String?
    }

    private let state: Mutex<State>
    private let monitoring: Monitoring
    private let brokers: BrokerHealth
    private let doneMax: Duration
    /// A round waits for a request of two seconds at most, or for a target with a time-out of its own.
    private static let turnMax = Duration.seconds(60)
    /// How often a sink asks for the ends of its topic.
    static let lagInterval = Duration.seconds(5)

    /// - Parameter name: the value of the label `sink`.
    init(_ monitoring: Monitoring, _ environment: Environment, name: String) {
        self.monitoring = monitoring
        brokers = BrokerHealth(environment.brokers)
        doneMax = environment.settings[Keys.healthLag]
        state = Mutex(State(done: WallClock.uptime()))
        monitoring.registry.collect { [weak self] in self?.collect(into: &$0, name) }
        monitoring.watch(self)
    }

    // MARK: - The sink's thread

    func turned() { state.withLock { $0.turned = WallClock.uptime() } }

    func note(_ progress: Progress) {
        state.withLock { state in
            let isFurther = progress.successes > (state.progress?.successes ?? 0)
            if isFurther { state.success = .now() }
            if isFurther { state.trouble = nil }
            if isFurther || progress.lag == 0 { state.done = WallClock.uptime() }
            state.progress = progress
        }
    }

    /// Takes a sentence about what holds the sink up.
    func note(trouble: String) { state.withLock { $0.trouble = trouble } }

    func close() {
        monitoring.end()
        monitoring.close()
    }

    // MARK: - Any thread

    func problems(_ check: HealthCheck, now: Duration) -> [HealthProblem] {
        let state = state.withLock { $0 }
        switch check {
        case .live:
            guard let turned = state.turned, now - turned > Self.turnMax else { return [] }
            return [HealthProblem("loop", "the sink has hung for \((now - turned).shortText)")]
        case .startup: return startProblems(state)
        case .ready:
            return startProblems(state) + brokers.problems(now: now) + holdProblems(state, now)
        }
    }

    private func startProblems(_ state: State) -> [HealthProblem] {
        state.progress == nil ? [HealthProblem("startup", "starting: nothing was read yet")] : []
    }

    private func holdProblems(_ state: State, _ now: Duration) -> [HealthProblem] {
        if let trouble = state.trouble { return [HealthProblem("target", trouble)] }
        guard let lag = state.progress?.lag, lag > 0, now - state.done > doneMax else { return [] }
        return [
            HealthProblem(
                "lag",
                "nothing was done for \((now - state.done).shortText) while \(lag) records wait; allowed are "
                    + "\(doneMax.shortText) (health.lag)")
        ]
    }

    private func collect(into snapshot: inout MetricsSnapshot, _ name: String) {
        let state = state.withLock { $0 }
        guard let progress = state.progress else { return }
        snapshot.add(progress.records, to: SinkMetrics.records, [name])
        snapshot.add(progress.startedOver, to: SinkMetrics.startedOver, [name])
        if let lag = progress.lag { snapshot.add(Int(lag), to: SinkMetrics.lag, [name]) }
        for (outcome, count) in progress.outcomes { snapshot.add(count, to: SinkMetrics.outcomes, [name, outcome]) }
        if let success = state.success {
            snapshot.add(Double(success.milliseconds) / 1000, to: SinkMetrics.lastSuccess, [name])
        }
    }
}

extension SinkMonitoring.Progress {
    init(_ progress: SinkProgress<SinkSummary>) {
        let sum = progress.summary
        self.init(
            sum, progress.lag, successes: sum.written + sum.removed + sum.unchanged,
            outcomes: [
                ("written", sum.written), ("removed", sum.removed), ("unchanged", sum.unchanged),
                ("superseded", sum.superseded), ("unusable", sum.unusable),
            ])
    }

    init(_ progress: SinkProgress<ReloadSinkSummary>) {
        let sum = progress.summary
        let kept = [("retired", sum.retired), ("dead letter", sum.deadLetters), ("too old", sum.tooOld)]
        let sent = [("delivered", sum.delivered), ("conflated", sum.conflated), ("retried", sum.retries)]
        self.init(
            sum, progress.lag, successes: sum.delivered, outcomes: sent + kept + [("skipped", sum.skipped)])
    }

    private init(
        _ summary: some SinkRunSummary, _ lag: Int64?, successes: Int, outcomes: [(name: String, count: Int)]
    ) {
        self.init(
            records: summary.records, lag: lag, startedOver: summary.startedOver, outcomes: outcomes,
            successes: successes)
    }
}
