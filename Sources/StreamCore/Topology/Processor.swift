package import RecordLog

/// A node of the topology in one task: owns its stores, changes them, and says what follows through the context.
///
/// All calls come from the thread that owns the task, never two at once, and none fails: input that cannot be used
/// becomes a dead letter. What a call writes belongs to the open transaction.
package protocol Processor: AnyObject {
    /// The stores in the changelog, each with an id of its own within the task.
    var stores: [any ChangelogStore] { get }

    /// A record of a source, here or forwarded here.
    func process(_ record: InputRecord, _ context: TaskContext)

    /// A message of another node to an entity of this task.
    func receive(_ message: NodeMessage, _ context: TaskContext)

    /// Fires the timers that are due at `context.now`.
    func punctuate(_ context: TaskContext)

    /// The clock may have gone back by more than `Topology.clockTolerance`, while the task was living or before it was
    /// restored: what was done for an instant further ahead is done for now. Called before anything else is made; where
    /// nothing lies ahead it does nothing.
    func clockWentBack(_ context: TaskContext)

    /// Sends and emits what was conflated; called before each commit, again while messages flow within the thread.
    func flush(_ context: TaskContext)

    /// Brings what was published up to all that is known at `context.now`; called before commits while a run that is to
    /// end when it has caught up has read all it should. Does nothing where nothing is to be done.
    func bringUp(_ context: TaskContext)

    /// Sends what waits for a time that will not come, as the clock stands: called before commits once a run that is to
    /// end has brought up everything. Does nothing where nothing waits.
    func closeOut(_ context: TaskContext)

    /// The stores are complete: derive timers and indexes.
    func finishRestore(_ context: TaskContext)

    /// The transaction is committed.
    func committed(_ context: TaskContext)

    /// The stores are as they were before the transaction: derive again what the transaction may have changed.
    func reverted(_ context: TaskContext)

    /// Milliseconds since 1970 of the earliest timer.
    var nextDue: Int64? { get }
}

extension Processor {
    /// Enough for whoever keeps no time.
    package func clockWentBack(_ context: TaskContext) {}

    /// Enough for whoever lets nothing wait.
    package func closeOut(_ context: TaskContext) {}
}

/// A record of a source topic with where it came from. Its bytes are borrowed for the call.
package struct InputRecord {
    package var origin: Origin
    package var timestamp: Int64
    package var key: UnsafeRawBufferPointer?
    package var value: UnsafeRawBufferPointer?
    /// For `TaskContext.headers(of:)`.
    package var view: RecordView

    package init(origin: Origin, view: RecordView) {
        self.origin = origin
        self.timestamp = view.timestamp
        self.key = view.key
        self.value = view.value
        self.view = view
    }
}

/// Where a record stood: source number of the topology, partition, offset.
package struct Origin: Hashable, Sendable {
    package var source: UInt8
    package var partition: Int32
    package var offset: Int64

    package init(source: UInt8, partition: Int32, offset: Int64) {
        self.source = source
        self.partition = partition
        self.offset = offset
    }
}

/// A message to an entity: id and payload, borrowed for the call.
package struct NodeMessage {
    package var entity: UnsafeRawBufferPointer
    package var payload: UnsafeRawBufferPointer

    package init(entity: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer) {
        self.entity = entity
        self.payload = payload
    }
}
