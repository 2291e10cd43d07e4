import Diagnosis
import Metrics
import Observability
import RecordLog
import Settings
import Sinks
import Synchronization

/// The metrics and the health of a sink. The sink's thread tells it; any thread asks.
final class SinkMonitoring: HealthSource {
    private struct State {
        var progress: Progress?
        /// When the loop turned last, or the sink began, on the monotonic clock. A target that is opened may hang, too.
        var turned: Duration
        /// When a record was settled or none was waiting, on the same clock.
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
        /// What is waited for before reading goes on; `nil` while nothing is.
        var awaited: String?
        /// Why it cannot go on; `nil` while it can.
        var failure: String?
        /// How often it has ended although nobody had asked for that.
        var failures = 0
        /// What the runs before this one have counted.
        var earlier: Progress?
        var lag = SinkLag()

        var hasBegun: Bool { progress?.hasBegun == true }
        /// Why the target takes nothing; `nil` while it does, or nobody needs it.
        var reasonAway: String? {
            if hasEnded || failure != nil { return nil }
            // One host may take all that is for it while another one takes nothing.
            return progress?.reasonAway ?? (isAway || isHeld ? trouble : nil)
        }
        /// The state as `sink --status` names it.
        var word: SinkStatus.State {
            if hasEnded { return .stopped }
            if failure != nil { return .failed }
            return reasonAway != nil || awaited != nil || !hasBegun ? .waiting : .running
        }

        /// How far behind it is; `nil` if that is not known, as of one that has ended or failed.
        var behind: Duration? {
            guard !hasEnded, failure == nil, let progress, let lag = progress.lag else { return nil }
            let held = progress.hostsAway.map(\.age).max() ?? .zero
            return max(lag > 0 ? self.lag.time : .zero, progress.turnWait, held)
        }
    }

    private let state: Mutex<State>
    private let monitoring: Monitoring
    /// What it is called in a sentence: whoever runs several names each before it.
    private let subject: String
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
    ///   - now: the time on the monotonic clock, at which it begins.
    init(
        _ monitoring: Monitoring, _ environment: Environment, name: String, outcomes: Progress.Outcomes = [],
        isOnly: Bool = true, now: Duration = WallClock.uptime()
    ) {
        self.monitoring = monitoring
        subject = isOnly ? "the sink \(name)" : "it"
        brokers = BrokerHealth(environment.brokers)
        healthLag = environment.healthLag
        outcomesBefore = outcomes
        state = Mutex(State(turned: now, done: now))
        monitoring.registry.collect { [weak self] in self?.collect(into: &$0, name) }
        if isOnly { monitoring.watch(self) }
    }

    // MARK: - The sink's thread

    /// - Parameter now: the time on the monotonic clock.
    func turned(now: Duration = WallClock.uptime()) { state.withLock { $0.turned = now } }

    /// - Parameters:
    ///   - now: the time on the monotonic clock.
    ///   - wall: the time of day.
    func note(_ run: Progress, now: Duration = WallClock.uptime(), wall: Instant = .now()) {
        state.withLock { state in
            let before = state.progress
            let progress = run.counting(state.earlier)
            state.setAside.note(progress.deadLetters, now: now)
            state.lag.observe(progress.places, looks: progress.looks, now: now, wall: wall)
            if progress.successes > (before?.successes ?? 0) { state.success = wall }
            // A record that is skipped says nothing of the target: only where none is left is the trouble of no matter.
            // Nor does one that was written before the target went away.
            if !state.isAway, progress.answers > (before?.answers ?? 0) { state.trouble = nil }
            state.isHeld = progress.unsettled > 0
            if progress.settled > (before?.settled ?? 0) || progress.waiting == 0 { state.done = now }
            state.progress = progress
        }
    }

    /// Takes a sentence about what holds the sink up.
    func note(trouble: String) { state.withLock { ($0.trouble, $0.isHeld) = (trouble, true) } }

    /// Takes a sentence about a target that is asked again and again until it is there; `nil` once it is.
    func note(away reason: String?) { state.withLock { ($0.trouble, $0.isAway) = (reason, reason != nil) } }

    /// It ended, and nothing is wrong with that: its loop turns no more, while other sinks of the process go on.
    func noteEnd() { state.withLock { $0.hasEnded = true } }

    /// Takes a sentence about the topic, or the brokers, that a run waits for in order to read on; `nil` once it reads.
    func note(awaiting reason: String?) { state.withLock { $0.awaited = reason } }

    /// It ended although nobody had asked for that.
    func note(failure: String) {
        state.withLock { state in
            state.failure = failure
            state.failures += 1
        }
    }

    /// It begins again after a failure. What it has counted stays, and it counts as unwell until it has begun.
    ///
    /// - Parameter now: the time on the monotonic clock. Its loop has to turn within a minute from here on.
    func noteBegin(now: Duration = WallClock.uptime()) {
        state.withLock { state in
            (state.failure, state.trouble, state.awaited) = (nil, nil, nil)
            (state.isHeld, state.isAway) = (false, false)
            (state.turned, state.done, state.lag) = (now, now, SinkLag())
            guard var progress = state.progress else { return }
            (progress.hasBegun, progress.lag, progress.unsettled, progress.hostsAway) = (false, nil, 0, [])
            (state.progress, state.earlier) = (progress, progress)
        }
    }

    /// The sink is about to end.
    func end() { monitoring.end() }

    // MARK: - Any thread

    func problems(_ check: HealthCheck, now: Duration) -> [HealthProblem] {
        let state = state.withLock { $0 }
        if state.hasEnded { return [] }
        if let failure = state.failure { return check == .ready ? [HealthProblem("sink", failure)] : [] }
        switch check {
        case .live:
            let still = now - state.turned
            guard still > Self.turnMax else { return [] }
            return [HealthProblem("loop", "the sink has hung for \(still.shortText)")]
        case .startup:
            // Whoever waits for its target alone has begun: to start it anew would bring the target back no sooner. Nor
            // does whoever begins again by itself.
            return state.isAway || state.failures > 0 ? [] : startProblems(state)
        case .ready:
            return startProblems(state) + brokers.problems(now: now) + topicProblems(state) + holdProblems(state, now)
        }
    }

    func notices(now: Duration) -> [HealthProblem] {
        let setAside = state.withLock { $0.setAside }
        return [setAside.notice("could not be written or sent", now: now)].compactMap { $0 }
    }

    private func startProblems(_ state: State) -> [HealthProblem] {
        state.hasBegun ? [] : [HealthProblem("startup", "starting: nothing was read yet")]
    }

    private func topicProblems(_ state: State) -> [HealthProblem] {
        state.awaited.map { [HealthProblem("topics", "reading waits for \($0)")] } ?? []
    }

    private func targetProblems(_ state: State) -> [HealthProblem] {
        state.reasonAway.map { [HealthProblem("target", $0)] } ?? []
    }

    private func holdProblems(_ state: State, _ now: Duration) -> [HealthProblem] {
        let problems = targetProblems(state)
        if !problems.isEmpty { return problems }
        let lagMax = healthLag.value
        guard let waiting = state.progress?.waiting, waiting > 0 else { return [] }
        let (idle, allowed) = (now - state.done, "allowed are \(lagMax.shortText) (health.lag)")
        if idle > lagMax {
            let wait = "\(waiting.counted("record")) \(waiting == 1 ? "waits" : "wait")"
            let text = "\(subject) has done nothing for \(idle.shortText) while \(wait); \(allowed)"
            return [HealthProblem("lag", text)]
        }
        // It writes, and more comes than it writes.
        guard let behind = state.behind, behind > lagMax else { return [] }
        let text = "\(subject) is \(behind.shortText) behind, \(waiting.counted("record")); \(allowed)"
        return [HealthProblem("lag", text)]
    }

    private func collect(into snapshot: inout MetricsSnapshot, _ name: String) {
        let state = state.withLock { $0 }
        snapshot.add(Double(state.success.milliseconds) / 1000, to: SinkMetrics.lastSuccess, [name])
        snapshot.add(state.reasonAway == nil ? 0 : 1, to: SinkMetrics.waiting, [name])
        snapshot.add(state.failures, to: SinkMetrics.failures, [name])
        for word in SinkStatus.State.allCases {
            snapshot.add(word == state.word ? 1 : 0, to: SinkMetrics.state, [name, word.rawValue])
        }
        for (outcome, count) in state.progress?.outcomes ?? outcomesBefore {
            snapshot.add(count, to: SinkMetrics.outcomes, [name, outcome])
        }
        // A counter that is not there at 0 hides its first rise, as of a sink that fails before it begins.
        snapshot.add(state.progress?.records ?? 0, to: SinkMetrics.records, [name])
        snapshot.add(state.progress?.startedOver ?? 0, to: SinkMetrics.startedOver, [name])
        guard let progress = state.progress else { return }
        for (partition, position) in progress.positions.sorted(by: { $0.key < $1.key }) {
            snapshot.add(Double(position.next.rawValue), to: SinkMetrics.position, [name, "\(partition)"])
        }
        if let revision = progress.revision { snapshot.add(Double(revision), to: SinkMetrics.revision, [name]) }
        // Of one that goes on no more nobody asks how far behind it is.
        guard let behind = state.behind else { return }
        snapshot.add(Int(progress.waiting), to: SinkMetrics.lag, [name])
        snapshot.add(behind / .seconds(1), to: SinkMetrics.lagTime, [name])
    }
}
