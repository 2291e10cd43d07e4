import Diagnosis
import Messages
import Pipeline
import RecordLog
import Settings
import StreamCore
import StreamRuntime
import Synchronization

/// The health of the pipeline of this process: whether it is well, and why not. Stream threads tell it events, the main
/// thread what it sees, and any thread asks.
final class PipelineHealth: HealthSource {
    /// What is known beside the threads' statuses.
    private struct State {
        var statuses: [StreamStatus] = []
        var hasStarted = false
        /// The last failure that a thread told of, and when.
        var trouble: (text: String, at: Duration)?
        /// By task: how far its restore had come when it last moved.
        var restores: [Partition: (state: StreamStatus.State, at: Duration)] = [:]
        /// By topic and reason: records that could not be used.
        var setAside: [SetAsideSort: SetAsideCount] = [:]
    }

    private struct SetAsideSort: Hashable {
        var topic: String
        var reason: String
    }

    private let state = Mutex(State())
    private let brokers: BrokerHealth
    private let lag: LagWatch
    private let topics: TopicWatch
    private let healthLag: LiveSetting<Duration>
    /// A loop that has not turned for so long hangs: it waits for no broker longer.
    private let turnMax: Duration

    /// A thread that commits nothing hears of a broker every five seconds, if all is well.
    private static let progressMax = Duration.seconds(12)
    private static let restoreMax = Duration.seconds(10)
    /// What a failure before that was is told no more.
    private static let troubleAge = Duration.seconds(60)

    init(_ environment: Environment, _ lag: LagWatch, _ topics: TopicWatch) {
        brokers = BrokerHealth(environment.brokers)
        self.lag = lag
        self.topics = topics
        healthLag = environment.healthLag
        turnMax = .seconds(30) + environment.settings[Keys.transactionTimeout]
    }

    /// Takes in what a stream thread tells, on that thread.
    func note(_ event: StreamEvent, now: Duration) {
        switch event {
        case .topicsMissing(_, let error), .aborted(let error), .producerReplaced(let error, _):
            state.withLock { $0.trouble = (error.description, now) }
        case .failed(let error, let doing):
            state.withLock { $0.trouble = ("\(doing): \(error)", now) }
        default: break
        }
    }

    /// Takes in what the threads are doing; to be called some times a second.
    func see(_ statuses: [StreamStatus], now: Duration) {
        state.withLock { state in
            let tasks = statuses.flatMap(\.tasks)
            // A thread derives one task after the other: those that wait for it do not stand still.
            let derives = tasks.contains { $0.isDeriving && state.restores[$0.partition]?.state != $0.state }
            var restores: [Partition: (state: StreamStatus.State, at: Duration)] = [:]
            for task in tasks where task.state != .running {
                let before = state.restores[task.partition]
                let stands = before.flatMap { $0.state == task.state && !(derives && task.isDeriving) ? $0 : nil }
                restores[task.partition] = stands ?? (task.state, now)
            }
            for (sort, count) in Self.deadLetters(statuses) {
                state.setAside[sort, default: SetAsideCount()].note(count, now: now)
            }
            state.restores = restores
            state.statuses = statuses
            if statuses.allSatisfy(\.wasEverAssigned), restores.isEmpty { state.hasStarted = true }
        }
    }

    private static func deadLetters(_ statuses: [StreamStatus]) -> [SetAsideSort: Int] {
        var counters = TaskCounters()
        for status in statuses { counters.add(status.counters) }
        let rows = counters.deadLetters.map { (SetAsideSort(topic: $0.topic, reason: $0.reason.rawValue), $0.count) }
        return Dictionary(rows, uniquingKeysWith: +)
    }

    func notices(now: Duration) -> [HealthProblem] {
        state.withLock { $0.setAside }.sorted { ($0.key.topic, $0.key.reason) < ($1.key.topic, $1.key.reason) }
            .compactMap { sort, count in
                count.notice("of \(sort.topic) could not be used (\(sort.reason))", now: now)
            }
    }

    func problems(_ check: HealthCheck, now: Duration) -> [HealthProblem] {
        let state = state.withLock { $0 }
        switch check {
        case .live: return turnProblems(state, now)
        case .startup:
            return state.hasStarted ? [] : startProblems(state, now) + brokers.problems(now: now)
        case .ready:
            if !state.hasStarted { return startProblems(state, now) + brokers.problems(now: now) }
            return missingProblems(state) + topicProblems + brokers.problems(now: now) + commitProblems(state, now)
                + restoreProblems(state, now) + lagProblems
        }
    }

    // MARK: - What is wrong

    private func turnProblems(_ state: State, _ now: Duration) -> [HealthProblem] {
        state.statuses.enumerated().compactMap { number, status in
            guard let at = status.at, now - at > turnMax else { return nil }
            return HealthProblem("loop", "stream thread \(number) has hung for \((now - at).shortText)")
        }
    }

    private func startProblems(_ state: State, _ now: Duration) -> [HealthProblem] {
        let waiting = state.statuses.isEmpty || !state.statuses.allSatisfy(\.wasEverAssigned)
        let group = HealthProblem("startup", "starting: the group has given out no tasks yet")
        return (waiting ? [group] : []) + missingProblems(state) + restoreProblems(state, now)
    }

    private func missingProblems(_ state: State) -> [HealthProblem] {
        // Each thread knows of the topics that it writes to itself; that another one commits says nothing of them.
        let missing = Set(state.statuses.flatMap(\.missingTopics)).sorted()
        if missing.isEmpty { return [] }
        let names = missing.joined(separator: ", ")
        return [
            HealthProblem("outputs", "\(names) can be written to no more: make it again with its former settings")
        ]
    }

    private var topicProblems: [HealthProblem] {
        if let error = topics.unknown { return [HealthProblem("topics", "the topics cannot be looked at: \(error)")] }
        return topics.faults.filter(\.hinders).map { HealthProblem("topics", $0.text) }
    }

    private func commitProblems(_ state: State, _ now: Duration) -> [HealthProblem] {
        state.statuses.enumerated().compactMap { number, status in
            // A task that is being taken over has a sentence of its own.
            guard status.tasks.allSatisfy({ $0.state == .running }) else { return nil }
            if let refusal = status.refusal {
                return HealthProblem("commits", "stream thread \(number) is refused by brokers: \(refusal)")
            }
            guard let age = status.lastProgress.map({ now - $0 }), age > Self.progressMax else { return nil }
            let trouble = state.trouble.flatMap { now - $0.at < Self.troubleAge ? "; last failure: \($0.text)" : nil }
            let thread = "stream thread \(number) (state: \(status.state))"
            return HealthProblem(
                "commits", "\(thread) has made no progress for \(age.shortText)\(trouble ?? "")")
        }
    }

    private func restoreProblems(_ state: State, _ now: Duration) -> [HealthProblem] {
        state.statuses.flatMap(\.tasks).compactMap { task in
            let stood = state.restores[task.partition].map { now - $0.at } ?? .zero
            let standing = stood > Self.restoreMax ? ", which has stood still for \(stood.shortText)" : ""
            switch task.state {
            case .running: return nil
            case .created:
                return HealthProblem("restore", "task \(task.partition) waits for stable offsets\(standing)")
            case .restoring(let next, let end):
                // `doctor --ask` reads how these two begin.
                return HealthProblem("restore", "task \(task.partition) is restored up to \(next) of \(end)\(standing)")
            case .deriving(let slots):
                return HealthProblem(
                    "restore", "task \(task.partition) is restored, and prepared to run: \(slots) entries\(standing)")
            }
        }
    }

    private var lagProblems: [HealthProblem] {
        if let error = lag.unknown { return [HealthProblem("lag", "the lag is not known: \(error)")] }
        let lagMax = healthLag.value
        return (lag.latest ?? []).compactMap { topic in
            guard topic.records > 0, topic.time ?? topic.seen > lagMax else { return nil }
            guard let time = topic.time else {
                return HealthProblem(
                    "lag",
                    "nothing was read yet of \(topic.topic), where records have waited for \(topic.seen.shortText) "
                        + "at least; allowed are \(lagMax.shortText) (health.lag)")
            }
            return HealthProblem(
                "lag",
                "\(topic.topic) is \(time.shortText) behind, \(topic.records.counted("record")); allowed are "
                    + "\(lagMax.shortText) (health.lag)")
        }
    }
}
