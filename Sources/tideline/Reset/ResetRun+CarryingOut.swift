import Diagnosis
import Messages
import Observability
import Pipeline
import RdKafka
import RecordLog
import Settings
import Sinks
import StreamCore
import StreamRuntime
import Timelines

// The order of a reset, so that it may be interrupted anywhere. Until the fresh state is committed, a process that
// starts finds offsets of the group and no state, which it refuses; whoever resets again has the timelines to read
// revisions from. From then on the state alone says where inputs are read from, whatever the group has committed.

extension ResetRun {
    private static let patience = Duration.seconds(60)

    /// - Throws: with status 70, saying what was done and what was not.
    func carryOut(_ plan: ResetPlan) throws(CommandFailure) {
        try requireNobody()
        let cluster = try attempt("cannot ask for the cluster's id") { () throws(LogError) in
            try admin.clusterId(timeout: Self.patience)
        }
        let replication = environment.settings.internalReplication
        try attempt("cannot make the internal topics anew") { () throws(LogError) in
            try admin.deleteTopics([own.exchange, own.state], timeout: Self.patience)
            for var topic in [own.exchangeTopic(plan.partitions), own.stateTopic(plan.partitions)] {
                topic.replication = replication
                try admin.createTopic(topic, timeout: Self.patience)
            }
        }
        let state = FreshState(
            partitions: plan.partitions, cluster: cluster, writers: plan.writers, starts: plan.starts,
            revisions: plan.revisions, at: WallClock.systemTime())
        do throws(TransactionError) {
            try write(state)
        } catch {
            throw CommandFailure(
                .software,
                "cannot write the fresh state: \(error.cause). \(own.state) is empty now, and processes refuse to"
                    + " start: reset again")
        }
        try attempt(
            "the fresh state is written, and counts; the group's offsets, which count no more, cannot be removed"
        ) { () throws(LogError) in
            try admin.deleteGroup(application, timeout: Self.patience)
        }
    }

    /// All in one transaction, which is only committed if nobody has started meanwhile.
    private func write(_ state: FreshState) throws(TransactionError) {
        var settings = Environment.kafka(environment.settings)
        // A million revisions take some seconds.
        settings.properties["transaction.timeout.ms"] = "300000"
        let producer: any TransactionalProducer
        do throws(LogError) {
            producer = try RdKafkaCluster(settings).makeTransactionalProducer(
                transactionalId: application + "-reset", clientId: application + "-reset")
        } catch {
            throw .fatal(error)
        }
        defer { producer.destroy() }
        try producer.initialise(timeout: Self.patience)
        try producer.begin()
        do throws(TransactionError) {
            try state.write(for: topology) { (task, key, value) throws(TransactionError) in
                try put(TopicPartition(own.state, task), key, value, with: producer)
            }
            try refuseMembers()
            try commit(producer)
        } catch {
            do throws(TransactionError) {
                try producer.abort(timeout: Self.patience)
            } catch {
                environment.logger.warning("cannot abort either: \(error.cause)")
            }
            throw error
        }
    }

    private func put(
        _ place: TopicPartition, _ key: [UInt8], _ value: [UInt8], with producer: any TransactionalProducer
    ) throws(TransactionError) {
        while true {
            do throws(TransactionError) {
                return try key.span.bytes.withUnsafeBytes { (key) throws(TransactionError) in
                    try value.span.bytes.withUnsafeBytes { (value) throws(TransactionError) in
                        try producer.produce(
                            topic: place.topic, partition: place.partition, key: key, value: value, headers: [])
                    }
                }
            } catch {
                // The queue is full: nothing was taken, and there is room once the broker has taken some.
                guard case .retriable = error, !Signals.isStopRequested else { throw error }
            }
        }
    }

    private func commit(_ producer: any TransactionalProducer) throws(TransactionError) {
        while true {
            do throws(TransactionError) {
                return try producer.commit(timeout: Self.patience)
            } catch {
                // Not known yet (R6): the same call settles it.
                guard case .retriable = error, !Signals.isStopRequested else { throw error }
            }
        }
    }

    private func refuseMembers() throws(TransactionError) {
        do throws(LogError) {
            guard let member = try admin.members(of: application, timeout: Self.patience)?.first else { return }
            throw LogError(
                .wrongState, name: "NON_EMPTY_GROUP", "\(member.clientId) has joined the group meanwhile; stop it")
        } catch {
            throw .abortable(error)
        }
    }

    private func attempt<Answer>(
        _ purpose: String, _ action: () throws(LogError) -> Answer
    ) throws(CommandFailure) -> Answer {
        do throws(LogError) {
            return try action()
        } catch {
            throw CommandFailure(.software, "\(purpose): \(error)")
        }
    }

    // MARK: - Sinks

    private var ledger: LedgerReset {
        LedgerReset(application: application, cluster: environment.cluster, requests: environment.requests)
    }

    func sinks() throws(CommandFailure) -> SinkResetPlan {
        let topic = application + ".pushes"
        var plan = SinkResetPlan(topic: topic)
        let reloads = environment.topics.reloads
        let found = try environment.describe([topic, reloads], admin)
        guard found[topic] != nil else { return plan }
        let sinks = try attempt("cannot read \(topic)") { () throws(LogError) in try ledger.sinks() }
        guard let sinks else { throw environment.stopped("cannot read \(topic)") }
        plan.names = sinks.filter { !$0.positions.isEmpty }.map(\.name)
        plan.positions = sinks.reduce(0) { $0 + $1.positions.count(where: { $0.hasPrefix("position/") }) }
        if let description = found[reloads] {
            plan.reloads = try extent(of: places(reloads, description.partitions)).records
        }
        return plan
    }

    func carryOut(_ plan: SinkResetPlan) throws(CommandFailure) {
        for name in plan.names {
            try attempt("cannot take the positions of \(name) away") { () throws(LogError) in
                try ledger.reset(name)
            }
        }
    }
}
