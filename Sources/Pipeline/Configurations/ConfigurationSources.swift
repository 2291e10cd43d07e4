import Messages
import RecordLog
import StreamCore
import Timelines

/// The subscriptions of configurations at their vehicles and calendars: asks, and takes the answers in.
///
/// This part owns `version`, `sources` and `renewal` of a configuration's state, and sets `hasNewData`. It makes no
/// timeline itself: it returns the one that is to be made of an answer.
struct ConfigurationSources {
    private let table: ConfigurationTable
    let counter = StateStore(.subscriptionCounter)
    private let settings: PipelineSettings

    private static let counterKey = "subscriptions"

    init(of table: ConfigurationTable, _ settings: PipelineSettings) {
        self.table = table
        self.settings = settings
    }

    var stores: [any ChangelogStore] { [counter] }

    // MARK: - Subscribing

    /// Subscribes a configuration that was just adopted to its sources, and leaves those that it does not need any
    /// more.
    ///
    /// - Returns: false if it needs no source.
    func subscribe(
        _ slot: Slot<ConfigurationState>, as message: ConfigurationMessage, _ context: TaskContext
    ) -> Bool {
        let terms = Self.terms(of: message)
        let version = nextVersion()
        let old = table.modify(slot) { state in
            defer {
                state.version = version
                state.renewal = nil
                state.sources = terms.map { ConfigurationState.Source(id: $0.0) }
            }
            return state.sources.map(\.id)
        }
        if !old.isEmpty {
            let wanted = Set(terms.map(\.0))
            for source in old where !wanted.contains(source) { ask(source, .unsubscribe, slot, context) }
        }
        for (source, terms) in terms { ask(source, .subscribe(terms), slot, context) }
        return !terms.isEmpty
    }

    /// Leaves all sources of a configuration that was deleted.
    func unsubscribe(_ slot: Slot<ConfigurationState>, _ context: TaskContext) {
        for source in table[slot]?.sources ?? [] { ask(source.id, .unsubscribe, slot, context) }
        table.modify(slot) { state in
            state.sources = []
            state.renewal = nil
        }
    }

    /// Asks all sources for what they know at an instant. The timeline is made when the last one has answered.
    ///
    /// - Returns: a timeline to be made, if there is no source to ask; `nil` if the answers are awaited.
    func renew(_ slot: Slot<ConfigurationState>, at: Instant, _ context: TaskContext) -> PendingTimeline? {
        guard let state = table[slot], state.renewal == nil, state.areAllAnswered else { return nil }
        if state.sources.isEmpty { return PendingTimeline(at: at, cause: .scheduled, traceParent: nil) }
        table.modify(slot) { state in
            state.renewal = at
            for index in state.sources.indices { state.sources[index].isAwaited = true }
        }
        askForSnapshots(slot, at: at, context)
        return nil
    }

    /// Asks all sources for what they know at an instant; each answer makes a timeline by itself.
    func askForSnapshots(_ slot: Slot<ConfigurationState>, at: Instant, _ context: TaskContext) {
        for source in table[slot]?.sources ?? [] { ask(source.id, .snapshot(at: at), slot, context) }
    }

    /// The same, if no answer and no timeline is awaited that would do.
    func askAnew(_ slot: Slot<ConfigurationState>, at: Instant, _ context: TaskContext) {
        guard let state = table[slot], state.pending == nil, state.areAllAnswered else { return }
        askForSnapshots(slot, at: at, context)
    }

    private func ask(
        _ source: SourceID, _ request: SubscriptionRequest, _ slot: Slot<ConfigurationState>, _ context: TaskContext
    ) {
        let subscriber = SubscriptionRequest.Subscriber(
            configurationId: table.configurationId(of: slot), version: table[slot]?.version ?? 0)
        let message = SourceMessage.request(request, from: subscriber)
        switch source {
        case .vehicle(let id): context.send(message, to: id, at: .vehicles)
        case .calendar(let id): context.send(message, to: id, at: .calendars)
        }
    }

    /// A counter of the task that never restarts, so that answers to an older configuration of this name are known.
    private func nextVersion() -> SubscriptionVersion {
        let slot = counter.slot(of: Self.counterKey)
        let next = (counter[slot]?.value ?? 0) + 1
        counter[slot] = CounterState(next)
        return SubscriptionVersion(next)
    }

    /// The sources of a configuration with the terms of each, in a fixed order: its vehicle, then its calendars.
    private static func terms(of message: ConfigurationMessage) -> [(SourceID, SubscriptionTerms)] {
        guard case .usable(let configuration) = message else { return [] }
        let needs = TimelineProvider.needs(of: configuration)
        precondition(
            needs.vehicle?.refresh == nil || needs.agenda == nil,
            "A vehicle's refreshes bring nothing of calendars: a strategy that shows both has a timer of its own.")
        var terms: [(SourceID, SubscriptionTerms)] = []
        if let vehicle = needs.vehicle {
            let asked = SubscriptionTerms(
                timeZone: configuration.timeZone, vehicle: vehicle, sensitivity: configuration.sensitivity)
            terms.append((.vehicle(vehicle.vehicleId), asked))
        }
        if let agenda = needs.agenda {
            for id in agenda.calendarIds {
                var own = agenda
                own.calendarIds = [id]
                terms.append((.calendar(id), SubscriptionTerms(timeZone: configuration.timeZone, agenda: own)))
            }
        }
        return terms
    }

    // MARK: - Answers

    /// True if an update counts: its source and version are the current ones, and its revision is not older.
    func counts(_ update: SourceUpdate, for slot: Slot<ConfigurationState>) -> Bool {
        guard table[slot]?.version == update.version, let revision = table[slot]?.revision(of: update.source)
        else { return false }
        return update.revision >= revision
    }

    /// Takes an update in that counts.
    ///
    /// - Returns: the timeline that is to be made of it; `nil` if none is.
    func receive(_ update: SourceUpdate, for slot: Slot<ConfigurationState>) -> PendingTimeline? {
        table.modify(slot) { state in
            let wasAnswered = state.areAllAnswered
            state.receive(update)
            if update.source.isCalendar { state.leaveOutAgendas(above: settings.agendasBytesMax) }
            guard state.areAllAnswered else { return nil }
            // A timeline that was too large to be shown is tried again with whatever has come.
            let isTried = settings.leavesWhenCaughtUp || state.published?.isTooLarge == true
            if update.cause == .noted && !isTried { return nil }
            var pending: PendingTimeline
            if !wasAnswered {
                pending = .init(at: update.at, cause: .configurationChanged, traceParent: state.traceParent)
            } else {
                pending = .init(at: update.at, cause: update.cause, traceParent: update.traceParent)
            }
            if wasAnswered, let renewal = state.renewal {
                if state.sources.contains(where: \.isAwaited) {
                    // News does not wait for a renewal's snapshots.
                    if update.cause == .scheduled { return nil }
                } else {
                    state.renewal = nil
                    pending.at = renewal
                }
            }
            pending.needsSnapshots = update.cause == .dataChanged && update.source.isCalendar && state.hasVehicle
            return pending
        }
    }
}

extension ConfigurationState {
    /// The revision that was received of a source; `nil` if it is none of the configuration's.
    fileprivate func revision(of source: SourceID) -> SourceRevision? { place(of: source).map { sources[$0].revision } }

    /// Compared in their places: what the others know is not copied.
    private func place(of source: SourceID) -> Int? { sources.indices.first { sources[$0].id == source } }

    fileprivate mutating func receive(_ update: SourceUpdate) {
        guard let index = place(of: update.source) else { return }
        if update.revision != sources[index].revision { hasNewData = true }
        sources[index].revision = update.revision
        sources[index].content = update.content
        sources[index].isAnswered = true
        if update.cause == .scheduled { sources[index].isAwaited = false }
    }
}
