package import RecordLog

/// Takes the positions of sinks that send away, so that each begins again at the earliest record. What else they keep,
/// such as tokens that Apple has retired, stays.
///
/// It takes the place of each sink as a newer instance would: one that runs is fenced, and ends by itself. Blocking;
/// one thread.
package struct LedgerReset {
    /// A sink of the ledger.
    package struct Sink: Hashable, Sendable {
        package var name: String
        /// The keys of its positions.
        package internal(set) var positions: [String]
        var number: Int64 = 0
    }

    private let topic: String
    private let application: String
    private let cluster: any Cluster
    private let requests: PatientRequests

    /// The name by which the ledger knows that a reset was here.
    static let instance = "reset"

    package init(application: String, cluster: any Cluster, requests: PatientRequests) {
        let settings = DeliverySettings(name: "", application: application, topic: "", deadLettersTopic: "")
        topic = settings.ledgerTopic
        self.application = application
        self.cluster = cluster
        self.requests = requests
    }

    /// The sinks that the ledger knows, ascending by name; `nil` if it was stopped first.
    package func sinks() throws(LogError) -> [Sink]? {
        var entries: [String: String] = [:]
        let isRead = try TopicReader.readAll(
            of: topic, cluster: cluster, clientId: "tideline-reset", requests: requests, patience: .seconds(60),
            progress: { _, _ in }
        ) { view, _ in
            guard let key = view.key else { return }
            entries[String(decoding: key, as: UTF8.self)] = view.value.map { String(decoding: $0, as: UTF8.self) }
        }
        guard isRead else { return nil }
        var sinks: [String: Sink] = [:]
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            let parts = key.split(separator: "/", maxSplits: 2).map { String($0) }
            guard parts.count >= 2 else { continue }
            var sink = sinks[parts[1]] ?? Sink(name: parts[1], positions: [])
            switch parts[0] {
            case "position", "place", "choice": sink.positions.append(key)
            case "commit": sink.number = value.split(separator: " ").first.flatMap { Int64($0) } ?? 0
            default: continue
            }
            sinks[parts[1]] = sink
        }
        return sinks.values.sorted { $0.name < $1.name }
    }

    /// Takes the positions of one sink away, in one transaction.
    ///
    /// - Throws: what keeps it from being done; then nothing was changed, or all.
    package func reset(_ name: String) throws(LogError) {
        let producer = try cluster.makeTransactionalProducer(
            transactionalId: DeliverySettings(
                name: name, application: application, topic: "", deadLettersTopic: ""
            ).transactionalId, clientId: "tideline-reset")
        defer { producer.destroy() }
        do throws(TransactionError) {
            try producer.initialise(timeout: .seconds(30))
        } catch {
            throw error.cause
        }
        // Read again: now nobody writes for it any more.
        guard let sinks = try sinks() else {
            throw LogError(.timedOut, name: "_STOPPED", "told to end before \(topic) was read again")
        }
        // Who has no position by now begins at the earliest reload anyway.
        guard let sink = sinks.first(where: { $0.name == name }) else { return }
        do throws(TransactionError) {
            try producer.begin()
            for key in sink.positions { try write(key, nil, with: producer) }
            try write("commit/\(name)", "\(sink.number + 1) \(Self.instance)", with: producer)
            try commit(producer)
        } catch {
            throw aborted(producer, because: error.cause)
        }
    }

    private func commit(_ producer: any TransactionalProducer) throws(TransactionError) {
        let end = requests.clock.now + requests.patience
        while true {
            do throws(TransactionError) {
                return try producer.commit(timeout: .seconds(5))
            } catch {
                // Not known yet (R6): the same call settles it.
                guard case .retriable = error, !requests.shouldStop(), requests.clock.now < end else { throw error }
                requests.clock.wait(for: .milliseconds(100))
            }
        }
    }

    /// Gives the transaction up, so that no reader waits for it.
    ///
    /// - Returns: the reason, and why the transaction cannot be given up if that fails, too.
    private func aborted(_ producer: any TransactionalProducer, because reason: LogError) -> LogError {
        do throws(TransactionError) {
            try producer.abort(timeout: .seconds(5))
            return reason
        } catch {
            return LogError(
                reason.code, name: reason.name,
                "\(reason.message); nor can the transaction be given up (\(error.cause)): the broker does so by itself")
        }
    }

    private func write(
        _ key: String, _ value: String?, with producer: any TransactionalProducer
    ) throws(TransactionError) {
        let (key, value) = (Array(key.utf8), value.map { Array($0.utf8) })
        try key.span.bytes.withUnsafeBytes { (key) throws(TransactionError) in
            guard let value else {
                return try producer.produce(topic: topic, partition: 0, key: key, value: nil, headers: [])
            }
            try value.span.bytes.withUnsafeBytes { (value) throws(TransactionError) in
                try producer.produce(topic: topic, partition: 0, key: key, value: value, headers: [])
            }
        }
    }
}
