package import RecordLog
package import StreamCore

/// Books each record under its entity by the record's serial number, and does with it everything that a processor can
/// do: it emits, sends one numbered message to each task in turn, conflates a total for each transaction, and arms a
/// timer that rings for the records since the last ring. What comes twice or out of order it emits as a violation.
package final class LedgerProcessor: RecordProcessor, MessageProcessor, ConflatingProcessor, Punctuator, ClockFollower,
    DerivingProcessor
{
    /// By entity: records applied.
    private let counts = StateStore(StoreName<LedgerCount>(1, "counts"))
    /// By receiving task: messages sent.
    private let sent = StateStore(StoreName<LedgerCount>(2, "sent"))
    /// By sending task: the number of the last message.
    private let received = StateStore(StoreName<LedgerCount>(3, "received"))
    /// By entity and input partition: the serial number of the last record applied.
    private let last = StateStore(StoreName<LedgerCount>(4, "last"))
    /// By entity: the version of the total that was emitted last.
    private let versions = StateStore(StoreName<LedgerCount>(5, "versions"))
    /// By entity: the bell that waits.
    private let bells = StateStore(StoreName<LedgerBell>(6, "bells"))
    /// Entities whose total is to be emitted in this transaction, in the order in which they came. Names, and no slots:
    /// a test keeps them over an abort, which gives slots back.
    private var pending: [String] = []
    private var timers = SlotTimers<LedgerBell>()
    private var restored = RestoreWalk<LedgerBell>()
    private var recipients: [String] = []

    package static let bellDelay = ElapsedTime(milliseconds: 700)

    package init() {}

    package var stores: [any ChangelogStore] { [counts, sent, received, last, versions, bells] }

    // MARK: - Records and messages

    package func process(_ record: InputRecord, _ context: TaskContext) {
        guard let key = record.key, let value = record.value, let serial = Self.serial(value) else { return }
        let hash = Murmur2.hash(key)
        let owner = context.owner(of: hash)
        if owner != context.partition { return context.forward(record, to: owner, entity: key) }
        let entity = String(decoding: key, as: UTF8.self)
        let place = last.slot(of: "\(entity)@\(record.origin.partition)")
        if let before = last[place]?.value, serial <= before {
            report("\(serial) of \(entity) again, after \(before)", context)
        }
        last[place] = LedgerCount(serial)
        let count = counts.slot(of: entity)
        counts[count] = LedgerCount((counts[count]?.value ?? 0) + 1)
        if !pending.contains(entity) { pending.append(entity) }
        arm(entity, context)
        emit(LedgerTopology.applied, "\(serial)", entity, context)
        send(to: Partition(Int32(serial % Int64(context.partitions))), context)
    }

    package func receive(_ message: LedgerMessage, for entity: UnsafeRawBufferPointer, _ context: TaskContext) {
        let slot = received.slot(of: "\(message.from)")
        let expected = (received[slot]?.value ?? 0) + 1
        if message.number != expected {
            report("\(message.from)→\(context.partition): message \(message.number) where \(expected) was due", context)
        }
        received[slot] = LedgerCount(message.number)
    }

    private func send(to task: Partition, _ context: TaskContext) {
        if recipients.isEmpty {
            recipients = (0..<Partition(context.partitions)).map {
                LedgerTopology.entity(of: $0, of: context.partitions)
            }
        }
        let slot = sent.slot(of: "\(task)")
        let number = (sent[slot]?.value ?? 0) + 1
        sent[slot] = LedgerCount(number)
        let message = LedgerMessage(from: context.partition, number: number)
        context.send(message, to: recipients[Int(task)], at: LedgerTopology.node)
    }

    // MARK: - Once for a transaction

    package func flush(_ context: TaskContext) {
        defer { pending.removeAll() }
        for entity in pending {
            let slot = counts.slot(of: entity)
            let version = versions.slot(of: entity)
            let next = (versions[version]?.value ?? 0) + 1
            versions[version] = LedgerCount(next)
            emit(LedgerTopology.totals, "\(next) \(counts[slot]?.value ?? 0)", entity, context)
        }
    }

    // MARK: - Timers

    package var nextDue: Instant? { timers.nextDue }

    private func arm(_ entity: String, _ context: TaskContext) {
        let slot = bells.slot(of: entity)
        var bell = bells[slot] ?? LedgerBell(due: context.now + Self.bellDelay, records: 0)
        bell.records += 1
        bells[slot] = bell
        timers.arm(slot, due: bell.due)
    }

    package func punctuate(_ context: TaskContext) {
        while let slot = timers.pop(now: context.now) {
            guard let bell = bells[slot] else { continue }
            let entity = bells.key(of: slot)
            let total = counts[counts.slot(of: entity)]?.value ?? 0
            emit(LedgerTopology.rung, "\(bell.records) \(total) \(context.now.milliseconds)", entity, context)
            bells[slot] = nil
        }
    }

    package func clockWentBack(_ context: TaskContext, _ step: ClockStep) {
        for slot in bells.slots {
            guard var bell = bells[slot], bell.due > context.now + Self.bellDelay else { continue }
            bell.due = context.now + Self.bellDelay
            bells[slot] = bell
            timers.arm(slot, due: bell.due)
        }
    }

    // MARK: - What is derived

    package func finishRestore(_ context: TaskContext, _ portion: inout Int) -> Bool {
        while let slot = restored.next(in: bells, &portion) { arm(slot) }
        return restored.isDone(in: bells)
    }

    package func reverted(_ context: TaskContext) {
        pending.removeAll()
        armAll()
    }

    /// Arms the timers as the bells say.
    package func armAll() {
        timers.removeAll()
        for slot in bells.slots { arm(slot) }
    }

    private func arm(_ slot: Slot<LedgerBell>) {
        if let bell = bells[slot] { timers.arm(slot, due: bell.due) }
    }

    // MARK: - Ways out

    private func report(_ violation: String, _ context: TaskContext) {
        emit(LedgerTopology.violations, violation, "violation", context)
    }

    private func emit(_ output: OutputName, _ value: String, _ key: String, _ context: TaskContext) {
        Array(key.utf8).withUnsafeBytes { key in
            Array(value.utf8).withUnsafeBytes { context.emit(output, key: key, value: $0, headers: []) }
        }
    }

    private static func serial(_ value: UnsafeRawBufferPointer) -> Int64? {
        Int64(String(decoding: value, as: UTF8.self))
    }
}
