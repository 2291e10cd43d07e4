import RecordLog

/// What a sink of reloads knows over restarts: its positions, what its destination keeps, and which instance of it
/// runs. In a compacted topic of one partition, written together with dead letters in one transaction.
///
/// Keys: `position/NAME/TOPIC/PARTITION`, `commit/NAME`, and the destination's, such as `retired/NAME/…`.
///
/// Each instance writes its own name into `commit/NAME` when it opens the ledger. So an instance whose producer failed
/// can tell whether a newer one has taken its place, and by the number beside whether its last commit came through.
final class ReloadLedger {
    let settings: ReloadSinkSettings
    let instance: String
    let cluster: any Cluster
    let admin: any Admin
    let clock: any ReloadSinkClock
    let shouldStop: () -> Bool
    let notice: (ReloadSinkNotice) -> Void

    var requests: BrokerRequests { settings.requests(clock, shouldStop) }
    /// Brokers make a topic before they answer.
    private static let creationTimeout = Duration.seconds(5)

    var producer: (any TransactionalProducer)?
    /// The number of the last commit that is known to have come through.
    var number: Int64 = 0
    private(set) var positions: [Partition: Offset] = [:]
    var isTransactionOpen = false
    /// The producer can be used.
    var isOpen: Bool { producer != nil && hasOpened }
    private var hasOpened = false

    init(
        _ settings: ReloadSinkSettings, instance: String, cluster: any Cluster, admin: any Admin,
        clock: any ReloadSinkClock, shouldStop: @escaping () -> Bool, notice: @escaping (ReloadSinkNotice) -> Void
    ) {
        self.settings = settings
        self.instance = instance
        self.cluster = cluster
        self.admin = admin
        self.clock = clock
        self.shouldStop = shouldStop
        self.notice = notice
    }

    /// What a transaction writes.
    struct Entries {
        var positions: [Partition: Offset] = [:]
        /// Keys without the sink's name; a nil value removes.
        var changes: [(key: String, value: [UInt8]?)] = []
        var deadLetters: [(record: Record, headers: [Header])] = []

        var isEmpty: Bool { positions.isEmpty && changes.isEmpty && deadLetters.isEmpty }
    }

    // MARK: - Opening

    /// 1. Makes the topic where it is missing.
    /// 2. Fences every other instance of this name, which settles what it left open.
    /// 3. Reads what is kept, and writes who runs now.
    ///
    /// - Returns: what the destination has kept, by key without the sink's name; nil where it was stopped first.
    func open() throws(ReloadSinkError) -> [String: [UInt8]]? {
        guard try prepareTopic() else { return nil }
        guard try initialise() else { return nil }
        guard let kept = try read() else { return nil }
        number = kept.number
        positions = kept.positions
        guard try commit(Entries(), isOpening: true) else { return nil }
        hasOpened = true
        return kept.others
    }

    func close() {
        producer?.destroy()
        producer = nil
    }

    /// - Returns: false where it was stopped first.
    private func prepareTopic() throws(ReloadSinkError) -> Bool {
        let name = settings.ledgerTopic
        do throws(LogError) {
            let found = try requests.persistently { (timeout) throws(LogError) in try describe(timeout) }
            if found == nil {
                let topic = NewTopic(
                    name: name, partitions: 1, replication: settings.replication,
                    settings: [.init("cleanup.policy", "compact")])
                do throws(LogError) {
                    try requests.persistently { (_) throws(LogError) in
                        // What was asked for twice may be there already, which is as good.
                        try admin.createTopic(topic, timeout: Self.creationTimeout)
                    }
                } catch {
                    // Another sink was faster.
                    if error.code != .topicAlreadyExists { throw error }
                }
            }
        } catch {
            if error.isRetriable, shouldStop() { return false }
            throw .log(error)
        }
        guard let found = try awaitTopic() else { return false }
        if let policy = found.settings["cleanup.policy"], policy != "compact" {
            throw .ledger(topic: name, "has cleanup.policy \(policy), must be compact")
        }
        if found.partitions != 1 { throw .ledger(topic: name, "has \(found.partitions) partitions, must have 1") }
        return true
    }

    private func describe(_ timeout: Duration) throws(LogError) -> TopicDescription? {
        try admin.describeTopics([settings.ledgerTopic], timeout: timeout)[settings.ledgerTopic]
    }

    /// What was made is not seen at once by every broker.
    private func awaitTopic() throws(ReloadSinkError) -> TopicDescription? {
        for _ in 0..<100 {
            do throws(LogError) {
                if let found = try describe(settings.brokerTimeout) { return found }
            } catch {
                if !error.isRetriable { throw .log(error) }
            }
            if shouldStop() { return nil }
            clock.wait(for: .milliseconds(100))
        }
        throw .ledger(topic: settings.ledgerTopic, "was made but is not seen")
    }

    func keep(_ entries: Entries) {
        number += 1
        positions.merge(entries.positions) { $1 }
    }
}
