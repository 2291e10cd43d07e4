import Messages
import RecordLog
import StreamCore
import Timelines

/// The node of configurations: makes each configuration's timeline when one of its sources has news or when it is due,
/// and publishes it, at most once per transaction.
///
/// The parts, in the order in which a record goes through them:
///
///     record ──► table ──► sources ◄──► vehicles, calendars
///                             │ an answer, or a timer
///                             ▼
///                          pending ──► publisher (maker, output) ──► timelines
///                                          │ what was published
///                                          ▼
///                                       reloads ◄──► recipients
///
/// `readers` stands beside them: it merges the positions of those who look at the timelines.
final class ConfigurationProcessor {
    let settings: PipelineSettings
    let table: ConfigurationTable
    private let kinds: DeclaredKinds
    let sources: ConfigurationSources
    var pending: PendingTimelines
    let publisher: TimelinePublisher
    let reloads: RecipientReloads
    let readers: ConfigurationReaders
    var timers: RenewalTimers
    /// Configurations that were adopted under another declaration of their kind than the one of now.
    var redeclared = SlotQueue<ConfigurationState, Void>()
    /// Configurations that were adopted anew in this transaction.
    var adopted = 0
    /// Going through what was published ahead of a clock that went back.
    var clockWalk = SlotWalk<ConfigurationState>()
    var catchUp: ConfigurationCatchUp
    /// Deriving what follows from what was restored.
    var restored = RestoreWalk<ConfigurationState>()
    /// Reloads of a whole kind that are asked for.
    var requests: ReloadRequests

    init(_ settings: PipelineSettings) {
        self.settings = settings
        table = ConfigurationTable(settings)
        kinds = DeclaredKinds(settings)
        sources = ConfigurationSources(of: table, settings)
        pending = PendingTimelines(of: table)
        reloads = RecipientReloads(of: table, kinds)
        requests = ReloadRequests(of: table, keptIn: sources.counter)
        let maker = TimelineMaker(settings)
        publisher = TimelinePublisher(of: table, maker, reloads, kinds, settings)
        readers = ConfigurationReaders(of: table, maker, settings)
        timers = RenewalTimers(of: table, maker, settings)
        catchUp = ConfigurationCatchUp(settings)
        table.store.onRelease = { [unowned self] in forget($0) }
    }

    var stores: [any ChangelogStore] { table.stores + sources.stores + readers.stores }
}

// MARK: - 1. A record comes

extension ConfigurationProcessor: RecordProcessor {
    func process(_ record: InputRecord, _ context: TaskContext) {
        if record.origin.isOfPosition { return readers.process(record, context) }
        do throws(MessageProblem) {
            try settings.recordBounds.check(record)
            guard let value = record.value else { return try remove(record, context) }
            let message = try table.decode(value)
            let address = TimelineAddress(message)
            try address.check(settings)
            try settings.check(message)
            guard let slot = try slot(of: address.configurationId, orForward: record, context) else { return }
            let traceParent = context.traceParent(of: record)
            adopt(message, value: Array(value), slot, record.origin, traceParent: traceParent, context)
        } catch {
            context.deadLetter(record, error, settings)
        }
    }

    private func slot(
        of configurationId: String, orForward record: InputRecord, _ context: TaskContext
    ) throws(MessageProblem) -> Slot<ConfigurationState>? {
        try context.whereOwned(configurationId, orForward: record, settings) { table.slot(of: $0, hash: $1) }
    }

    private func adopt(
        _ message: ConfigurationMessage, value: [UInt8], _ slot: Slot<ConfigurationState>, _ origin: Origin?,
        traceParent: [UInt8]?, _ context: TaskContext
    ) {
        publisher.compareByRulesOfNow(slot)
        let address = TimelineAddress(message)
        if table.isLive(slot), table.address(of: slot).isForOthers(than: address) {
            reloads.leave(slot, context)
        }
        if !table.store.hasValue(slot) { table[slot] = ConfigurationState() }
        table.modify(slot) { state in
            state.value = value
            state.origin = origin
            state.kindDigest = kinds.digest(of: address.kind)
            state.deletedAt = nil
            state.traceParent = traceParent
        }
        table.remember(message, slot)
        pending.cancel(slot)
        if !sources.subscribe(slot, as: message, context) {
            pending.add(.init(at: context.now, cause: .configurationChanged, traceParent: traceParent), slot)
        }
    }

    private func remove(_ record: InputRecord, _ context: TaskContext) throws(MessageProblem) {
        guard let key = record.key, key.count > 0 else {
            throw MessageProblem(.missing, field: "key", "names the configuration that a tombstone removes")
        }
        let configurationId = String(decoding: key, as: UTF8.self)
        guard let slot = try slot(of: configurationId, orForward: record, context) else { return }
        guard let old = table.live(slot) else {
            let traceParent = context.traceParent(of: record)
            return withdrawUnclaimed(slot, configurationId, key: key, traceParent: traceParent, context)
        }
        reloads.leave(slot, context)
        sources.unsubscribe(slot, context)
        pending.cancel(slot)
        table.modify(slot) { state in
            state.value = nil
            state.history.forgetTimeline()
            state.published = nil
            state.hasNewData = false
            state.hasUnclaimedTimeline = false
            state.origin = record.origin
            state.deletedAt = context.now
        }
        table.forgetMessage(slot)
        readers.configurationDeleted(slot)
        timers.arm(slot)
        guard old.published != nil || old.hasUnclaimedTimeline else { return }
        publisher.withdraw(configurationId, key: key, traceParent: context.traceParent(of: record), context)
    }

    /// After a restart with other kinds: the needs and the timeline of a configuration follow from its record anew, as
    /// if that had come again; for a portion of them in each transaction.
    private func adoptRedeclared(_ context: TaskContext) {
        for (slot, _) in redeclared.drain(context.flushPortion - adopted) where adoptIfRedeclared(slot, context) {
            adopted += 1
        }
    }

    /// This comes before anything else is made of a configuration: what is known is not of the right sources.
    ///
    /// - Returns: true if the configuration was adopted anew.
    private func adoptIfRedeclared(_ slot: Slot<ConfigurationState>, _ context: TaskContext) -> Bool {
        guard isRedeclared(slot), let state = table[slot], let value = state.value else { return false }
        adopt(table.message(of: slot), value: value, slot, state.origin, traceParent: state.traceParent, context)
        return true
    }

    func isRedeclared(_ slot: Slot<ConfigurationState>) -> Bool {
        guard table.isLive(slot), let digest = table[slot]?.kindDigest else { return false }
        // Without a look at the configuration: after a restart there are many.
        if digest == 0 && kinds.isEmpty { return false }
        return digest != kinds.digest(of: table.address(of: slot).kind)
    }
}

// MARK: - 2. A source answers, a recipient was told

extension ConfigurationProcessor: MessageProcessor {
    func receive(_ message: ConfigurationInput, for entity: UnsafeRawBufferPointer, _ context: TaskContext) {
        switch message {
        case .update(let update):
            guard let slot = table.find(entity), sources.counts(update, for: slot) else { return }
            followClock(slot, context)
            publisher.compareByRulesOfNow(slot)
            if let timeline = sources.receive(update, for: slot) { pending.add(timeline, slot) }
        case .announced(let announcement):
            guard let slot = table.find(entity) else { return }
            reloads.receive(announcement, slot, context)
        case .requested(let request):
            requests.begin(request)
            offerRequested(context)
        }
    }
}

// MARK: - 3. A time comes

extension ConfigurationProcessor: Punctuator {
    var nextDue: Instant? { earlier(timers.nextDue, readers.nextDue) }

    func count(_ load: inout TimerLoad) {
        timers.count(&load)
        readers.count(&load)
    }

    func punctuate(_ context: TaskContext) {
        readers.punctuate(context)
        for fired in timers.pop(context) {
            switch fired {
            case .renewal(let slot, let at): renew(slot, at: at, context)
            case .overdue(let slot): sources.askAnew(slot, at: context.now, context)
            case .forgetting(let slot): forget(slot, context)
            }
        }
    }

    func renew(_ slot: Slot<ConfigurationState>, at: Instant, _ context: TaskContext) {
        if let timeline = sources.renew(slot, at: at, context) { pending.add(timeline, slot) }
    }
}

// MARK: - 4. The transaction ends

extension ConfigurationProcessor: ConflatingProcessor {
    /// What waits is in state: timelines that are pending, records of another declaration, readers that are due.
    var hasMoreToFlush: Bool {
        pending.hasMore || !redeclared.isEmpty || readers.hasMoreToFlush || requests.hasMore || clockWalk.isUnderWay
            || catchUp.hasMore
    }

    var hasNews: Bool { !pending.isEmpty }

    func flush(_ context: TaskContext) {
        followClock(context)
        adoptRedeclared(context)
        offerRequested(context)
        for slot in pending.drain(context) { make(slot, context) }
        readers.flush(context)
    }

    private func offerRequested(_ context: TaskContext) {
        requests.advance(context) { reloads.offerAsRequested($0, context) }
    }

    private func make(_ slot: Slot<ConfigurationState>, _ context: TaskContext) {
        if redeclared.contains(slot) && adoptIfRedeclared(slot, context) { return }
        followClock(slot, context)
        let isAhead = table[slot]?.pending.map { settings.isAhead($0.at, of: context.now) } ?? false
        switch publisher.publish(slot, context) {
        case .nothing: break
        case .published(let timeline):
            pending.didPublish(slot)
            if isAhead { timers.armWatching(slot) } else { timers.arm(slot) }
            readers.timelinePublished(timeline, of: slot)
            catchUp.published(slot)
        case .needsSnapshots(let at):
            // What is pending stays so: it is made when the last source has answered.
            renew(slot, at: at, context)
        }
    }
}
