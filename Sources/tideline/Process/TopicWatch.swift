import Diagnosis
import Messages
import Observability
import RecordLog
import StreamRuntime
import Synchronization

/// What is wrong with the topics of this process: gone, other settings, other numbers of partitions. One thread asks;
/// any thread reads what it found.
final class TopicWatch: Sendable {
    private struct State {
        var asked: Duration?
        var faults: [TopicFault] = []
        /// The questions in a row that had no answer, and why the last had none.
        var failures: (count: Int, last: LogError)?
        /// What each topic had when it was there last, by its name: who makes it again needs the numbers.
        var shapes: [String: TopicFacts.Shape] = [:]
    }

    private let state = Mutex(State())
    private let plan: TopicPlan
    private let own: InternalTopics
    private let logger: Logger
    /// The number of tasks with which the process began.
    private let tasks: Int32
    private static let interval = Duration.seconds(5)
    /// A broker may be slow once.
    private static let failuresMax = 3

    init(_ environment: Environment, tasks: Int32) {
        plan = TopicPlan(topics: environment.topics, partitions: tasks)
        own = InternalTopics(environment.settings)
        self.tasks = tasks
        logger = environment.logger
    }

    /// All topics that are looked at.
    var names: [String] { plan.topics.inputs + plan.topics.outputs + [own.exchange, own.state] }

    /// In the order of the topics.
    var faults: [TopicFault] { state.withLock { $0.faults } }

    /// Why nothing is known of the topics, once so many questions in a row had no answer.
    var unknown: LogError? { state.withLock { $0.failures.flatMap { $0.count >= Self.failuresMax ? $0.last : nil } } }

    /// Asks for the topics and logs what is new, at most once in five seconds; waits up to four seconds for the
    /// answers. While a broker is away nothing is asked, and what was found stays.
    func look(_ admin: any Admin, isAway: Bool, now: Duration) {
        let isDue = state.withLock { state in
            if isAway { return false }
            if let asked = state.asked, now - asked < Self.interval { return false }
            state.asked = now
            return true
        }
        guard isDue else { return }
        do throws(LogError) {
            let described = try admin.describeTopics(names, timeout: .seconds(2))
            let found = described.mapValues { TopicFacts.Found.topic($0) }
            let shapes = state.withLock { state in
                for (name, topic) in described { state.shapes[name] = TopicFacts.Shape(of: topic, isOwn: true) }
                return state.shapes
            }
            let faults = (plan.facts(found) + own.facts(found)).flatMap { facts in
                var facts = facts
                facts.former = shapes[facts.name] ?? facts.former
                return facts.faults(tasks: tasks)
            }
            let before = state.withLock { state in
                defer { (state.faults, state.failures) = (faults, nil) }
                return state.faults
            }
            for fault in faults where !before.contains(fault) { logger.error("\(fault.text)") }
            for fault in before where !faults.contains(fault) {
                logger.notice("as it should be again", metadata: ["topic": .string(fault.topic)])
            }
        } catch {
            state.withLock { $0.failures = (($0.failures?.count ?? 0) + 1, error) }
        }
    }
}
