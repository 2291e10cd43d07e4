package import RecordLog

/// Task *p*: the processors of the topology with the state of the entities that belong to partition *p*, and its
/// positions. Synchronous; belongs to one stream thread.
package final class StreamTask {
    package let partition: Partition
    package let context: TaskContext
    package let positions = TaskPositions()
    private let nodes: [NodeInstance]
    private let stores: [UInt8: any ChangelogStore]
    /// In order of id, so that the changelog is written in the same order every time.
    private let orderedStores: [any ChangelogStore]
    private var committedCounters: TaskCounters
    private var committedDeadLetters = TaskContext.noDeadLetters
    private var committedWarnings = TaskContext.noWarnings
    private var clockWatch: ClockWatch
    private var isRestored = false
    /// The processors were told of the time of this restore; as of the last commit.
    private var isClockKnown = false
    private var isClockCommitted = false

    /// The key of the changelog record with the positions; stores have ids from 1.
    private static let positionsKey: [UInt8] = [0]

    /// - Parameter predecessor: the same task of this thread, whose state is read anew: the clock that it saw still
    ///   counts.
    package init(
        partition: Partition, partitions: Int32, topology: Topology, router: any MessageRouter,
        insteadOf predecessor: StreamTask? = nil
    ) {
        self.partition = partition
        clockWatch = predecessor?.clockWatch ?? ClockWatch(tolerance: topology.clockTolerance)
        clockWatch.revert()
        context = TaskContext(partition: partition, partitions: partitions, topology: topology, router: router)
        committedCounters = TaskCounters(of: topology)
        nodes = topology.nodes.map { $0.make() }
        orderedStores = nodes.flatMap(\.processor.stores).sorted { $0.id < $1.id }
        stores = Dictionary(uniqueKeysWithValues: orderedStores.map { ($0.id, $0) })
        precondition(stores[0] == nil, "Store ids begin at 1.")
    }

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

    // MARK: - Input

    /// A record of a source, at the partition that this task reads.
    package func process(_ view: RecordView, source: UInt8) {
        context.counters.records += 1
        let origin = Origin(source: source, partition: view.partition, offset: view.offset)
        process(InputRecord(origin: origin, view: view))
    }

    private func process(_ record: InputRecord) {
        let node = context.topology.sources[Int(record.origin.source)].node
        guard let processor = nodes[node].records else { preconditionFailure("A source feeds a RecordProcessor.") }
        context.node = node
        processor.process(record, context)
    }

    /// A record of the exchange, or one delivered within the thread.
    ///
    /// - Throws: where the bytes are not what a task of this program wrote.
    package func receive(_ envelope: UnsafeRawBufferPointer) throws(CorruptBytes) {
        switch try Envelope.read(envelope) {
        case .message(let node, let message):
            guard nodes.indices.contains(node), let receive = nodes[node].receive else {
                throw CorruptBytes("unknown node \(node)")
            }
            context.node = node
            receive(message, context)
        case .forwarded(let record, let headers):
            guard context.topology.sources.indices.contains(Int(record.origin.source)) else {
                throw CorruptBytes("unknown source \(record.origin.source)")
            }
            let reader = context.headerReader
            context.headerReader = { _ in headers }
            defer { context.headerReader = reader }
            process(record)
        }
    }

    package func punctuate() {
        forEachNode { node in node.punctuator?.punctuate(context) }
    }

    private func forEachNode(_ body: (NodeInstance) -> Void) {
        for (number, node) in nodes.enumerated() {
            context.node = number
            body(node)
        }
    }

    package var nextDue: Instant? {
        var earliest: Instant?
        for node in nodes {
            guard let due = node.punctuator?.nextDue else { continue }
            earliest = min(earliest ?? due, due)
        }
        return earliest
    }

    // MARK: - Transaction

    package func flush() {
        forEachNode { node in node.conflating?.flush(context) }
    }

    package func bringUp() {
        forEachNode { node in node.catchUp?.bringUp(context) }
    }

    package func releaseHeld() {
        forEachNode { node in node.holding?.releaseHeld(context) }
    }

    /// True if the transaction wrote state, moved positions or emitted anything.
    package var isDirty: Bool {
        positions.isDirty || !context.outputs.isEmpty || orderedStores.contains { $0.isDirty }
    }

    /// Writes each key that changed, once, and the positions.
    package func captureChangelog(
        _ emit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?) -> Void
    ) {
        for store in orderedStores { store.capture(emit) }
        guard positions.isDirty else { return }
        var writer = ByteWriter(capacity: 256)
        positions.encode(of: context.topology.sources, into: &writer)
        Self.positionsKey.withUnsafeBytes { key in
            writer.bytes.withUnsafeBytes { emit(key, $0) }
        }
    }

    /// The transaction is committed.
    package func commit() {
        precondition(context.outputs.isEmpty, "What a task emitted is in the transaction before it is committed.")
        for store in orderedStores { store.commit() }
        positions.commit()
        clockWatch.commit()
        isClockCommitted = isClockKnown
        committedCounters.add(context.counters)
        context.counters.reset()
        committedDeadLetters = context.deadLetters
        context.deadLetters.removeAll()
        committedWarnings = context.warnings
        context.warnings.removeAll()
        forEachNode { node in node.observer?.committed(context) }
    }

    /// The transaction is aborted: everything is as it was after the last commit.
    ///
    /// - Returns: the indexes of the positions that went back.
    package func revert() -> [Int] {
        context.outputs.removeAll()
        context.counters.reset()
        context.deadLetters.removeAll()
        context.warnings.removeAll()
        for store in orderedStores { store.revert() }
        let moved = positions.revert()
        clockWatch.revert()
        isClockKnown = isClockCommitted
        forEachNode { node in node.deriving?.reverted(context) }
        return moved
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

    /// Takes what the last committed transaction warned of.
    package func takeWarnings() -> RecordNotices {
        defer { committedWarnings.removeAll() }
        return committedWarnings
    }

    // MARK: - Restore

    package func restore(
        key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?
    ) throws(CorruptBytes) {
        guard let id = key.first else { throw CorruptBytes("changelog record with an empty key") }
        if id == 0 {
            guard let value else { return }
            var reader = ByteReader(value)
            try positions.restore(of: context.topology.sources, from: &reader)
            return
        }
        guard let store = stores[id] else { throw CorruptBytes("changelog record of unknown store \(id)") }
        try store.restore(key: UnsafeRawBufferPointer(rebasing: key[1...]), value: value)
    }

    package func finishRestore() {
        isRestored = true
        forEachNode { node in node.deriving?.finishRestore(context) }
    }
}
