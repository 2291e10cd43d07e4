import Diagnosis
import Messages
import Pipeline
import RdKafka
import RecordLog
import Settings
import StreamCore
import StreamRuntime

/// One run of `doctor`: collects facts, check by check, and reports what follows from them.
struct DoctorRun {
    /// By way of the addresses that answer, once brokers were looked at.
    private(set) var environment: Environment
    let report: DoctorReport
    /// The time between two looks at what should move.
    let interval: Duration
    let topology: Topology
    let pipeline: PipelineSettings
    let own: InternalTopics
    let clock = SleepingClock()

    /// How long each single question is waited for.
    static let patience = Duration.seconds(5)

    init(_ environment: Environment, interval: Duration, report: DoctorReport) {
        self.environment = environment
        self.interval = interval
        self.report = report
        pipeline = PipelineSettings(environment.settings, environment.topics, .init(), recordLimits: [:])
        topology = Topology.widgets(pipeline)
        own = InternalTopics(environment.settings)
    }

    var bootstrap: String { environment.settings[Keys.bootstrap] }
    var application: String { environment.settings[Keys.application] }
    var group: String { application }

    /// The command line of a verb with its words, for this application.
    func command(_ verb: String) -> String { "tideline \(verb) \(environment.settings.placeInShell)" }

    /// - Parameters:
    ///   - admin: a broker has answered it.
    ///   - restored: the tasks that processes restore, as those that were asked say.
    /// - Throws: with status 70 if it is told to end.
    func look(with admin: any Admin, probesClock: Bool, restored: Set<Int32>) throws(CommandFailure) {
        if let warning = environment.unknownApplication(admin) {
            report.add([
                Finding(
                    .topics, "application", .notice, warning,
                    remedy: "If another was meant, look again with its '--application'.")
            ])
        }
        let topics = lookAtTopics(admin)
        let found = topics.compactMapValues { if case .topic(let topic) = $0 { topic } else { nil } }
        try goOn()
        try lookAtPermissions(topics, admin)
        report.add([clockFacts(admin, isProbed: probesClock).finding, zoneFinding])
        try goOn()
        try lookAtProgress(found, restored: restored, admin)
        lookAtReset(admin)
        lookAtWriters(found, admin)
        lookAtZones(found)
        lookAtStateSize(found, admin)
        lookAtSinks(admin)
        lookAtDeadLetters(found, admin)
    }

    func goOn() throws(CommandFailure) {
        if Signals.isStopRequested { throw CommandFailure(.software, "told to end before all was looked at") }
    }

    // MARK: - Brokers

    /// Looks at brokers. What comes after goes by way of those addresses of `bootstrap` that answer.
    ///
    /// - Returns: `nil` if no broker answers: then nothing else can be looked at.
    mutating func lookAtBrokers() -> (any Admin)? {
        let cluster = RdKafkaCluster(Environment.kafka(environment.settings))
        let addresses = bootstrap.split(separator: ",").map { String($0).trimmingSpaces }
        let met = addresses.map { facts(of: $0, .bootstrap, cluster) }
        report.add(met.map(\.finding))
        let reached = met.filter(\.isReached).map(\.address)
        if !reached.isEmpty { environment = environment.reached(at: reached) }
        do throws(LogError) {
            let admin = try environment.cluster.makeAdmin()
            do throws(LogError) {
                try admin.connect(timeout: Self.patience)
                let id = try admin.clusterId(timeout: Self.patience)
                let brokers = try admin.brokers(timeout: Self.patience)
                report.add([Finding(.brokers, "cluster \(id)", .good, "has \(brokers.count.counted("broker"))")])
                let others = brokers.filter { !addresses.contains($0.address) }
                report.add(others.map { facts(of: $0.address, .cluster(id: $0.id), cluster).finding })
                return admin
            } catch {
                admin.close()
                throw error
            }
        } catch {
            report.add([
                Finding(
                    .brokers, "cluster", .bad, "cannot be asked: \(error)",
                    remedy: "Everything else waits for a broker that answers.")
            ])
            return nil
        }
    }

    private func facts(of address: String, _ origin: BrokerFacts.Origin, _ cluster: RdKafkaCluster) -> BrokerFacts {
        do throws(LogError) {
            let requests = try cluster.supportedRequests(at: address, timeout: Self.patience)
            return BrokerFacts(address: address, origin: origin, answer: .reached(versions: requests.versions))
        } catch {
            return BrokerFacts(address: address, origin: origin, answer: .failed(error.message))
        }
    }

    // MARK: - Topics

    /// - Returns: what was found, by the topic's name.
    private func lookAtTopics(_ admin: any Admin) -> [String: TopicFacts.Found] {
        let onDemand = OnDemandTopics(environment.settings)
        let contract = environment.topics.inputs + environment.topics.outputs
        let names = contract + [own.exchange, own.state] + onDemand.names
        var found: [String: TopicFacts.Found] = [:]
        // One by one: of several, only the first that may not be looked at is named.
        for name in names {
            do throws(LogError) {
                let answer = try admin.describeTopics([name], timeout: Self.patience)[name]
                found[name] = answer.map { .topic($0) } ?? .nothing
            } catch {
                found[name] = .failed("\(error)")
            }
        }
        let plan = TopicPlan(topics: environment.topics, partitions: 4)
        for topic in plan.facts(found) + own.facts(found) + onDemand.facts(found) {
            report.add(topic.findings(command: command))
        }
        return found
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
