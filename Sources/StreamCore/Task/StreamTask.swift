package import RecordLog

/// Task *p*: the processors of the topology with the state of the entities that belong to partition *p*, and its
/// positions. Synchronous; belongs to one stream thread.
package final class StreamTask {
    package let partition: Partition
    package let context: TaskContext
    package let positions = TaskPositions()
    let nodes: [NodeInstance]
    /// By id.
    private let stores: [(any ChangelogStore)?]
    /// In order of id, so that the changelog is written in the same order every time.
    let orderedStores: [any ChangelogStore]
    /// By the place of the store in `orderedStores`.
    private let activities: [StoreActivity]
    private var committedCounters: TaskCounters
    private var committedDeadLetters = TaskContext.noDeadLetters
    private var committedWarnings = TaskContext.noWarnings
    private var clockWatch: ClockWatch
    /// What is recorded of the program with the positions.
    let terms: StateTerms
    /// True if the changelog had anything.
    var hasState = false
    var isRestored = false
    /// The nodes that have derived all that follows from their stores; `nil` until the changelog is read.
    var derivedNodes: Int?
    var beginning = Beginning.none
    /// The processors were told of the time of this restore; as of the last commit.
    package private(set) var isClockKnown = false
    private var isClockCommitted = false

    /// The key of the changelog record with the positions; stores have ids from 1.
    private static let positionsKey: [UInt8] = [0]

    /// - Parameters:
    ///   - terms: what is recorded of the program with the state.
    ///   - predecessor: the same task of this thread, whose state is read anew: the clock that it saw still counts.
    package init(
        partition: Partition, partitions: Int32, topology: Topology, router: any MessageRouter,
        terms: StateTerms = StateTerms(), insteadOf predecessor: StreamTask? = nil
    ) {
        self.partition = partition
        self.terms = terms
        clockWatch = predecessor?.clockWatch ?? ClockWatch(tolerance: topology.clockTolerance)
        clockWatch.revert()
        context = TaskContext(partition: partition, partitions: partitions, topology: topology, router: router)
        committedCounters = TaskCounters(of: topology)
        nodes = topology.nodes.map { $0.make() }
        orderedStores = nodes.flatMap(\.processor.stores).sorted { $0.id < $1.id }
        activities = orderedStores.map(\.activity)
        var stores: [(any ChangelogStore)?] = Array(repeating: nil, count: Int(StateFormat.versionedKey))
        for store in orderedStores {
            precondition(store.id > 0 && store.id < StateFormat.versionedKey, "Store ids begin at 1, and end at 127.")
            precondition(stores[Int(store.id)] == nil, "Each store has an id of its own.")
            stores[Int(store.id)] = store
        }
        self.stores = stores
        write(format: max(topology.stateFormat ?? StateFormat.newest, StateFormat.unversioned))
    }

    /// The store of a changelog record, by the first byte of its key; `nil` if there is none of that id.
    func store(of first: UInt8) -> (any ChangelogStore)? { stores[Int(first & ~StateFormat.versionedKey)] }

    // MARK: - Time

    /// Sets the time for all that follows, once per iteration before anything is read. If the clock went back, the
    /// processors are told; after a restore they are told in any case, because nobody knows which time the state is of.
    package func advance(to now: Instant) {
        context.now = now
        guard isRestored else { return }
        let isFirst = !isClockKnown
        isClockKnown = true
        let hasGoneBack = clockWatch.hasGoneBack(at: now)
        guard hasGoneBack || isFirst else { return }
        forEachNode { node in node.clockFollower?.clockWentBack(context, hasGoneBack ? .observed : .restored) }
    }

    func forEachNode(_ body: (NodeInstance) -> Void) {
        for (number, node) in nodes.enumerated() {
            context.node = number
            body(node)
        }
    }

    // MARK: - Transaction

    /// Lets each node send and emit what waits. The call comes again while messages flow: what they ask for is done in
    /// this transaction, also by a node that has had its portion (R17).
    package func flush() {
        for node in nodes.indices { flush(node) }
    }

    /// The same of one node, by its place in the topology.
    package func flush(_ node: Int) {
        context.node = node
        nodes[node].conflating?.flush(context)
    }

    /// True if the last flush left work for the next transaction (`ConflatingProcessor.hasMoreToFlush`).
    package var hasMoreToFlush: Bool { nodes.contains { $0.conflating?.hasMoreToFlush ?? false } }

    /// True if something waits for the commit that others may see (`ConflatingProcessor.hasNews`), or was emitted.
    package var hasNews: Bool { !context.outputs.isEmpty || nodes.contains { $0.conflating?.hasNews ?? false } }

    package func bringUp() {
        forEachNode { node in node.catchUp?.bringUp(context) }
    }

    package func releaseHeld() {
        forEachNode { node in node.holding?.releaseHeld(context) }
    }

    /// True if the transaction wrote state, moved positions or emitted anything.
    package var isDirty: Bool {
        positions.isDirty || !context.outputs.isEmpty || activities.contains { $0.isWritten }
    }

    /// Writes each key that changed, once, and the positions.
    package func captureChangelog(
        _ emit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?) -> Void
    ) {
        for place in activities.indices where activities[place].isWritten { orderedStores[place].capture(emit) }
        guard positions.isDirty else { return }
        captureBeginning(emit)
        var writer = ByteWriter(capacity: 256)
        positions.encode(of: context.topology.sources, header: header, into: &writer)
        Self.positionsKey.withUnsafeBytes { key in
            writer.withUnsafeBytes { emit(key, $0) }
        }
    }

    /// The transaction is committed.
    package func commit() {
        precondition(context.outputs.isEmpty, "What a task emitted is in the transaction before it is committed.")
        for place in activities.indices where activities[place].isWritten { orderedStores[place].commit() }
        positions.commit()
        if beginning == .written { beginning = .committed }
        clockWatch.commit()
        isClockCommitted = isClockKnown
        committedCounters.add(context.counters)
        context.counters.reset()
        // Exchanged, for a copy counts references, and hardly ever is there anything.
        swap(&committedDeadLetters, &context.deadLetters)
        swap(&committedWarnings, &context.warnings)
        swap(&committedNotes, &context.notes)
        swap(&committedFailures, &context.failures)
        context.forgetNotices()
        forEachNode { node in node.observer?.committed(context) }
        releaseVacantSlots()
    }

    /// The transaction is aborted: everything is as it was after the last commit.
    ///
    /// - Returns: the indexes of the positions that went back.
    package func revert() -> [Int] {
        context.outputs.removeAll()
        context.counters.reset()
        context.forgetNotices()
        for store in orderedStores { store.revert() }
        let moved = positions.revert()
        if beginning == .written { beginning = .none }
        clockWatch.revert()
        isClockKnown = isClockCommitted
        forEachNode { node in node.deriving?.reverted(context) }
        releaseVacantSlots()
        return moved
    }

    /// The last store first: a subscription that goes lets its source go.
    private func releaseVacantSlots() {
        for place in activities.indices.reversed() where activities[place].isTouched {
            orderedStores[place].releaseVacantSlots()
        }
    }

    /// Takes what was counted in committed transactions since the last call.
    package func takeCounters() -> TaskCounters {
        defer { committedCounters.reset() }
        return committedCounters
    }

    /// Takes the dead letters of the last committed transaction.
    package func takeDeadLetters() -> RecordNotices {
        defer { committedDeadLetters.removeAll() }
        return committedDeadLetters
    }

    /// What was done in the last committed transaction, as far as somebody followed it.
    package private(set) var committedNotes = ActivityNotes()

    /// The sources that began to fail in the last committed transaction.
    package private(set) var committedFailures = TaskContext.noFailures

    /// Takes what the last committed transaction warned of.
    package func takeWarnings() -> RecordNotices {
        defer { committedWarnings.removeAll() }
        return committedWarnings
    }
}
