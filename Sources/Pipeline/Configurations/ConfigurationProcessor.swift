import Messages
import RecordLog
import StreamCore
import Timelines

/// Configurations: subscribes each at its vehicle and calendars, makes its timeline when one of them has news or when
/// it is due, and publishes it, at most once per transaction.
final class ConfigurationProcessor: Processor {
    let settings: PipelineSettings
    let configurations = StateStore<ConfigurationState>(id: StoreID.configurations)
    private let counter = StateStore<CounterState>(id: StoreID.subscriptionCounter)
    var timers = SlotTimers()
    /// By slot: the configuration as it was read from its value; nil: not read yet.
    private var decoded: [Decoded?] = []
    private var parser = JSONParser()
    /// Configurations with a pending timeline.
    var due = PendingSlots<Void>()
    /// Configurations that were adopted under another declaration of their kind than the one of now.
    private var redeclared: [Int] = []
    let kinds: DeclaredKinds
    /// Configurations published by this transaction.
    var published: Set<Int> = []
    var json = JSONWriter()
    let headers: CloudEventHeaders

    /// The counter of revisions of a deleted configuration is kept for so long : 30 days.
    private static let keptAfterDeletion = ElapsedTime.hours(30 * 24)
    private static let subscriptionsKey = "subscriptions"

    init(_ settings: PipelineSettings) {
        self.settings = settings
        kinds = DeclaredKinds(settings)
        headers = CloudEventHeaders(source: settings.eventSource)
    }

    var stores: [any ChangelogStore] { [configurations, counter] }
    var nextDue: Int64? { timers.nextDue }

    // MARK: - Configurations

    func process(_ record: InputRecord, _ context: TaskContext) {
        do throws(MessageProblem) {
            guard let value = record.value else { return try remove(record, context) }
            guard value.count <= settings.recordBytesMax else { throw settings.tooLarge(value.count) }
            let message = try decode(value)
            try Frame(message).check()
            guard let slot = slot(of: message.configurationId, orForward: record, context) else { return }
            let traceParent = context.traceParent(of: record)
            adopt(message, value: Array(value), slot, record.origin, traceParent: traceParent, context)
        } catch {
            context.deadLetter(record, error, settings)
        }
    }

    private func decode(_ value: UnsafeRawBufferPointer) throws(MessageProblem) -> ConfigurationMessage {
        try ConfigurationMessage.decode(ConfluentFraming.skipped(value), kinds: settings.kinds, with: &parser)
    }

    private func adopt(
        _ message: ConfigurationMessage, value: [UInt8], _ slot: Int, _ origin: Origin?, traceParent: [UInt8]?,
        _ context: TaskContext
    ) {
        remake(slot)
        if isForOthers(message, slot) { leaveRecipient(slot, context) }
        var state = configurations[slot] ?? ConfigurationState()
        let old = state.sources.map(\.id)
        let terms = Self.terms(of: message)
        state.value = value
        state.origin = origin
        state.kindDigest = kinds.digest(of: message.kind)
        state.deletedAt = nil
        state.renewal = nil
        state.pending = nil
        state.version = nextVersion()
        state.traceParent = traceParent
        state.sources = terms.map { ConfigurationState.Source(id: $0.0) }
        configurations[slot] = state
        remember(message, slot)
        let wanted = Set(terms.map(\.0))
        for source in old where !wanted.contains(source) { ask(source, .unsubscribe, slot, context) }
        for (source, terms) in terms { ask(source, .subscribe(terms), slot, context) }
        if terms.isEmpty {
            makeLater(slot, .init(at: context.instant, cause: .configurationChanged, traceParent: state.traceParent))
        }
    }

    /// Whether it has another recipient or kind than before.
    private func isForOthers(_ new: ConfigurationMessage, _ slot: Int) -> Bool {
        guard configurations[slot]?.value != nil else { return false }
        let (old, new) = (Frame(message(of: slot)), Frame(new))
        return !old.recipient.isSameByUTF8(as: new.recipient) || !old.kind.isSameByUTF8(as: new.kind)
    }

    /// After a restart with other kinds: what a configuration needs, and what is shown of it, follows from its record
    /// anew, as if that had come again. Before anything else is made: what is known is not of the right sources.
    func adoptRedeclared(_ context: TaskContext) {
        if redeclared.isEmpty { return }
        for slot in redeclared {
            guard let state = configurations[slot], let value = state.value else { continue }
            let message = message(of: slot)
            guard state.kindDigest != kinds.digest(of: message.kind) else { continue }
            adopt(message, value: value, slot, state.origin, traceParent: state.traceParent, context)
        }
        redeclared.removeAll()
    }

    private func remove(_ record: InputRecord, _ context: TaskContext) throws(MessageProblem) {
        guard let key = record.key, key.count > 0 else {
            throw MessageProblem(.missing, field: "key", "names the configuration that a tombstone removes")
        }
        let configurationId = String(decoding: key, as: UTF8.self)
        guard let slot = slot(of: configurationId, orForward: record, context) else { return }
        guard configurations[slot]?.value != nil else { return }
        leaveRecipient(slot, context)
        guard var state = configurations[slot] else { return }
        for source in state.sources { ask(source.id, .unsubscribe, slot, context) }
        let hasTimeline = state.published != nil
        state.value = nil
        state.sources = []
        state.published = nil
        state.remade = nil
        state.hasNewData = false
        state.pending = nil
        state.renewal = nil
        state.refreshCount = 0
        state.origin = record.origin
        state.deletedAt = context.instant
        configurations[slot] = state
        decoded[slot] = nil
        timers.arm(slot, due: (context.instant + Self.keptAfterDeletion).milliseconds)
        guard hasTimeline else { return }
        let headers = headers.timelineTombstone(
            configurationId: configurationId, at: context.instant, traceParent: context.traceParent(of: record))
        context.emit(Output.timelines, key: key, value: nil, headers: headers.map { Header($0) })
    }

    private func slot(of configurationId: String, orForward record: InputRecord, _ context: TaskContext) -> Int? {
        context.whereOwned(configurationId, orForward: record) { configurations.slot(of: $0, hash: $1) }
    }

    /// A counter of the task that never restarts, so that answers to an older configuration of this name are known.
    private func nextVersion() -> UInt64 {
        let slot = counter.slot(of: Self.subscriptionsKey)
        let next = (counter[slot]?.value ?? 0) + 1
        counter[slot] = CounterState(next)
        return next
    }

    // MARK: - Sources

    /// What a configuration subscribes to, in a fixed order: its vehicle, then its calendars.
    private static func terms(of message: ConfigurationMessage) -> [(SourceID, SubscriptionTerms)] {
        guard case .usable(let configuration) = message else { return [] }
        let needs = TimelineProvider.needs(of: configuration)
        precondition(
            needs.vehicle?.refresh == nil || needs.agenda == nil,
            "A vehicle's refreshes bring nothing of calendars: who shows both has a timer of its own.")
        var terms: [(SourceID, SubscriptionTerms)] = []
        if let vehicle = needs.vehicle {
            let asked = SubscriptionTerms(
                timeZone: configuration.timeZone, vehicle: vehicle, sensitivity: configuration.sensitivity)
            terms.append((.vehicle(vehicle.vehicleId), asked))
        }
        if let agenda = needs.agenda {
            let asked = SubscriptionTerms(timeZone: configuration.timeZone, agenda: agenda)
            terms += agenda.calendarIds.map { (.calendar($0), asked) }
        }
        return terms
    }

    func ask(_ source: SourceID, _ request: SubscriptionRequest, _ slot: Int, _ context: TaskContext) {
        let subscriber = SubscriptionRequest.Subscriber(
            configurationId: configurations.key(of: slot), version: configurations[slot]?.version ?? 0)
        let message = SourceMessage.request(request, from: subscriber)
        switch source {
        case .vehicle(let id): context.send(to: id, node: NodeID.vehicles) { message.encode(into: &$0) }
        case .calendar(let id): context.send(to: id, node: NodeID.calendars) { message.encode(into: &$0) }
        }
    }

    func receive(_ message: NodeMessage, _ context: TaskContext) {
        switch ConfigurationInput.read(message) {
        case .update(let update):
            guard let slot = configurations.find(message.entity) else { return }
            take(update, slot)
        case .announced(let announcement):
            guard let slot = configurations.find(message.entity) else { return }
            take(announcement, slot, context)
        case .requested(let request): take(request, context)
        }
    }

    /// An update counts only if its source and version are the current ones, then by the source's own revision.
    private func take(_ update: SourceUpdate, _ slot: Int) {
        guard let state = configurations[slot], state.version == update.version else { return }
        guard let index = state.sources.firstIndex(where: { $0.id == update.source }) else { return }
        guard update.revision >= state.sources[index].revision else { return }
        remake(slot)
        let wasAnswered = state.areAllAnswered
        if update.revision != state.sources[index].revision { configurations[slot]!.hasNewData = true }
        configurations[slot]!.sources[index].revision = update.revision
        configurations[slot]!.sources[index].content = update.content
        configurations[slot]!.sources[index].isAnswered = true
        if update.cause == .scheduled { configurations[slot]!.sources[index].isAwaited = false }
        guard let now = configurations[slot], now.areAllAnswered else { return }
        // What could not be shown for its size is tried again with whatever has come.
        let isTried = settings.leavesWhenCaughtUp || now.published?.isTooLarge == true
        if update.cause == .noted && !isTried { return }
        if !wasAnswered {
            makeLater(slot, .init(at: update.at, cause: .configurationChanged, traceParent: now.traceParent))
        } else if let renewal = now.renewal {
            if now.sources.contains(where: \.isAwaited) {
                // News does not wait for a renewal's snapshots.
                if update.cause == .scheduled { return }
                makeLater(slot, .init(at: update.at, cause: update.cause, traceParent: update.traceParent))
            } else {
                configurations[slot]!.renewal = nil
                makeLater(slot, .init(at: renewal, cause: update.cause, traceParent: update.traceParent))
            }
        } else {
            makeLater(slot, .init(at: update.at, cause: update.cause, traceParent: update.traceParent))
        }
        if update.cause == .dataChanged && update.source.isCalendar && now.hasVehicle {
            configurations[slot]!.pending?.needsSnapshots = true
        }
    }

    // MARK: - Timers

    func punctuate(_ context: TaskContext) {
        while let slot = timers.pop(now: context.now) {
            guard let state = configurations[slot] else { continue }
            if let deletedAt = state.deletedAt {
                forget(slot, deletedAt, context)
            } else if let due = ownDue(slot) {
                guard due.firesAt <= context.instant else {
                    timers.arm(slot, due: due.firesAt.milliseconds)
                    continue
                }
                renew(slot, at: renewalInstant(slot, of: due, context), context)
            }
        }
    }

    func isRefreshedByVehicle(_ slot: Int) -> Bool {
        // Without a copy of what is known already.
        if slot < decoded.count, let isRefreshed = decoded[slot]?.isRefreshedByVehicle { return isRefreshed }
        return decoded(slot).isRefreshedByVehicle
    }

    /// Asks all sources for what they know at that instant; the timeline is made when the last one has answered.
    func renew(_ slot: Int, at: Instant, _ context: TaskContext) {
        guard let state = configurations[slot], state.renewal == nil, state.areAllAnswered else { return }
        if state.sources.isEmpty {
            makeLater(slot, .init(at: at, cause: .scheduled, traceParent: nil))
            return
        }
        configurations[slot]!.renewal = at
        for index in state.sources.indices { configurations[slot]!.sources[index].isAwaited = true }
        for source in state.sources { ask(source.id, .snapshot(at: at), slot, context) }
    }

    private func forget(_ slot: Int, _ deletedAt: Instant, _ context: TaskContext) {
        let until = deletedAt + Self.keptAfterDeletion
        if until <= context.instant {
            configurations[slot] = nil
        } else {
            timers.arm(slot, due: until.milliseconds)
        }
    }

    func bringUp(_ context: TaskContext) {
        for slot in 0..<configurations.slots {
            guard let state = configurations[slot], state.value != nil, let published = state.published else {
                continue
            }
            // With a clock that starts earlier than the last one's end, later counts as brought up, too.
            if published.at >= context.instant || state.pending != nil || isRefreshedByVehicle(slot) { continue }
            renew(slot, at: context.instant, context)
        }
    }

    // MARK: - Derived from state

    /// A configuration as it was read, and what is asked of it for every timeline.
    private struct Decoded {
        var message: ConfigurationMessage
        var isRefreshedByVehicle: Bool

        init(_ message: ConfigurationMessage) {
            self.message = message
            isRefreshedByVehicle = false
            guard case .usable(let configuration) = message else { return }
            isRefreshedByVehicle = TimelineProvider.needs(of: configuration).vehicle?.refresh != nil
        }
    }

    func message(of slot: Int) -> ConfigurationMessage { decoded(slot).message }

    private func decoded(_ slot: Int) -> Decoded {
        if slot < decoded.count, let known = decoded[slot] { return known }
        guard let value = configurations[slot]?.value else {
            preconditionFailure("A deleted configuration is not read.")
        }
        return value.withUnsafeBytes { bytes in
            do throws(MessageProblem) {
                return remember(try decode(bytes), slot)
            } catch {
                preconditionFailure("A configuration that was read once cannot be read again: \(error)")
            }
        }
    }

    @discardableResult
    private func remember(_ message: ConfigurationMessage, _ slot: Int) -> Decoded {
        while decoded.count <= slot { decoded.append(nil) }
        let new = Decoded(message)
        decoded[slot] = new
        return new
    }

    func finishRestore(_ context: TaskContext) { derive() }

    func committed(_ context: TaskContext) {
        published.removeAll(keepingCapacity: true)
    }

    func reverted(_ context: TaskContext) {
        published.removeAll()
        _ = due.take()
        decoded.removeAll()
        derive()
    }

    private func derive() {
        timers.removeAll()
        redeclared.removeAll()
        for slot in 0..<configurations.slots {
            guard let state = configurations[slot] else { continue }
            if let deletedAt = state.deletedAt {
                timers.arm(slot, due: (deletedAt + Self.keptAfterDeletion).milliseconds)
                continue
            }
            if state.kindDigest != kinds.digest(of: message(of: slot).kind) { redeclared.append(slot) }
            if state.pending != nil { due.insert(slot) { () } }
            armOwn(slot)
        }
    }
}
