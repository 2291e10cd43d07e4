import Diagnosis
import Messages
import Observability
import Pipeline
import RecordLog
import Settings
import Sinks
import StreamCore
import StreamRuntime
import Timelines

// The order of a reset, so that it may be interrupted anywhere. Its plan and the revisions are committed to a topic of
// their own before anything is removed. From then on until that topic is removed, as the last step, processes refuse to
// start, and whoever resets again goes on with that plan.

extension ResetRun {
    private static let patience = Duration.seconds(60)

    /// - Parameter shown: what was agreed to.
    /// - Throws: with status 70, saying what was done and what was not.
    func carryOut(_ shown: ResetPlan) throws(CommandFailure) {
        try requireNobody()
        let plan = try agreed(shown)
        let begun = try attempt("nothing was changed") { () throws(LogError) in try begin(plan) }
        defer { begun.writer.close() }
        var removed: [String] = []
        do throws(LogError) {
            // Who has started before the plan was there has joined by now; whoever comes later is refused.
            try refuseMembers()
            let internals = [own.exchange, own.state]
            try step("\(own.exchange), \(own.state): removing") { () throws(LogError) in
                try admin.deleteTopics(internals, timeout: Self.patience)
            }
            removed = internals
            for topic in topics(plan) {
                try step("\(topic.name): making it anew") { () throws(LogError) in try make(topic) }
            }
            try step("\(own.state): writing \(plan.revisions.count.counted("revision"))") { () throws(LogError) in
                try write(state(plan, begun.cluster, partitions: plan.partitions), with: begun.writer)
            }
            try step("group \(application): moving its offsets") { () throws(LogError) in
                let exchange = places(own.exchange, plan.partitions).map { ($0, Offset(0)) }
                let inputs = plan.starts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
                try admin.setOffsets(of: application, to: inputs + exchange, timeout: Self.patience)
            }
            try step("\(own.reset): removing") { () throws(LogError) in
                try admin.deleteTopics([own.reset], timeout: Self.patience)
            }
        } catch {
            let done = removed.isEmpty ? "" : "; \(removed.joined(separator: " and ")) were removed"
            throw CommandFailure(
                .software,
                "not all was done: \(error)\(done). Processes refuse to start; the plan is in \(own.reset): run"
                    + " '\(ResetJournal.command(keepsSinks: keepsSinks))', which goes on with it")
        }
    }

    /// Ends what a reset that was killed in its transaction left open: for five minutes nobody could read past it.
    func endInterruptedTransaction() throws(CommandFailure) {
        guard try environment.describe([own.reset], admin)[own.reset] != nil else { return }
        try attempt("cannot end the transaction of a reset that was interrupted") { () throws(LogError) in
            try ResetWriter(environment).close()
        }
    }

    /// The plan as it is now.
    ///
    /// - Throws: with status 70 if somebody has written since the plan was shown.
    private func agreed(_ shown: ResetPlan) throws(CommandFailure) -> ResetPlan {
        let plan = try plan()
        guard plan.ends == shown.ends else {
            throw CommandFailure(
                .software,
                "nothing was changed: somebody has written to \(own.state) or \(environment.topics.timelines) since the"
                    + " plan was shown. Stop all processes, and run it again")
        }
        if plan.revisions.unreadable > 0 {
            throw CommandFailure(
                .software,
                "nothing was changed: \(plan.revisions.unreadable.counted("record")) of \(own.state) or"
                    + " \(environment.topics.timelines) cannot be read, so revisions could fall. Run the release that"
                    + " wrote them, or a newer one")
        }
        return plan
    }

    /// Each step is told before it begins: whoever waits sees where it is.
    private func step(_ text: String, _ action: () throws(LogError) -> Void) throws(LogError) {
        writeError(text)
        try action()
    }

    // MARK: - Before anything is removed

    /// Makes sure that all can be done, and commits the plan to the journal.
    private func begin(_ plan: ResetPlan) throws(LogError) -> (writer: ResetWriter, cluster: String) {
        let cluster = try admin.clusterId(timeout: Self.patience)
        try checkPermissions(plan)
        let journal = ResetJournal.topic(own)
        do throws(LogError) {
            try admin.createTopic(journal, timeout: Self.patience)
        } catch {
            // It is there since a reset that was interrupted.
            if error.code != .topicAlreadyExists { throw error }
        }
        try admin.check(Permission(.delete, .topic(own.reset)), timeout: Self.patience)
        let writer = try ResetWriter(environment)
        do throws(LogError) {
            try step("\(own.reset): writing the plan") { () throws(LogError) in
                try writer.transaction(
                    { (put) throws(TransactionError) in
                        let revisions = state(plan, cluster, partitions: 1)
                        try revisions.writeRevisions { (task, key, value) throws(TransactionError) in
                            try put(own.reset, task, key, value)
                        }
                        try put(own.reset, 0, ResetJournal.key, ResetJournal(plan).bytes)
                    }, lastCheck: refuseMembers)
            }
        } catch {
            writer.close()
            throw error
        }
        return (writer, cluster)
    }

    private func checkPermissions(_ plan: ResetPlan) throws(LogError) {
        let present = plan.internals.map(\.name)
        for name in present {
            for operation in [Permission.Operation.delete, .write] {
                try admin.check(Permission(operation, .topic(name)), timeout: Self.patience)
            }
        }
        try admin.check(Permission(.read, .group(application)), timeout: Self.patience)
        for topic in topics(plan) {
            do throws(LogError) {
                try admin.validateTopic(topic, timeout: Self.patience)
            } catch {
                if error.code != .topicAlreadyExists { throw error }
            }
            // Of a name that is taken brokers look at no more than the permission.
            var named = topic
            named.name = own.reset
            do throws(LogError) {
                try admin.validateTopic(named, timeout: Self.patience)
            } catch {
                if error.code != .topicAlreadyExists { throw error }
            }
        }
    }

    // MARK: - The topics

    private func topics(_ plan: ResetPlan) -> [NewTopic] {
        [own.exchangeTopic(plan.partitions), own.stateTopic(plan.partitions)].map { topic in
            var topic = topic
            let settings = (plan.settings[topic.name] ?? [:]).sorted { $0.key < $1.key }
            topic.settings = settings.map { .init($0.key, $0.value) }
            topic.replication = plan.replication[topic.name]
            return topic
        }
    }

    private func make(_ topic: NewTopic) throws(LogError) {
        do throws(LogError) {
            return try admin.createTopic(topic, timeout: Self.patience)
        } catch {
            // An earlier attempt whose answer was lost, or a broker that makes topics by itself.
            if error.code != .topicAlreadyExists { throw error }
        }
        let found = try admin.describeTopics([topic.name], timeout: Self.patience)[topic.name]
        guard found?.partitions == topic.partitions else {
            throw LogError(
                .wrongState, name: "TOPIC_ALREADY_EXISTS",
                "\(topic.name) was made by somebody else, with \((found?.partitions ?? 0).counted("partition"))")
        }
    }

    // MARK: - The state

    private func state(_ plan: ResetPlan, _ cluster: String, partitions: Int32) -> FreshState {
        FreshState(
            partitions: partitions, cluster: cluster, writers: plan.writers, starts: plan.starts,
            revisions: plan.revisions, at: WallClock.systemTime())
    }

    /// All in one transaction, which is only committed if nobody has started meanwhile.
    private func write(_ state: FreshState, with writer: ResetWriter) throws(LogError) {
        try writer.transaction(
            { (put) throws(TransactionError) in
                try state.write(for: topology) { (task, key, value) throws(TransactionError) in
                    try put(own.state, task, key, value)
                }
            }, lastCheck: refuseMembers)
    }

    private func refuseMembers() throws(LogError) {
        guard let members = try admin.members(of: application, timeout: Self.patience) else {
            throw LogError(.unsupported, name: "UNSUPPORTED", "the cluster does not tell who is in a group")
        }
        guard let member = members.first else { return }
        throw LogError(
            .wrongState, name: "NON_EMPTY_GROUP", "\(member.clientId) has joined the group meanwhile; stop it")
    }

    func attempt<Answer>(
        _ purpose: String, _ action: () throws(LogError) -> Answer
    ) throws(CommandFailure) -> Answer {
        do throws(LogError) {
            return try action()
        } catch {
            throw CommandFailure(.software, "\(purpose): \(error)")
        }
    }
}
