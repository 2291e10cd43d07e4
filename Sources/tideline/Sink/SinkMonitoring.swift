import Diagnosis
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
        typealias Outcomes = [(name: String, count: Int)]

        var records: Int
        /// True once the topic is read.
        var hasBegun = true
        /// Still to be read; `nil` if that is not known.
        var lag: Int64?
        /// Read, and not settled.
        var unsettled = 0
        var startedOver = 0
        /// What is kept, by partition.
        var positions: [Partition: SinkPosition] = [:]
        /// What became of records, in a fixed order.
        var outcomes: Outcomes = []
        /// The number of those that were written or delivered.
        var successes = 0
        /// The number of those that the target answered for good: delivered, refused or from nobody any more.
        var answers = 0
        /// The number of all that wait no more, for whatever reason.
        var settled = 0
        /// The number of those that became dead letters.
        var deadLetters = 0

        /// The records that wait; 0 also where it is not known whether there are more to read.
        var waiting: Int64 { (lag ?? 0) + Int64(unsettled) }
    }

    private struct State {
        var progress: Progress?
        /// When the loop turned last, and when a record was settled or none was waiting, on the monotonic clock.
        var turned: Duration?
        var done: Duration
        /// By the clock of the day; the start before the first.
        var success = Instant.now()
        /// The last trouble with the target, until it answers.
        var trouble: String?
        /// True while something waits that the trouble holds up.
        var isHeld = false
        /// True while the target is asked again and again until it is there, also where no record waits for it.
        var isAway = false
        /// True if it has ended as it was to.
        var hasEnded = false
        var setAside = SetAsideCount()
        /// Why it cannot go on; `nil` while it can.
        var failure: String?

        /// Why the target takes nothing; `nil` while it does, or nobody needs it.
        var reasonAway: String? { !hasEnded && failure == nil && (isAway || isHeld) ? trouble : nil }
    }

    private let state: Mutex<State>
    private let monitoring: Monitoring
    private let brokers: BrokerHealth
    private let healthLag: LiveSetting<Duration>
    private let outcomesBefore: Progress.Outcomes
    /// A round waits for a request of two seconds at most, or for a target with a time-out of its own.
    private static let turnMax = Duration.seconds(60)
    /// How often a sink asks for the ends of its topic.
    static let lagInterval = Duration.seconds(5)

    /// - Parameters:
    ///   - name: the value of the label `sink`.
    ///   - outcomes: what it counts, at the start: a counter that is not there at 0 hides its first rise.
    ///   - isOnly: true if no other sink runs in the process; else who runs them says which health counts.
    init(
        _ monitoring: Monitoring, _ environment: Environment, name: String, outcomes: Progress.Outcomes = [],
        isOnly: Bool = true
    ) {
        self.monitoring = monitoring
        brokers = BrokerHealth(environment.brokers)
        healthLag = environment.healthLag
        outcomesBefore = outcomes
        state = Mutex(State(done: WallClock.uptime()))
        monitoring.registry.collect { [weak self] in self?.collect(into: &$0, name) }
        if isOnly { monitoring.watch(self) }
    }

    // MARK: - The sink's thread

    func turned() { state.withLock { $0.turned = WallClock.uptime() } }

    func note(_ progress: Progress) {
        state.withLock { state in
            let before = state.progress
            state.setAside.note(progress.deadLetters, now: WallClock.uptime())
            if progress.successes > (before?.successes ?? 0) { state.success = .now() }
            // A record that is skipped says nothing of the target: only where none is left is the trouble of no matter.
            // Nor does one that was written before the target went away.
            if !state.isAway, progress.answers > (before?.answers ?? 0) { state.trouble = nil }
            state.isHeld = progress.unsettled > 0
            if progress.settled > (before?.settled ?? 0) || progress.waiting == 0 { state.done = WallClock.uptime() }
            state.progress = progress
        }
    }

    /// Takes a sentence about what holds the sink up.
    func note(trouble: String) { state.withLock { ($0.trouble, $0.isHeld) = (trouble, true) } }

    /// Takes a sentence about a target that is asked again and again until it is there; `nil` once it is.
    func note(away reason: String?) { state.withLock { ($0.trouble, $0.isAway) = (reason, reason != nil) } }

    /// It ended, and nothing is wrong with that: its loop turns no more, while other sinks of the process go on.
    func noteEnd() { state.withLock { $0.hasEnded = true } }

    /// It ended, for nobody asked for that.
    func note(failure: String) { state.withLock { $0.failure = failure } }

    /// The sink is about to end.
    func end() { monitoring.end() }

    // MARK: - Any thread

    func problems(_ check: HealthCheck, now: Duration) -> [HealthProblem] {
        let state = state.withLock { $0 }
        if state.hasEnded { return [] }
        if let failure = state.failure { return check == .ready ? [HealthProblem("sink", failure)] : [] }
        switch check {
        case .live:
            guard let turned = state.turned, now - turned > Self.turnMax else { return [] }
            return [HealthProblem("loop", "the sink has hung for \((now - turned).shortText)")]
        case .startup:
            // Whoever waits for its target alone has begun: to start it anew would bring the target back no sooner.
            return state.isAway ? [] : startProblems(state)
        case .ready:
            return startProblems(state) + brokers.problems(now: now) + holdProblems(state, now)
        }
    }

    func notices(now: Duration) -> [HealthProblem] {
        let setAside = state.withLock { $0.setAside }
        return [setAside.notice("could not be written or sent", now: now)].compactMap { $0 }
    }

    private func startProblems(_ state: State) -> [HealthProblem] {
        state.progress?.hasBegun == true ? [] : [HealthProblem("startup", "starting: nothing was read yet")]
    }

    private func targetProblems(_ state: State) -> [HealthProblem] {
        state.reasonAway.map { [HealthProblem("target", $0)] } ?? []
    }

    private func holdProblems(_ state: State, _ now: Duration) -> [HealthProblem] {
        let problems = targetProblems(state)
        if !problems.isEmpty { return problems }
        let doneMax = healthLag.value
        guard let waiting = state.progress?.waiting, waiting > 0, now - state.done > doneMax else { return [] }
        return [
            HealthProblem(
                "lag",
                "nothing was done for \((now - state.done).shortText) while \(waiting.counted("record"))"
                    + " \(waiting == 1 ? "waits" : "wait"); allowed are \(doneMax.shortText) (health.lag)")
        ]
    }

    private func collect(into snapshot: inout MetricsSnapshot, _ name: String) {
        let state = state.withLock { $0 }
        snapshot.add(Double(state.success.milliseconds) / 1000, to: SinkMetrics.lastSuccess, [name])
        snapshot.add(state.reasonAway == nil ? 0 : 1, to: SinkMetrics.waiting, [name])
        for (outcome, count) in state.progress?.outcomes ?? outcomesBefore {
            snapshot.add(count, to: SinkMetrics.outcomes, [name, outcome])
        }
        guard let progress = state.progress else { return }
        for (partition, position) in progress.positions.sorted(by: { $0.key < $1.key }) {
            snapshot.add(Double(position.next.rawValue), to: SinkMetrics.position, [name, "\(partition)"])
        }
        snapshot.add(progress.records, to: SinkMetrics.records, [name])
        snapshot.add(progress.startedOver, to: SinkMetrics.startedOver, [name])
        if progress.lag != nil && !state.hasEnded { snapshot.add(Int(progress.waiting), to: SinkMetrics.lag, [name]) }
    }
}

extension SinkMonitoring.Progress {
    init(_ progress: SinkProgress<SinkSummary>) {
        let sum = progress.summary
        self.init(progress, outcomes: Self.outcomes(sum))
        successes = sum.written + sum.removed + sum.unchanged
        answers = successes
        settled = successes + sum.superseded + sum.unusable
        deadLetters = sum.unusable
    }

    init(_ progress: SinkProgress<DeliverySummary>) {
        let sum = progress.summary
        self.init(progress, outcomes: Self.outcomes(sum))
        successes = sum.delivered
        answers = sum.delivered + sum.retired + sum.deadLetters
        settled = answers + sum.tooOld + sum.skipped
        deadLetters = sum.deadLetters
    }

    private init(_ progress: SinkProgress<some SinkRunSummary>, outcomes: Outcomes) {
        self.init(
            records: progress.summary.records, hasBegun: progress.hasBegun, lag: progress.lag,
            unsettled: progress.unsettled, startedOver: progress.summary.startedOver, positions: progress.positions,
            outcomes: outcomes)
    }

    static func outcomes(_ sum: SinkSummary) -> Outcomes {
        [
            ("written", sum.written), ("removed", sum.removed), ("unchanged", sum.unchanged),
            ("superseded", sum.superseded), ("unusable", sum.unusable),
        ]
    }

    static func outcomes(_ sum: DeliverySummary) -> Outcomes {
        let kept = [("retired", sum.retired), ("deadLetter", sum.deadLetters), ("tooOld", sum.tooOld)]
        let sent = [("delivered", sum.delivered), ("conflated", sum.conflated), ("retried", sum.retries)]
        return sent + kept + [("skipped", sum.skipped)]
    }
}
