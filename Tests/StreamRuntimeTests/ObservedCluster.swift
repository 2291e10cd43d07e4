import RecordLog
import Synchronization

/// A cluster whose ports note their calls, and which can do to one client what happens to processes: it stops in the
/// middle of a call, or is kept from its group for a while.
final class ObservedCluster: Cluster {
    private let base: any Cluster
    private let keepsCalls: Bool
    private let state = Mutex(State())

    struct State: Sendable {
        var calls: [Call] = []
        var diesAt: String?
        var isDead = false
        var withholdsMetadata = false
        var withholdsAssignment = false
        var patience = Duration.zero
        var refusedClient: String?
        var silent: (partition: TopicPartition, until: String)?
    }

    /// A call of a port: whose, which, about what.
    struct Call: Sendable, CustomStringConvertible {
        var client: String
        var name: String
        var partitions: [TopicPartition] = []
        var offsets: [TopicPartition: CommittedOffset] = [:]
        var starts: [StartOffset] = []
        var hasFailed = false

        var description: String { "\(client).\(name) \(partitions)\(hasFailed ? " failed" : "")" }
    }

    /// - Parameter keepsCalls: false for long runs, where they would fill memory.
    init(_ base: any Cluster, keepsCalls: Bool = true) {
        self.base = base
        self.keepsCalls = keepsCalls
    }

    var calls: [Call] { state.withLock { $0.calls } }

    func calls(_ name: String) -> [Call] { calls.filter { $0.name == name } }

    func forgetCalls() { state.withLock { $0.calls = [] } }

    /// The process ends inside its next call of this name, before it has any effect: no port answers afterwards.
    func die(at call: String) { state.withLock { $0.diesAt = call } }

    var isDead: Bool { state.withLock { $0.isDead } }

    /// While true, the consumer is no member with a generation.
    var withholdsMetadata: Bool {
        get { state.withLock { $0.withholdsMetadata } }
        set { state.withLock { $0.withholdsMetadata = newValue } }
    }

    /// While true, members are polled in vain: the group is still forming.
    var withholdsAssignment: Bool {
        get { state.withLock { $0.withholdsAssignment } }
        set { state.withLock { $0.withholdsAssignment = newValue } }
    }

    /// The longest time that a consumer was told to wait for its first assignment when it was closed.
    var longestPatience: Duration { state.withLock { $0.patience } }

    func noteClose(waiting patience: Duration) { state.withLock { $0.patience = max($0.patience, patience) } }

    /// The next consumer of this client cannot be made.
    func refuse(client: String) { state.withLock { $0.refusedClient = client } }

    private func refuses(_ client: String) -> Bool {
        state.withLock { state in
            guard state.refusedClient == client else { return false }
            state.refusedClient = nil
            return true
        }
    }

    /// From now on nothing is heard of a partition, though it is assigned and all else goes on, until a port is called
    /// about it by this name.
    func silence(_ partition: TopicPartition, until call: String) {
        state.withLock { $0.silent = (partition, call) }
    }

    var silentPartition: TopicPartition? { state.withLock { $0.silent?.partition } }

    static let death = LogError(.fatal, name: "_DEAD", "the process has ended")

    func note(_ call: Call) {
        state.withLock { state in
            guard let silent = state.silent, call.name == silent.until else { return }
            if call.partitions.contains(silent.partition) { state.silent = nil }
        }
        if keepsCalls { state.withLock { $0.calls.append(call) } }
    }

    /// - Returns: false where the process is dead, or dies here.
    func lives(through call: String) -> Bool {
        state.withLock { state in
            if state.diesAt == call { state.isDead = true }
            return !state.isDead
        }
    }

    func makeConsumer(group: String?, isolation: IsolationLevel, clientId: String) throws(LogError) -> any Consumer {
        guard lives(through: "makeConsumer") else { throw Self.death }
        if refuses(clientId) { throw LogError(.other, name: "_FAIL", "no more threads") }
        note(Call(client: clientId, name: "makeConsumer"))
        return ObservedConsumer(
            try base.makeConsumer(group: group, isolation: isolation, clientId: clientId), clientId, self)
    }

    func makeTransactionalProducer(
        transactionalId: String, clientId: String
    ) throws(LogError) -> any TransactionalProducer {
        guard lives(through: "makeTransactionalProducer") else { throw Self.death }
        note(Call(client: transactionalId, name: "makeTransactionalProducer"))
        return ObservedProducer(
            try base.makeTransactionalProducer(transactionalId: transactionalId, clientId: clientId), self)
    }

    func makePlainProducer(clientId: String) throws(LogError) -> any PlainProducer {
        try base.makePlainProducer(clientId: clientId)
    }

    func makeAdmin() throws(LogError) -> any Admin {
        note(Call(client: "admin", name: "makeAdmin"))
        return ObservedAdmin(try base.makeAdmin(), self)
    }
}
