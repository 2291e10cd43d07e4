import RecordLog

/// What a `KafkaSink` asks the other cluster before it writes.
struct KafkaTarget {
    private let settings: KafkaSinkSettings
    private let context: SinkContext<LedgerNotice>
    private let outage: KafkaOutage
    private let unknownHosts: () -> [String]

    init(
        _ settings: KafkaSinkSettings, _ context: SinkContext<LedgerNotice>, _ outage: KafkaOutage,
        unknownHosts: @escaping () -> [String]
    ) {
        self.settings = settings
        self.context = context
        self.outage = outage
        self.unknownHosts = unknownHosts
    }

    /// Compares the clusters where a name is one of the application's topics: in one cluster it is the same topic, and
    /// timelines would overwrite what the application lives on.
    ///
    /// - Parameter source: the cluster that is read.
    /// - Throws: `refused`, of settings, if the topic or that of its positions is one of the application's.
    func checkNames(against source: any Cluster) throws(SinkError) {
        guard let taken = settings.takenName else { return }
        let id = try clusterId()
        guard try id == Self.clusterId(of: source, context.requests) else { return }
        let meeting = taken == settings.topic ? "it is" : "its positions would be in \(taken), which is"
        let others = settings.applicationPrefix.map { ", or begin with \($0)" } ?? ""
        var refusal = fault(
            "write to",
            "\(meeting) a topic of this application in the same cluster. Name a topic that is for this copy alone:"
                + " neither TOPIC nor TOPIC.positions may be one that the application reads or writes\(others)")
        refusal.isOfSettings = true
        throw .refused(refusal)
    }

    private static func clusterId(
        of source: any Cluster, _ requests: PatientRequests
    ) throws(SinkError) -> String {
        func saying(_ reason: String) -> SinkFault {
            SinkFault(
                place: "the cluster that timelines are read from", operation: "ask for the id of", reason: reason)
        }
        let answer: String?
        do throws(LogError) {
            let admin = try source.makeAdmin()
            defer { admin.close() }
            answer = try requests.persistently { (timeout) throws(LogError) in
                try admin.clusterId(timeout: timeout)
            }
        } catch {
            let fault = saying(error.description)
            throw error.lasts ? SinkError.refused(fault) : SinkError.unavailable(fault)
        }
        guard let answer else { throw .unavailable(saying("its brokers do not answer in time")) }
        return answer
    }

    /// Finds the topic.
    ///
    /// - Returns: its partitions.
    /// - Throws: `refused` if it is missing or not compacted, with the line that mends it.
    func check() throws(SinkError) -> [TopicPartition] {
        let name = settings.topic
        let described = try asked { (timeout) throws(LogError) in
            try context.admin.describeTopics([name], timeout: timeout)
        }
        guard let found = described[name] else {
            throw .refused(
                fault(
                    "write to",
                    "it does not exist. To create it:\n  kafka-topics.sh --bootstrap-server \(settings.place) --create"
                        + " --topic \(name) --config cleanup.policy=compact"))
        }
        let policy = found.settings["cleanup.policy"] ?? "delete"
        guard policy == "compact" else {
            throw .refused(
                fault(
                    "write to",
                    "its cleanup.policy is \(policy), and timelines must stay until newer ones come. To set it:\n"
                        + "  kafka-configs.sh --bootstrap-server \(settings.place) --alter --entity-type topics"
                        + " --entity-name \(name) --add-config cleanup.policy=compact"))
        }
        return (0..<Partition(found.partitions)).map { TopicPartition(name, $0) }
    }

    /// True if the topic holds nothing, and never held anything.
    func isEmpty(_ places: [TopicPartition]) throws(SinkError) -> Bool {
        let ends = try asked { (timeout) throws(LogError) in
            try context.admin.endOffsets(of: places, isolation: .readUncommitted, timeout: timeout)
        }
        return ends.values.allSatisfy { $0 == Offset(0) }
    }

    private func clusterId() throws(SinkError) -> String {
        try asked { (timeout) throws(LogError) in try context.admin.clusterId(timeout: timeout) }
    }

    func fault(_ operation: String, _ reason: String) -> SinkFault {
        SinkFault(place: "topic \(settings.topic) at \(settings.place)", operation: operation, reason: reason)
    }

    /// Whatever waited for an answer, and however much was left to send: it is one obstacle, which is told once.
    func unavailable(_ cause: LogError?) -> SinkError {
        // The client waits for a name as it waits for a broker, and says the same of both.
        let isAway = cause.map { $0.code == .timedOut || $0.code == .unreachable } ?? true
        let names = isAway ? unknownHosts() : []
        if !names.isEmpty {
            var unknown = fault("write to", names.joined(separator: ", "))
            unknown.isUnknownHost = true
            return .unavailable(unknown)
        }
        guard let cause, cause.code != .timedOut else {
            return .unavailable(fault("write to", "its brokers do not answer in time"))
        }
        return .unavailable(fault("write to", cause.description))
    }

    private func asked<Answer>(_ question: (Duration) throws(LogError) -> Answer) throws(SinkError) -> Answer {
        let answer: Answer?
        do throws(LogError) {
            answer = try context.requests.persistently { (timeout) throws(LogError) -> Answer in
                do throws(LogError) {
                    return try question(timeout)
                } catch {
                    context.notice(.log(error))
                    throw error
                }
            }
        } catch {
            throw error.lasts ? .refused(fault("look at", error.description)) : unavailable(error)
        }
        guard let answer else { throw unavailable(outage.latest) }
        return answer
    }
}

/// How long one call of a sink waits for its target. A ledger waits for as long as an outage lasts, or until it is to
/// stop: so it is to stop when the patience is over, and whoever asked says that the target is unavailable.
final class KafkaOutage {
    private let clock: any BlockingClock
    private let patience: Duration
    private let shouldStop: () -> Bool
    private var end: Duration
    /// The last failure since `begin`.
    private(set) var latest: LogError?

    init(_ clock: any BlockingClock, patience: Duration, shouldStop: @escaping () -> Bool) {
        self.clock = clock
        self.patience = patience
        self.shouldStop = shouldStop
        end = clock.now + patience
    }

    /// Begins a call.
    ///
    /// - Parameter patience: how long it waits, if not as long as others.
    func begin(patience: Duration? = nil) {
        end = clock.now + (patience ?? self.patience)
        latest = nil
    }

    var isToEnd: Bool { shouldStop() || clock.now >= end }

    func note(_ notice: LedgerNotice) {
        switch notice {
        case .log(let error), .producerReplaced(let error): latest = error
        }
    }
}
