package import RecordLog

/// A node of the topology in one task: owns stores, changes them, and says through the context what follows.
///
/// A processor conforms to the protocols below for what it does, and to no other: it reads records, takes messages,
/// keeps timers, conflates, and so on. All calls come from the thread that owns the task, never two at once. None
/// fails: input that cannot be used becomes a dead letter. What a call writes belongs to the open transaction.
package protocol Processor: AnyObject {
    /// The stores in the changelog, each with a number of its own within the topology.
    var stores: [any ChangelogStore] { get }
}

/// A processor that a source feeds.
package protocol RecordProcessor: Processor {
    /// A record of the source, which came to this task or was forwarded to it.
    func process(_ record: InputRecord, _ context: TaskContext)

    /// Asks for the memory that these records will need; they come next, or some of them. Nothing else happens.
    func prefetch(_ records: ArraySlice<RecordView>)
}

extension RecordProcessor {
    package func prefetch(_ records: ArraySlice<RecordView>) {}
}

/// A processor that other nodes send messages to.
package protocol MessageProcessor<Message>: Processor {
    /// One type for all messages that the node takes; its bytes are part of the stored format.
    ///
    /// Within a thread a message is handed over as it is, between threads as its bytes. So a member that is not encoded
    /// would be lost with two threads, and not with one.
    associatedtype Message: StateValue

    /// - Parameter entity: the id of the entity of this task that the message is for; borrowed for the call.
    func receive(_ message: Message, for entity: UnsafeRawBufferPointer, _ context: TaskContext)
}

/// A processor that acts when a time has come: Kafka Streams' punctuation, by the wall clock.
package protocol Punctuator: Processor {
    /// The date of the earliest timer; `nil` if none is armed.
    var nextDue: Instant? { get }

    /// Fires timers that are due at `context.now`, at most `context.timerPortion` of them (R17). For one that is left
    /// `nextDue` stays past, and the call comes again in the next iteration.
    func punctuate(_ context: TaskContext)

    /// Adds its timers to what is counted. One that does not say how many it has counts as having none.
    func count(_ load: inout TimerLoad)
}

extension Punctuator {
    package func count(_ load: inout TimerLoad) {}
}

/// A processor that publishes for instants which the clock may find ahead of itself.
package protocol ClockFollower: Processor {
    /// The clock is earlier than it was, or may be: what was done for an instant further ahead is done for now.
    ///
    /// The call comes before anything else is made at the new time. If nothing lies ahead, it does nothing.
    func clockWentBack(_ context: TaskContext, _ step: ClockStep)
}

/// Why a processor is told that the clock may be earlier.
package enum ClockStep: Hashable, Sendable {
    /// The clock of this process went back by more than `Topology.clockTolerance`.
    case observed
    /// The state was restored, and nobody knows which time it is of.
    case restored
}

/// A processor that does once for a transaction what several records or messages ask for.
package protocol ConflatingProcessor: Processor {
    /// Sends and emits what waits, at most `context.flushPortion` units of work in all calls of a transaction; called
    /// before each commit, again while messages flow within the thread. What a message asks for that came in this
    /// transaction, and is in no state, is no part of that: it is done whatever the portion is.
    func flush(_ context: TaskContext)

    /// True if the last `flush` left work for the next transaction (R17). The positions of what asked for that work are
    /// committed before it is done, so it has to be in the processor's state.
    var hasMoreToFlush: Bool { get }

    /// True if the next `flush` has something that others may see: it need not wait for the commit interval
    /// (`StreamSettings.visibleCommitInterval`).
    var hasNews: Bool { get }
}

extension ConflatingProcessor {
    package var hasMoreToFlush: Bool { false }
    package var hasNews: Bool { false }
}

/// A processor that publishes anew when a run that ends has read everything.
package protocol CatchUpProcessor: Processor {
    /// Brings what was published up to all that is known at `context.now`.
    ///
    /// The call comes before every commit once the task has read all that it is to read. If nothing is to be done, it
    /// does nothing.
    func bringUp(_ context: TaskContext)
}

/// A processor that holds something back until a time comes.
package protocol HoldingProcessor: Processor {
    /// Lets go of what waits for a time that will not come, because the clock of a run that ends stands still.
    ///
    /// The call comes before every commit once the whole run has brought up everything.
    func releaseHeld(_ context: TaskContext)
}

/// A processor that keeps timers, indexes or caches which follow from its stores.
package protocol DerivingProcessor: Processor {
    /// The stores are complete for the first time: derives a portion of what follows from them (R17). No other call of
    /// the processor comes before all is derived; `context.now` moves on.
    ///
    /// - Parameter portion: the slots that may still be looked at (`RestoreWalk`).
    /// - Returns: false if it was used up; then the call comes again.
    func finishRestore(_ context: TaskContext, _ portion: inout Int) -> Bool

    /// The stores are as they were before the transaction: what it may have changed is derived again.
    func reverted(_ context: TaskContext)
}

/// A processor that keeps something for the length of a transaction.
package protocol TransactionObserver: Processor {
    func committed(_ context: TaskContext)
}

/// A record of a source topic with its origin. Its bytes are borrowed for the call.
package struct InputRecord {
    package var origin: Origin
    package var timestamp: Instant
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

/// The place of a record: source number of the topology, partition, offset.
package struct Origin: Hashable, Sendable {
    package var source: UInt8
    package var partition: Partition
    package var offset: Offset

    package init(source: UInt8, partition: Partition, offset: Offset) {
        self.source = source
        self.partition = partition
        self.offset = offset
    }
}
