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
    }

    /// A call of a port: whose, which, about what.
    struct Call: Sendable, CustomStringConvertible {
        var client: String
        var name: String
        var partitions: [TopicPartition] = []
        var offsets: [TopicPartition: CommittedOffset] = [:]
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

    static let death = LogError(.fatal, name: "_DEAD", "the process has ended")

    func note(_ call: Call) {
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

    func makeAdmin() throws(LogError) -> any Admin { try base.makeAdmin() }
}

private final class ObservedConsumer: Consumer {
    /// Nil once the process is dead: the handle is destroyed, without a word to the broker.
    private var base: (any Consumer)?
    private let clientId: String
    private let cluster: ObservedCluster

    init(_ base: any Consumer, _ clientId: String, _ cluster: ObservedCluster) {
        self.base = base
        self.clientId = clientId
        self.cluster = cluster
    }

    private func note(_ name: String, _ partitions: [TopicPartition], hasFailed: Bool = false) {
        cluster.note(.init(client: clientId, name: name, partitions: partitions, hasFailed: hasFailed))
    }

    private func living() throws(LogError) -> any Consumer {
        if cluster.isDead { base = nil }
        guard let base else { throw ObservedCluster.death }
        return base
    }

    var topics: [String] { base?.topics ?? [] }

    func subscribe(to topic: String, listener: any RebalanceListener) throws(LogError) {
        try living().subscribe(to: topic, listener: listener)
    }

    func incrementalAssign(_ partitions: [(TopicPartition, StartOffset)]) throws(LogError) {
        note("incrementalAssign", partitions.map(\.0))
        try living().incrementalAssign(partitions)
    }

    func incrementalUnassign(_ partitions: [TopicPartition]) throws(LogError) {
        note("incrementalUnassign", partitions)
        try living().incrementalUnassign(partitions)
    }

    func seek(_ positions: [(TopicPartition, Offset)], timeout: Duration) throws(LogError) -> [TopicPartition] {
        note("seek", positions.map(\.0))
        return try living().seek(positions, timeout: timeout)
    }

    func poll(maximum: Int, timeout: Duration) -> ConsumedBatch {
        guard !cluster.withholdsAssignment, cluster.lives(through: "poll"), let base = try? living() else {
            return ConsumedBatch(records: [], headers: { _ in [] }, release: {})
        }
        return base.poll(maximum: maximum, timeout: timeout)
    }

    func committed(
        _ partitions: [TopicPartition], timeout: Duration
    ) throws(LogError) -> [TopicPartition: CommittedOffset] {
        do throws(LogError) {
            let committed = try living().committed(partitions, timeout: timeout)
            note("committed", partitions)
            return committed
        } catch {
            note("committed", partitions, hasFailed: true)
            throw error
        }
    }

    func watermarks(of partition: TopicPartition, timeout: Duration) throws(LogError) -> Watermarks {
        note("watermarks", [partition])
        return try living().watermarks(of: partition, timeout: timeout)
    }

    func groupMetadata() -> (any GroupMetadata)? { cluster.withholdsMetadata ? nil : base?.groupMetadata() }

    func close() {
        note("close", [])
        base?.close()
        base = nil
    }
}

private final class ObservedProducer: TransactionalProducer {
    private let base: any TransactionalProducer
    private let cluster: ObservedCluster

    init(_ base: any TransactionalProducer, _ cluster: ObservedCluster) {
        self.base = base
        self.cluster = cluster
    }

    var transactionalId: String { base.transactionalId }

    private func live(through call: String) throws(TransactionError) {
        guard cluster.lives(through: call) else { throw .fatal(ObservedCluster.death) }
    }

    private func note(_ name: String, _ offsets: [(TopicPartition, CommittedOffset)] = []) {
        let offsets = Dictionary(uniqueKeysWithValues: offsets)
        cluster.note(
            .init(client: transactionalId, name: name, partitions: offsets.keys.sorted(), offsets: offsets))
    }

    func initialise(timeout: Duration) throws(TransactionError) {
        try live(through: "initialise")
        note("initialise")
        try base.initialise(timeout: timeout)
    }

    func begin() throws(TransactionError) {
        try live(through: "begin")
        note("begin")
        try base.begin()
    }

    func produce(
        topic: String, partition: Int32?, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?,
        headers: [Header]
    ) throws(TransactionError) {
        try live(through: "produce")
        cluster.note(
            .init(client: transactionalId, name: "produce", partitions: [TopicPartition(topic, partition ?? -1)]))
        try base.produce(topic: topic, partition: partition, key: key, value: value, headers: headers)
    }

    func sendOffsets(
        _ offsets: [(TopicPartition, CommittedOffset)], group: any GroupMetadata, timeout: Duration
    ) throws(TransactionError) {
        try live(through: "sendOffsets")
        note("sendOffsets", offsets)
        try base.sendOffsets(offsets, group: group, timeout: timeout)
    }

    func commit(timeout: Duration) throws(TransactionError) {
        try live(through: "commit")
        try base.commit(timeout: timeout)
        note("commit")
    }

    func abort(timeout: Duration) throws(TransactionError) {
        try live(through: "abort")
        note("abort")
        try base.abort(timeout: timeout)
    }

    func destroy() {
        if cluster.isDead { return }
        note("destroy")
        base.destroy()
    }
}
