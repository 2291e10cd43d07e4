import RecordLog
import Seeds
import Simulation
import StreamCore
import Synchronization

/// A deliberate bug of a processor or of what the runtime does with it.
enum LedgerDefect: String, CaseIterable, Sendable {
    case overlayKept, timersNotRebuilt, pendingKept, timersBeforeInputs
}

/// A flush that takes longer than a transaction may last, and the deadline that a commit would have had before it.
final class SlowFlush: Sendable {
    private let clock: ManualClock
    private let began = Mutex<Instant?>(nil)

    init(_ clock: ManualClock) { self.clock = clock }

    func flush() {
        began.withLock { $0 = clock.now }
        clock.advance(by: .seconds(11))
    }

    /// - Throws: if the deadline of a commit that counts from before the flush is over.
    func checkDeadline() throws(TransactionError) {
        guard let began = began.withLock({ $0 }), clock.now - began > .seconds(10) else { return }
        throw .retriable(LogError(.timedOut, name: "_TIMED_OUT", "no time is left", isRetriable: true))
    }
}

/// The ledger's processor, of which some calls are left out.
final class DefectiveLedger: RecordProcessor, MessageProcessor, ConflatingProcessor, Punctuator, ClockFollower,
    DerivingProcessor
{
    private let base = LedgerProcessor()
    private let defect: LedgerDefect?
    private let slow: SlowFlush?
    private var hasRecords = false

    init(_ defect: LedgerDefect?, slow: SlowFlush? = nil) {
        self.defect = defect
        self.slow = slow
    }

    var stores: [any ChangelogStore] {
        defect == .overlayKept ? base.stores.map { KeptOverlay($0) } : base.stores
    }

    func process(_ record: InputRecord, _ context: TaskContext) {
        hasRecords = true
        base.process(record, context)
    }

    func receive(_ message: LedgerMessage, for entity: UnsafeRawBufferPointer, _ context: TaskContext) {
        base.receive(message, for: entity, context)
    }

    func flush(_ context: TaskContext) {
        if hasRecords { slow?.flush() }
        hasRecords = false
        // The claim of a task is committed before any of its input is read.
        if defect == .timersBeforeInputs { base.punctuate(context) }
        base.flush(context)
    }

    var nextDue: Instant? { base.nextDue }
    func punctuate(_ context: TaskContext) { base.punctuate(context) }
    func clockWentBack(_ context: TaskContext, _ step: ClockStep) { base.clockWentBack(context, step) }

    func finishRestore(_ context: TaskContext, _ portion: inout Int) -> Bool {
        defect == .timersNotRebuilt || base.finishRestore(context, &portion)
    }

    func reverted(_ context: TaskContext) {
        if defect == .pendingKept { return base.armAll() }
        base.reverted(context)
    }
}

/// A store that takes what an aborted transaction wrote for its state.
private final class KeptOverlay: ChangelogStore {
    private let base: any ChangelogStore

    init(_ base: any ChangelogStore) { self.base = base }

    var id: UInt8 { base.id }
    var name: String { base.name }
    var activity: StoreActivity { base.activity }

    var format: UInt8 {
        get { base.format }
        set { base.format = newValue }
    }

    func capture(_ emit: ChangelogEmit) { base.capture(emit) }
    func commit() { base.commit() }
    func revert() { base.commit() }
    func releaseVacantSlots() { base.releaseVacantSlots() }
    func trim() { base.trim() }
    var keyCount: Int { base.keyCount }
    var slotCount: Int { base.slotCount }
    var byteCount: Int { base.byteCount }

    func restore(_ records: ArraySlice<RecordView>) throws(UnreadableRecord) { try base.restore(records) }

    func restore(
        key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?, isVersioned: Bool, offset: Offset
    ) throws(CorruptBytes) {
        try base.restore(key: key, value: value, isVersioned: isVersioned, offset: offset)
    }

    var decodesAtOnce: Bool {
        get { base.decodesAtOnce }
        set { base.decodesAtOnce = newValue }
    }

    func finishRestore(_ portion: inout Int) throws(UnreadableRecord) -> Bool { try base.finishRestore(&portion) }
}
