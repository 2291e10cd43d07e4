import RecordLog
import StreamCore

/// Finds tasks that the group has given to nobody, and makes it give all out anew.
///
/// A static member (KIP-345) that has to give a partition up for another one, and dies before it has joined again,
/// comes back under its name. The coordinator then repeats the assignment that it knows, without a rebalance: nobody
/// has the partition, and nobody is told. Any other member that comes makes the group assign everything anew, so one
/// comes for a moment, and leaves.
struct UnownedTasks: Sendable {
    struct Knowledge: Sendable {
        var question = Recurrence(last: .zero)
        /// The tasks that nobody had at the last look, and since when it is the same ones.
        private(set) var tasks: [Partition] = []
        private(set) var since = Duration.zero

        mutating func note(_ answer: Answer, at now: Duration) {
            if let found = answer.tasks, found != tasks || answer.hasCalled { (tasks, since) = (found, now) }
            // Whoever had none before the group began a new assignment may be given it by that.
            if answer.tasks == nil && answer.failure == nil { tasks = [] }
        }
    }

    struct Answer: Sendable {
        /// `nil` if it is not known, as while the group makes a new assignment.
        var tasks: [Partition]?
        var hasCalled = false
        var failure: LogError?
    }

    /// The client id of the member that comes and leaves. Those of threads begin with an application's name, in which
    /// any letter may stand, and a hyphen. This one has no hyphen, so nobody looks for what it has left open.
    static let clientId = "tideline.rebalance"

    var exchange: String
    /// *P*.
    var partitions: Int32
    /// The asking thread's.
    var instance: String
    var known: Knowledge
    var now: Duration

    /// Blocks, for some seconds where the group is called.
    func answer(_ ports: BrokerInquiry.Ports) -> Answer {
        var answer = Answer()
        do throws(LogError) {
            guard let members = try ports.members(now: now, maxAge: ports.settings.unownedInterval / 2),
                let tasks = tasks(without: members)
            else { return answer }
            answer.tasks = tasks
            guard !tasks.isEmpty, tasks == known.tasks, let rank = rank(in: members),
                // One after the other, so that not all come.
                now - known.since >= ports.settings.unownedGrace + ports.settings.unownedInterval * rank
            else { return answer }
            answer.hasCalled = true
            try ports.callForAssignment(of: exchange)
        } catch {
            answer.failure = error
        }
        return answer
    }

    /// The tasks that none of the members has; `nil` if the group does not say what one of them has.
    func tasks(without members: [GroupMember]) -> [Partition]? {
        var owned: Set<Partition> = []
        for member in members {
            guard let assigned = member.assigned else { return nil }
            owned.formUnion(assigned.filter { $0.topic == exchange }.map(\.partition))
        }
        return (0..<Partition(partitions)).filter { !owned.contains($0) }
    }

    private func rank(in members: [GroupMember]) -> Int? {
        members.compactMap(\.instance).sorted().firstIndex(of: instance)
    }
}

extension StreamThread {
    /// Asks beside this thread, where its member is a static one; the answer comes to `use`.
    func askForUnowned() {
        let now = clock.monotonic()
        guard let instance, membership.wasEverAssigned, !inquiry.isBusy,
            unowned.question.takeTurn(at: now, every: settings.unownedInterval)
        else { return }
        let question = UnownedTasks(
            exchange: settings.exchangeTopic, partitions: partitions, instance: instance, known: unowned, now: now)
        ask { .unowned(question.answer($0)) }
    }

    func use(_ answer: UnownedTasks.Answer) {
        unowned.note(answer, at: clock.monotonic())
        if answer.hasCalled, let tasks = answer.tasks { observer(.unowned(tasks)) }
        if let failure = answer.failure, answer.hasCalled {
            observer(.failed(failure, doing: "having the group give tasks out that nobody has"))
        }
    }
}

extension BrokerInquiry.Ports {
    /// Joins the group for a moment. Blocks until the group has assigned its partitions, 30 s at most.
    fileprivate func callForAssignment(of exchange: String) throws(LogError) {
        let caller = try cluster.makeMember(
            of: settings.applicationId, instance: nil, clientId: UnownedTasks.clientId)
        let listener = PassingListener(caller)
        // By then it has waited for long enough.
        defer { caller.close(waiting: .zero) }
        try caller.subscribe(to: exchange, listener: listener)
        for _ in 0..<300 where !listener.wasAssigned {
            for failure in caller.poll(maximum: 1, timeout: .milliseconds(100)).failures where failure.lasts {
                throw failure
            }
        }
    }
}

/// Takes what it is given, and reads none of it.
private final class PassingListener: RebalanceListener {
    private unowned let consumer: any Consumer
    private(set) var wasAssigned = false

    init(_ consumer: any Consumer) {
        self.consumer = consumer
    }

    func assigned(_ partitions: [TopicPartition]) {
        wasAssigned = true
        try? consumer.incrementalAssign([])
    }

    func revoked(_ partitions: [TopicPartition]) { try? consumer.incrementalUnassign([]) }
    func lost(_ partitions: [TopicPartition]) { try? consumer.incrementalUnassign([]) }
}
