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

    var producer: (any TransactionalProducer)?
    /// The number of the last commit that is known to have come through.
    var number: Int64 = 0
    private(set) var positions: [Int32: Offset] = [:]
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
        var positions: [Int32: Offset] = [:]
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
        try prepareTopic()
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

    private func prepareTopic() throws(ReloadSinkError) {
        let name = settings.ledgerTopic
        do throws(LogError) {
            if try describe() == nil {
                let topic = NewTopic(
                    name: name, partitions: 1, replication: settings.replication,
                    settings: [.init("cleanup.policy", "compact")])
                do throws(LogError) {
                    try admin.createTopic(topic, timeout: settings.brokerTimeout)
                } catch {
                    // Another sink was faster.
                    if error.code != .topicAlreadyExists { throw error }
                }
            }
        } catch {
            throw .log(error)
        }
        guard let found = try awaitTopic() else { return }
        if let policy = found.settings["cleanup.policy"], policy != "compact" {
            throw .ledger(topic: name, "has cleanup.policy \(policy), must be compact")
        }
        if found.partitions != 1 { throw .ledger(topic: name, "has \(found.partitions) partitions, must have 1") }
    }

    private func describe() throws(LogError) -> TopicDescription? {
        try admin.describeTopics([settings.ledgerTopic], timeout: settings.brokerTimeout)[settings.ledgerTopic]
    }

    /// What was made is not seen at once by every broker.
    private func awaitTopic() throws(ReloadSinkError) -> TopicDescription? {
        for _ in 0..<100 {
            do throws(LogError) {
                if let found = try describe() { return found }
            } catch {
                throw .log(error)
            }
            if shouldStop() { return nil }
            clock.wait(for: .milliseconds(100))
        }
        throw .ledger(topic: settings.ledgerTopic, "was made but is not seen")
    }

    // MARK: - Reading

    /// What the topic holds of this sink.
    struct Kept {
        var owner = ""
        var number: Int64 = 0
        var positions: [Int32: Offset] = [:]
        var others: [String: [UInt8]] = [:]
    }

    /// Reads the topic to the end that it has now.
    ///
    /// - Parameter end: `readUncommitted` waits for open transactions, which after `initialise` are those of others;
    ///   `readCommitted` ends before the first.
    /// - Returns: nil where it was stopped first.
    func read(to end: IsolationLevel = .readUncommitted) throws(ReloadSinkError) -> Kept? {
        do throws(LogError) {
            let reader = try TopicReader(
                settings.ledgerTopic, cluster: cluster, admin: admin, clientId: settings.clientId,
                timeout: settings.brokerTimeout)
            defer { reader.close() }
            try reader.start()
            let ends = try reader.ends(end)
            var entries: [String: [UInt8]] = [:]
            while !reader.hasReached(ends) {
                if shouldStop() { return nil }
                let records = try reader.poll(
                    maximum: settings.batchMaximum, timeout: settings.pollTimeout, failed: { notice(.log($0)) })
                for record in records {
                    guard let key = record.key else { continue }
                    entries[String(decoding: key, as: UTF8.self)] = record.value
                }
            }
            return kept(entries)
        } catch {
            throw .log(error)
        }
    }

    private func kept(_ entries: [String: [UInt8]]) -> Kept {
        var kept = Kept()
        for (key, value) in entries {
            let parts = key.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
            guard parts.count >= 2, parts[1] == settings.name else { continue }
            let text = String(decoding: value, as: UTF8.self)
            switch parts[0] {
            case "commit":
                let words = text.split(separator: " ")
                guard words.count == 2, let number = Int64(words[0]) else { continue }
                kept.number = number
                kept.owner = String(words[1])
            case "position":
                let place = parts.last?.split(separator: "/") ?? []
                guard place.count == 2, place[0] == settings.reloadsTopic, let partition = Int32(place[1]),
                    let next = Int64(text), next >= 0
                else { continue }
                kept.positions[partition] = Offset(next)
            default:
                kept.others["\(parts[0])/\(parts.count == 3 ? parts[2] : "")"] = value
            }
        }
        return kept
    }

    func keep(_ entries: Entries) {
        number += 1
        positions.merge(entries.positions) { $1 }
    }
}
