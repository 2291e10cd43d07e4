import Messages
import Positions
import RecordLog
import StreamCore
import Timelines

/// The readers of the timelines of a task: takes in what their devices say (P1), describes it by the timeline in force
/// (P4), forgets what has expired (P6), and publishes what all devices of a reader say together (P2).
///
/// A configuration that nobody reads costs one look into an empty table for each of its timelines.
final class ConfigurationReaders {
    private let settings: PipelineSettings
    private let readers: ReaderTable
    private let entries: EntriesOfReaders
    private let bounds: ReaderBounds
    private var parser = JSONParser()
    private var due = SlotQueue<ReaderState, Void>()
    /// Published by this transaction: what comes after that waits for the next one.
    private var published: Set<Slot<ReaderState>> = []
    private var expiries = SlotTimers<ReaderState>()
    /// The timers that this transaction took out.
    private var fired: [Slot<ReaderState>] = []
    /// What was published by the flushes of this transaction.
    private var used = 0
    private var output: MergedPositionOutput

    init(of table: ConfigurationTable, _ maker: TimelineMaker, _ settings: PipelineSettings) {
        self.settings = settings
        readers = ReaderTable(of: table)
        entries = EntriesOfReaders(of: table, maker, settings.positions)
        bounds = ReaderBounds(settings)
        output = MergedPositionOutput(settings)
        readers.onRelease = { [unowned self] released in
            due.forget(released)
            expiries.forget(released)
        }
    }

    var stores: [any ChangelogStore] { readers.stores + entries.stores }

    // MARK: - 1. A device says where its reader is

    func process(_ record: InputRecord, _ context: TaskContext) {
        guard settings.positions.enabled else {
            context.counters[.refusedPositions] += 1
            return
        }
        do throws(MessageProblem) {
            try settings.recordBounds.check(record)
            guard let value = record.value else {
                return try forget(try PositionKey.decode(record.key), record, context)
            }
            try apply(try PositionRecord.decode(value, with: &parser), of: record, context)
        } catch {
            context.deadLetter(record, error, settings)
        }
    }

    private func apply(
        _ position: PositionRecord, of record: InputRecord, _ context: TaskContext
    ) throws(MessageProblem) {
        let key = PositionKey(of: position).reader
        let owned = try context.whereOwned(key.configurationId, orForward: record, settings) { _, _ in
            readers.slot(of: key)
        }
        guard let slot = owned else { return }
        let configuration = readers.configuration(of: key)
        entries.prepare(configuration)
        let arrival = arrival(of: record, context)
        if position.isFromFuture(arrival: arrival) { context.counters[.futurePositions] += 1 }
        context.counters[.expiredPositions] += position.partsCount(before: context.now - settings.positions.expiry)
        let described = entries.described(position, of: configuration)
        let isChanged = change(slot) { state in
            let before = state.positions
            state.positions.record(described, arrival: arrival, settings: settings.positions)
            // The record may have been written long ago.
            state.positions.expire(at: context.now, settings: settings.positions)
            guard state.positions != before else { return false }
            state.traceParent = context.traceParent(of: record)
            return true
        }
        if isChanged { return }
        context.counters[.latePositions] += 1
        forgetEntriesIfUnread(configuration)
    }

    /// Forgets the places of one device. Its reader may have others.
    private func forget(
        _ key: PositionKey, _ record: InputRecord, _ context: TaskContext
    ) throws(MessageProblem) {
        let owned = try context.whereOwned(key.reader.configurationId, orForward: record, settings) { _, _ in
            readers.find(key.reader)
        }
        guard let known = owned, let slot = known else { return }
        change(slot) { state in
            let before = state.positions
            state.positions.forget(deviceId: key.deviceId)
            guard state.positions != before else { return false }
            state.traceParent = context.traceParent(of: record)
            return true
        }
    }

    /// The instant at which a record came. A clock that was started at another time says nothing about that.
    private func arrival(of record: InputRecord, _ context: TaskContext) -> Instant {
        guard record.timestamp.milliseconds > 0 else { return context.now }
        return settings.startsClockAnew ? record.timestamp : min(record.timestamp, context.now)
    }

    /// Changes a reader's state. If `body` returns true, the merged record is published, and the timer is set anew;
    /// else nothing is written.
    @discardableResult
    private func change(_ slot: Slot<ReaderState>, _ body: (inout ReaderState) -> Bool) -> Bool {
        var state = readers[slot] ?? ReaderState()
        guard body(&state) else { return false }
        state.isDue = true
        readers.put(state, slot)
        due.append(slot)
        arm(slot)
        return true
    }

    // MARK: - 2. A timeline is published, or its configuration deleted

    /// Describes the places of which nothing was known until this timeline.
    func timelinePublished(_ timeline: Timeline, of configuration: Slot<ConfigurationState>) {
        guard readers.hasReaders(configuration), entries.keep(timeline, of: configuration) else { return }
        let entriesById = entries.entriesById(of: configuration)
        for slot in readers.readers(of: configuration) {
            guard let told = entries.told(readers[slot]?.positions, by: entriesById) else { continue }
            change(slot) { state in
                state.positions.merge(told, settings: settings.positions)
                return true
            }
        }
    }

    /// A reader of a configuration that is gone may come back with it: places stay until they expire (P8).
    func configurationDeleted(_ configuration: Slot<ConfigurationState>) { entries.forget(configuration) }

    // MARK: - 3. A place expires

    var nextDue: Instant? { expiries.nextDue }

    func count(_ load: inout TimerLoad) { load.add(expiries) }

    func punctuate(_ context: TaskContext) {
        for _ in 0..<context.timerPortion {
            guard let slot = expiries.pop(now: context.now) else { break }
            fired.append(slot)
            if readers[slot] == nil { continue }
            let isChanged = change(slot) { state in
                let count = state.positions.partsCount
                state.positions.expire(at: context.now, settings: settings.positions)
                let expired = count - state.positions.partsCount
                context.counters[.expiredPositions] += expired
                return expired > 0
            }
            if !isChanged { arm(slot) }
        }
    }

    private func arm(_ slot: Slot<ReaderState>) {
        if let expiry = readers[slot]?.positions.nextExpiry(settings: settings.positions) {
            expiries.arm(slot, due: expiry)
        } else {
            expiries.disarm(slot)
        }
    }

    // MARK: - 4. The transaction ends

    /// True if merged records wait for the next transaction because this one has enough.
    private(set) var hasMoreToFlush = false

    /// What waits is in state.
    func flush(_ context: TaskContext) {
        for (slot, _) in due.drain(context.flushPortion - used) where readers[slot]?.isDue == true {
            used += 1
            if published.contains(slot) { due.append(slot) } else { publish(slot, context) }
        }
        hasMoreToFlush = used >= context.flushPortion && !due.isEmpty
    }

    private func publish(_ slot: Slot<ReaderState>, _ context: TaskContext) {
        guard var state = readers[slot] else { return }
        let key = readers.key(of: slot)
        context.counters[.trimmedPositions] += bounds.fit(&state, of: key)
        let merged = state.positions.merged(readerId: key.readerId, configurationId: key.configurationId)
        // What was never told needs no tombstone.
        if merged != nil || state.revision > 0 {
            state.revision += 1
            output.emit(merged, key.text, revision: state.revision, traceParent: state.traceParent, context)
        }
        state.isDue = false
        state.traceParent = nil
        readers.put(state, slot)
        arm(slot)
        published.insert(slot)
        if merged == nil { forgetEntriesIfUnread(readers.configuration(of: key)) }
    }

    /// The entries of a timeline that nobody reads would be out of date when somebody comes.
    private func forgetEntriesIfUnread(_ configuration: Slot<ConfigurationState>) {
        if !readers.hasReaders(configuration) { entries.forget(configuration) }
    }

    // MARK: - Derived from state

    /// - Returns: false if the portion was used up, as `DerivingProcessor.finishRestore`.
    func finishRestore(_ portion: inout Int) -> Bool {
        while let slot = readers.nextRestored(&portion) { rederive(slot) }
        return readers.isRestored
    }

    func committed() {
        published.removeAll(keepingCapacity: true)
        fired.removeAll(keepingCapacity: true)
        used = 0
    }

    func reverted() {
        for slot in readers.reverted() + fired { rederive(slot) }
        published.removeAll()
        fired.removeAll()
        used = 0
    }

    private func rederive(_ slot: Slot<ReaderState>) {
        if readers[slot]?.isDue == true { due.append(slot) }
        arm(slot)
    }

    /// Configurations are forgotten, which have no readers.
    func forget(_ released: ReleasedSlots<ConfigurationState>) { readers.forget(released) }
}

extension ReaderPositions {
    /// How many places and marks are remembered.
    var partsCount: Int { histories.reduce(readEntries.count + dismissed.count) { $0 + $1.snapshots.count } }
}

extension PositionRecord {
    /// How many places and marks it tells that are not later than `instant`.
    fileprivate func partsCount(before instant: Instant) -> Int {
        ([position] + history).count { $0.observedAt <= instant } + (readEntries + dismissed).count { $0.at <= instant }
    }
}
