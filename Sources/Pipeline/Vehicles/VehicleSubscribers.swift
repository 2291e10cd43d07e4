import RecordLog
import StreamCore
import Timelines

/// The configurations that subscribe to vehicles: which of them has news, and the updates that they are sent.
///
/// A subscriber is sent an update on a change of status, when its sensitivity says so, when a refresh or a silence is
/// due, and as the answer to its requests. Within one transaction it is sent one update of a vehicle.
final class VehicleSubscribers {
    /// The key is a `SubscriptionKey`.
    let subscriptions = StateStore(.vehicleSubscriptions)
    let settings: PipelineSettings
    let vehicles: StateStore<VehicleState>
    let links: SubscriptionLinks<VehicleState, VehicleSubscription>
    var timers: VehicleTimers
    /// Subscriptions that may have to be sent an update.
    var waiting = SlotQueue<VehicleSubscription, Waiting>()
    /// For most telemetry a summary decides that it is no news; `nil` if no update was sent yet.
    var summaries = SlotMap<VehicleSubscription, UpdateSummary?>()
    /// Vehicles with more subscribers than the transaction has room for that it changed, with the trace of the first
    /// change.
    var changed = SlotQueue<VehicleState, [UInt8]?>()
    var fanOut: FanOut<VehicleState, VehicleSubscription>
    var catchUp: VehicleCatchUp
    /// Going through the updates after the clock went back.
    var clockWalk = SlotWalk<VehicleSubscription>()
    /// Linking what was restored.
    var restored = RestoreWalk<VehicleSubscription>(.keys)
    /// Those of a vehicle of which nothing was derived yet after a restore; `nil` between two vehicles.
    var underived: SubscriptionLinks<VehicleState, VehicleSubscription>.Subscriptions?
    /// Is told of a vehicle whose last subscription has ended.
    var onDeserted: (Slot<VehicleState>) -> Void = { _ in }

    struct Waiting {
        /// An update that is sent whatever the comparison says: an answer or a timer's, with its instant.
        var required: (cause: Cause, at: Instant)?
        var traceParent: [UInt8]?
    }

    init(of vehicles: StateStore<VehicleState>, _ settings: PipelineSettings) {
        self.vehicles = vehicles
        self.settings = settings
        links = SubscriptionLinks(to: vehicles)
        timers = VehicleTimers(vehicles, subscriptions, links, settings)
        fanOut = FanOut(links)
        catchUp = VehicleCatchUp(links, settings)
        subscriptions.onRelease = { [unowned self] in forget($0) }
    }

    func hasSubscribers(_ vehicle: Slot<VehicleState>) -> Bool { links.first(of: vehicle) != nil }

    // MARK: - Changes of a vehicle

    func vehicleChanged(
        _ vehicle: Slot<VehicleState>, _ change: VehicleChange, of record: InputRecord, _ context: TaskContext
    ) {
        catchUp.vehicleChanged(vehicle)
        if mayBeTooMany(vehicle, context) {
            changed.append(vehicle, context.traceParent(of: record))
        } else {
            markNews(vehicle, change, of: record, context)
        }
        guard change.isOfEarlierObservation else { return }
        for subscription in links.subscriptions(of: vehicle) { timers.arm(subscription) }
    }

    /// True if the transaction may have no room to tell all subscribers (R17).
    private func mayBeTooMany(_ vehicle: Slot<VehicleState>, _ context: TaskContext) -> Bool {
        let count = links.count(of: vehicle)
        return count > Self.fewSubscribers && waiting.count + count > context.flushPortion
    }

    /// So many are always told at once: as with every record, some messages follow from one.
    private static let fewSubscribers = 16

    private func markNews(
        _ vehicle: Slot<VehicleState>, _ change: VehicleChange, of record: InputRecord, _ context: TaskContext
    ) {
        for subscription in links.subscriptions(of: vehicle) where !waiting.contains(subscription) {
            guard let summary = summaries[subscription] else { continue }
            let isNews =
                summary.isNews(change, at: context.now)
                || summary.needsFullComparison && hasNews(subscription, of: vehicle, at: context.now)
            guard isNews || change.wasUnreadable || isLighter(vehicle, than: summary) else { continue }
            waiting.append(subscription, Waiting(required: nil, traceParent: context.traceParent(of: record)))
        }
    }

    func vehicleBecameUnreadable(_ vehicle: Slot<VehicleState>, _ context: TaskContext) {
        catchUp.vehicleChanged(vehicle)
        if mayBeTooMany(vehicle, context) { return changed.append(vehicle, nil) }
        for subscription in links.subscriptions(of: vehicle) {
            waiting.append(subscription, Waiting(required: nil, traceParent: nil))
        }
    }

    func isLighter(_ vehicle: Slot<VehicleState>, than summary: UpdateSummary) -> Bool {
        guard summary.heavyBytes > 0, let state = vehicles[vehicle] else { return false }
        return state.heavyBytes < summary.heavyBytes
    }

    /// True if the subscriber would see a change of status, silence included, or one that its sensitivity asks for.
    func hasNews(_ slot: Slot<VehicleSubscription>, of vehicle: Slot<VehicleState>, at now: Instant) -> Bool {
        guard let report = subscriptions[slot]?.lastUpdate?.report, let need = subscriptions[slot]?.need,
            let state = vehicles[vehicle]
        else { return false }
        let sensitivity = subscriptions[slot]?.sensitivity
        return report.news(of: state.vehicle, at: now, for: need, sensitivity: sensitivity) != nil
    }

    // MARK: - Requests

    func receive(
        _ request: SubscriptionRequest, from subscriber: SubscriptionRequest.Subscriber, of vehicle: Slot<VehicleState>,
        _ vehicleId: String, _ context: TaskContext
    ) {
        let slot = subscriptions.slot(of: SubscriptionKey.text(vehicleId, subscriber.configurationId))
        links.link(slot, to: vehicle)
        let known = subscriptions[slot]?.version ?? 0
        switch request {
        case .subscribe(let terms):
            guard subscriber.version >= known, let need = terms.vehicle else { return }
            subscriptions[slot] = VehicleSubscription(
                version: subscriber.version, need: need, sensitivity: terms.sensitivity)
            summaries[slot] = nil
            waiting.replace(slot, with: Waiting(required: (.subscribed, context.now), traceParent: nil))
        case .unsubscribe:
            guard subscriber.version >= known else { return }
            subscriptions[slot] = nil
            summaries[slot] = nil
            timers.disarm(slot)
        case .snapshot(let at):
            guard subscriber.version == known, !isRefreshed(slot, to: at), mayAnswer(slot, context) else { return }
            waiting.replace(slot, with: Waiting(required: (.scheduled, at), traceParent: nil))
        }
    }

    /// False as long as this task has not read its inputs, if it refreshes the subscriber: it would take its vehicles
    /// for silent (R17). It refreshes the subscriber by itself when it has, and a timeline that stays overdue is asked
    /// for again.
    private func mayAnswer(_ slot: Slot<VehicleSubscription>, _ context: TaskContext) -> Bool {
        context.hasReadSources || subscriptions[slot]?.need.refresh == nil
    }

    /// True if a subscriber that asks for a snapshot has it already.
    ///
    /// A subscriber that is refreshed by this task asks for one after the clock went back; if this task noticed that,
    /// too, the subscriber was sent an update for then. It asks as well if it had a clock that was behind: then what it
    /// was sent is of earlier than now.
    private func isRefreshed(_ slot: Slot<VehicleSubscription>, to at: Instant) -> Bool {
        guard let subscription = subscriptions[slot], subscription.need.refresh != nil,
            let last = subscription.lastUpdate
        else { return false }
        return last.report.at >= at
    }

    // MARK: - Times

    var nextDue: Instant? { timers.nextDue }

    func count(_ load: inout TimerLoad) { timers.count(&load) }

    func punctuate(_ context: TaskContext) {
        for fired in timers.pop(context) {
            waiting.append(fired.slot, Waiting(required: (fired.cause, fired.at), traceParent: nil))
        }
    }

    // MARK: - Updates

    /// True if subscribers are to be told, or looked at, in the next transaction.
    var hasMoreToFlush: Bool { fanOut.hasMore || clockWalk.isUnderWay || catchUp.hasMore }

    /// True if subscribers are to be told, or looked at, in this transaction.
    var hasNews: Bool { !waiting.isEmpty || !changed.isEmpty }

    func flush(_ context: TaskContext) {
        followClock(context)
        for (slot, waiting) in waiting.drain() { update(slot, waiting, context) }
        for (vehicle, traceParent) in changed.drain() { fanOut.begin(vehicle, traceParent: traceParent) }
        if fanOut.hasMore { tellNext(context) }
    }

    func update(_ slot: Slot<VehicleSubscription>, _ waiting: Waiting, _ context: TaskContext) {
        let waiting = clockWalk.isUnderWay ? followed(waiting, slot, context) : waiting
        guard let subscription = subscriptions[slot] else { return }
        let vehicle = links.source(of: slot)
        let state = vehicles[vehicle]
        var (cause, at) = waiting.required ?? (.dataChanged, context.now)
        at = settings.notAhead(at, of: context.now)
        if waiting.required == nil && !hasNews(slot, of: vehicle, at: at) {
            sendMark(slot, state, at: at, context)
            // A timer that fired meanwhile is armed again.
            return timers.arm(slot)
        }
        var report = VehicleReport(
            of: state?.known, at: at, for: subscription.need, sensitivity: subscription.sensitivity)
        // An answer stays one, whatever it says: the subscriber waits for the snapshot that it asked for.
        let isAnswer = cause == .subscribed || cause == .scheduled && subscription.need.refresh == nil
        if let last = subscription.lastUpdate?.report, !isAnswer,
            report.status != last.status || report.silences != last.silences
        {
            cause = .statusChanged
        }
        report.at = max(at, subscription.lastUpdate?.report.at ?? at)
        send(cause, at: report.at, of: state, to: slot, subscription, traceParent: waiting.traceParent, context)
        subscriptions[slot]!.lastUpdate = .init(
            report: report, isUnreadable: state?.isUnreadable ?? false, revision: state?.revision ?? 0,
            refreshDue: subscription.need.refresh?.nextUpdate(after: report.at, status: report.status),
            heavyBytes: state?.heavyBytes ?? 0)
        summarise(slot)
        timers.arm(slot)
    }

    /// Lets a subscriber know that the vehicle can be read again, or no longer, and that a large vehicle has become
    /// smaller: its timeline may have been too large.
    ///
    /// A subscriber that is refreshed by this task learns with its next refresh whether the vehicle can be read. A run
    /// that leaves when it has caught up brings both up.
    private func sendMark(
        _ slot: Slot<VehicleSubscription>, _ state: VehicleState?, at: Instant, _ context: TaskContext
    ) {
        guard let subscription = subscriptions[slot], let last = subscription.lastUpdate, let state,
            !settings.leavesWhenCaughtUp
        else { return }
        let isMark = state.isUnreadable != last.isUnreadable && subscription.need.refresh == nil
        guard isMark || state.heavyBytes < last.heavyBytes else { return }
        subscriptions[slot]!.lastUpdate!.isUnreadable = state.isUnreadable
        subscriptions[slot]!.lastUpdate!.heavyBytes = state.heavyBytes
        summarise(slot)
        send(.noted, at: at, of: state, to: slot, subscription, traceParent: nil, context)
    }

    private func send(
        _ cause: Cause, at: Instant, of state: VehicleState?, to slot: Slot<VehicleSubscription>,
        _ subscription: VehicleSubscription, traceParent: [UInt8]?, _ context: TaskContext
    ) {
        let update = SourceUpdate(
            source: .vehicle(subscription.need.vehicleId), version: subscription.version,
            revision: state?.revision ?? 0, cause: cause, at: at, content: SourceContent(state),
            traceParent: traceParent)
        let configurationId = subscriptions.withKey(of: slot) { SubscriptionKey.configurationId(in: $0) }
        context.send(ConfigurationInput.update(update), to: configurationId, at: .configurations)
    }
}
