import StreamCore
import Timelines

/// A timeline that is to be made before the commit, or in the next transaction.
struct PendingTimeline: StateValue {
    /// The instant for which the timeline is made.
    var at: Instant
    var cause: Cause
    var traceParent: [UInt8]?
    /// The vehicle is asked for a snapshot before: a calendar has news, but the vehicle told only what it was when it
    /// had news itself.
    var needsSnapshots = false

    init(at: Instant, cause: Cause, traceParent: [UInt8]?, needsSnapshots: Bool = false) {
        self.at = at
        self.cause = cause
        self.traceParent = traceParent
        self.needsSnapshots = needsSnapshots
    }

    /// One timeline for two causes: the stronger cause is named, the later instant counts, the trace is the first one.
    func merged(with new: PendingTimeline) -> PendingTimeline {
        PendingTimeline(
            at: max(at, new.at), cause: cause.isStronger(than: new.cause) ? cause : new.cause,
            traceParent: traceParent ?? new.traceParent, needsSnapshots: needsSnapshots || new.needsSnapshots)
    }

    func encode(into writer: inout ByteWriter) {
        writer.write(at)
        writer.write(cause.rawValue)
        writer.write(optional: traceParent) { $0.write($1) }
        writer.write(needsSnapshots)
    }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        at = try reader.instant()
        cause = try Cause(from: &reader)
        traceParent = try reader.bool() ? try reader.array() : nil
        needsSnapshots = try reader.bool()
    }
}

/// The timelines that are to be made: each configuration's at most once in a transaction, the rest in the next one.
///
/// This part owns `pending` of a configuration's state.
struct PendingTimelines {
    private let table: ConfigurationTable
    private var queue = SlotQueue<ConfigurationState, Void>()
    /// Configurations whose timeline this transaction published.
    private var published = SlotQueue<ConfigurationState, Void>()
    /// The timelines that were taken out in this transaction.
    private var used = 0
    /// True if timelines wait, in state, for the next transaction because this one has enough.
    private(set) var hasMore = false

    /// True if no timeline waits to be made.
    var isEmpty: Bool { queue.isEmpty }

    init(of table: ConfigurationTable) {
        self.table = table
    }

    mutating func add(_ new: PendingTimeline, _ slot: Slot<ConfigurationState>) {
        table.modify(slot) { state in state.pending = state.pending?.merged(with: new) ?? new }
        queue.append(slot)
    }

    /// Forgets what was to be made of a configuration that is adopted anew or deleted.
    func cancel(_ slot: Slot<ConfigurationState>) { table[slot]!.pending = nil }

    /// Takes out the configurations whose timelines are to be made now, as many as the transaction has room for.
    ///
    /// A configuration whose timeline this transaction published waits, in state, for the next transaction.
    ///
    /// While much is still to be read all of them wait: of the timelines that would follow only the last is made.
    mutating func drain(_ context: TaskContext) -> [Slot<ConfigurationState>] {
        if context.leavesPending {
            hasMore = !queue.isEmpty
            return []
        }
        var ready: [Slot<ConfigurationState>] = []
        for (slot, _) in queue.drain(context.flushPortion - used) where table[slot]?.pending != nil {
            used += 1
            if published.contains(slot) { queue.append(slot) } else { ready.append(slot) }
        }
        hasMore = used >= context.flushPortion && !queue.isEmpty
        return ready
    }

    mutating func didPublish(_ slot: Slot<ConfigurationState>) {
        published.append(slot)
        table[slot]!.pending = nil
    }

    mutating func committed() {
        published.removeAll()
        used = 0
    }

    mutating func reverted() {
        published.removeAll()
        used = 0
    }

    /// Queues a configuration again whose state says that a timeline is to be made. One that waits for answers, or for
    /// snapshots, is queued by the last of them.
    mutating func restore(_ slot: Slot<ConfigurationState>) {
        guard table[slot]?.pending != nil, let state = table[slot], state.areAllAnswered else { return }
        if state.renewal == nil || !state.sources.contains(where: \.isAwaited) { queue.append(slot) }
    }

    mutating func forget(_ released: ReleasedSlots<ConfigurationState>) {
        queue.forget(released)
        published.forget(released)
    }
}
