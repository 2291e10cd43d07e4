import Messages
import RecordLog
import StreamCore
import Timelines

/// Vehicles: takes telemetry in, last writer wins by `observedAt`, and tells each subscribed configuration on a change
/// of status, when its sensitivity says so, and when a refresh is due. Within one transaction it is told once.
final class VehicleProcessor: Processor {
    let settings: PipelineSettings
    let vehicles = StateStore<VehicleState>(id: StoreID.vehicles)
    /// By `SubscriptionLinks.key`.
    let subscriptions = StateStore<VehicleSubscription>(id: StoreID.vehicleSubscriptions)
    var links = SubscriptionLinks()
    var timers = SlotTimers()
    private var reader = TelemetryReader()
    /// Subscriptions that may have to be told, in the order in which that came up.
    var pending = PendingSlots<Pending>()
    /// By slot of the vehicle: its `observedAt`, without a look at all that is known of it. `.min`: none.
    private var newest: [Int64] = []
    /// By slot of the subscription: what decides for most telemetry that there is nothing to tell. Nil: not told yet.
    private var glances: [Glance?] = []
    /// Vehicles that changed since timelines were brought up last; kept only where that is done.
    private var changed = PendingSlots<Void>()
    private var hasBroughtUpAll = false
    /// Vehicles that were warned of by name, telemetry from the future; those of this transaction.
    var warned: Set<Int> = []
    var warnedNow: [Int] = []

    struct Pending {
        /// Tell whatever the comparison says: an answer or a snapshot, with its instant.
        var must: (cause: Cause, at: Instant)?
        var traceParent: [UInt8]?
    }

    private struct Glance {
        var status: VehicleStatus?
        /// The first silence.
        var offlineAfter: ElapsedTime
        /// The status does not decide alone: there is a sensitivity, or a silence that may be shorter now.
        var needsLook: Bool
        /// What was told is so large that timelines with it may have been too large; else 0.
        var heavyBytes: Int
    }

    init(_ settings: PipelineSettings) {
        self.settings = settings
    }

    var stores: [any ChangelogStore] { [vehicles, subscriptions] }
    var nextDue: Int64? { timers.nextDue }

    // MARK: - Telemetry

    func process(_ record: InputRecord, _ context: TaskContext) {
        do throws(MessageProblem) {
            guard let value = record.value else {
                throw MessageProblem(.unreadable, "telemetry has no tombstones")
            }
            guard value.count <= settings.recordBytesMax else { throw settings.tooLarge(value.count) }
            apply(try reader.read(ConfluentFraming.skipped(value)), of: record, context)
        } catch {
            context.deadLetter(record, error, settings)
            guard let key = record.key, let vehicleId = String(validating: key, as: UTF8.self) else { return }
            context.noteUnreadable(vehicleId, node: NodeID.vehicles) { id, hash in
                noteUnreadable(vehicles.slot(of: id, hash: hash), vehicleId, context)
            }
        }
    }

    /// The newest record of the vehicle could not be read. That is no news by itself.
    private func noteUnreadable(_ slot: Int, _ vehicleId: String, _ context: TaskContext) {
        guard vehicles[slot]?.isUnreadable != true else { return }
        while newest.count <= slot { newest.append(.min) }
        vehicles.modify(slot) { state in
            if state == nil { state = VehicleState(vehicleId: vehicleId) }
            state!.isUnreadable = true
            state!.revision += 1
        }
        if settings.leavesWhenCaughtUp { changed.insert(slot) { () } }
        for subscription in links.subscriptions(of: slot) {
            pending.insert(subscription) { Pending(must: nil, traceParent: nil) }
        }
    }

    private func apply(_ telemetry: TelemetryView, of record: InputRecord, _ context: TaskContext) {
        let id = telemetry.vehicleId.utf8
        let hash = Murmur2.hash(id)
        let owner = context.owner(of: hash)
        guard owner == context.partition else {
            context.forward(record, to: owner, entity: id)
            return
        }
        let slot = vehicles.slot(of: id, hash: hash)
        while newest.count <= slot { newest.append(.min) }
        let observation = judge(
            record, observedAt: telemetry.observedAt.milliseconds, slot: slot, stored: newest[slot], now: context.now)
        if observation.observedAt < newest[slot] && observation.replacesFrom == nil {
            context.counters.late += 1
            return
        }
        if observation.isFromFuture {
            noteFuture(
                record, slot: slot, said: telemetry.observedAt, arrival: observation.observedAt, context)
        }
        let (status, observedAt, wasUnreadable) = vehicles.modify(slot) { state in
            if state == nil { state = VehicleState(vehicleId: String(telemetry.vehicleId)) }
            if observation.replacesFrom != nil { state!.vehicle.observedAt = nil }
            _ = telemetry.apply(
                to: &state!.vehicle, observedAt: Instant(milliseconds: observation.observedAt))
            // Master data: what is stored was observed when this came at the latest.
            if let arrival = observation.replacesFrom, state!.vehicle.observedAt == nil {
                state!.vehicle.observedAt = Instant(milliseconds: arrival)
            }
            state!.isHeldToArrival = settings.telemetryFuture != nil
            let wasUnreadable = state!.isUnreadable
            state!.isKnown = true
            state!.isUnreadable = false
            state!.revision += 1
            state!.origin = record.origin
            return (state!.vehicle.status, state!.vehicle.observedAt, wasUnreadable)
        }
        newest[slot] = observedAt?.milliseconds ?? .min
        if settings.leavesWhenCaughtUp { changed.insert(slot) { () } }
        let now = context.instant
        for subscription in links.subscriptions(of: slot) where !pending.contains(subscription) {
            guard let glance = glances[subscription] else { continue }
            let isNews =
                VehicleStatus.effective(status, observedAt: observedAt, at: now, offlineAfter: glance.offlineAfter)
                != glance.status || (glance.needsLook && hasNews(subscription, of: slot, now))
            guard isNews || wasUnreadable || isLighter(slot, than: glance) else { continue }
            pending.insert(subscription) { Pending(must: nil, traceParent: context.traceParent(of: record)) }
        }
        guard observation.replacesFrom != nil else { return }
        // It falls silent earlier than was reckoned with.
        for subscription in links.subscriptions(of: slot) { arm(subscription) }
    }

    private func isLighter(_ slot: Int, than glance: Glance) -> Bool {
        glance.heavyBytes > 0 && vehicles[slot].map { $0.heavyBytes < glance.heavyBytes } ?? false
    }

    /// Whether the subscriber would see a change of status, silence included, or one that its sensitivity asks for.
    private func hasNews(_ subscription: Int, of vehicle: Int, _ now: Instant) -> Bool {
        guard let told = subscriptions[subscription]?.told, let need = subscriptions[subscription]?.need else {
            return false
        }
        guard let state = vehicles[vehicle] else { return false }
        if state.vehicle.status(at: now, offlineAfter: need.offlineAfter) != told.status { return true }
        if need.silencesPassed(of: state.vehicle, at: now) != told.silences { return true }
        guard let old = told.vehicle, let sensitivity = subscriptions[subscription]?.sensitivity else { return false }
        return sensitivity.isExceeded(from: old, to: state.vehicle)
    }

    // MARK: - Subscriptions

    func receive(_ message: NodeMessage, _ context: TaskContext) {
        let vehicle = vehicles.slot(of: message.entity)
        let vehicleId = String(decoding: message.entity, as: UTF8.self)
        switch SourceMessage.read(message) {
        case .unreadable: noteUnreadable(vehicle, vehicleId, context)
        case .request(let asked, let subscriber):
            take(asked, subscriber, link(vehicle, vehicleId, subscriber.configurationId), context)
        }
    }

    private func take(
        _ asked: SubscriptionRequest, _ subscriber: SubscriptionRequest.Subscriber, _ slot: Int,
        _ context: TaskContext
    ) {
        let known = subscriptions[slot]?.version ?? 0
        switch asked {
        case .subscribe(let terms):
            guard subscriber.version >= known, let need = terms.vehicle else { return }
            subscriptions[slot] = VehicleSubscription(
                version: subscriber.version, need: need, sensitivity: terms.sensitivity)
            glances[slot] = nil
            pending.insert(slot, replacing: Pending(must: (.subscribed, context.instant), traceParent: nil))
        case .unsubscribe:
            guard subscriber.version >= known else { return }
            subscriptions[slot] = nil
            glances[slot] = nil
            timers.disarm(slot)
        case .snapshot(let at):
            guard subscriber.version == known, !hasTold(slot, at: at) else { return }
            pending.insert(slot, replacing: Pending(must: (.scheduled, at), traceParent: nil))
        }
    }

    /// Who is refreshed from here asks only after the clock went back, and was told by then if that was noticed here,
    /// too.
    private func hasTold(_ slot: Int, at: Instant) -> Bool {
        guard let subscription = subscriptions[slot], subscription.need.refresh != nil else { return false }
        return subscription.told.map { $0.at >= at } ?? false
    }

    private func link(_ vehicle: Int, _ vehicleId: String, _ configurationId: String) -> Int {
        let slot = subscriptions.slot(of: SubscriptionLinks.key(vehicleId, configurationId))
        links.link(slot, to: vehicle)
        while glances.count <= slot { glances.append(nil) }
        return slot
    }

    // MARK: - Bringing up

    func bringUp(_ context: TaskContext) {
        if hasBroughtUpAll {
            for (slot, _) in changed.take() {
                for subscription in links.subscriptions(of: slot) { bringUp(subscription, context) }
            }
        } else {
            hasBroughtUpAll = true
            _ = changed.take()
            for slot in 0..<subscriptions.slots { bringUp(slot, context) }
        }
    }

    private func bringUp(_ slot: Int, _ context: TaskContext) {
        guard let subscription = subscriptions[slot], let told = subscription.told else { return }
        let revision = vehicles[links.source(of: slot)]?.revision ?? 0
        let isRefreshed = subscription.need.refresh != nil
        if told.revision == revision && (told.at >= context.instant || !isRefreshed) { return }
        // Who has timers of its own takes `scheduled` for the answer to a snapshot.
        let must = (isRefreshed ? Cause.scheduled : .dataChanged, context.instant)
        // News that are pending would be dropped where a status changed back within the transaction.
        pending.insert(slot, replacing: Pending(must: must, traceParent: pending.item(of: slot)?.traceParent))
    }

    // MARK: - Telling

    func flush(_ context: TaskContext) {
        for (slot, pending) in pending.take() { tell(slot, pending, context) }
    }

    private func tell(_ slot: Int, _ pending: Pending, _ context: TaskContext) {
        guard let subscription = subscriptions[slot] else { return }
        let vehicleSlot = links.source(of: slot)
        let state = vehicles[vehicleSlot]
        var (cause, at) = pending.must ?? (.dataChanged, context.instant)
        at = settings.notAhead(at, of: context.instant)
        let status = state?.vehicle.status(at: at, offlineAfter: subscription.need.offlineAfter)
        if pending.must == nil && !hasNews(slot, of: vehicleSlot, at) {
            note(slot, state, at: at, context)
            // A timer that fired meanwhile is armed again.
            return arm(slot)
        }
        let silences = subscription.need.silencesPassed(of: state?.vehicle, at: at)
        // An answer stays one, whatever it says: who asked for a snapshot waits for it.
        let isAnswer = cause == .subscribed || cause == .scheduled && subscription.need.refresh == nil
        if let told = subscription.told, !isAnswer, status != told.status || silences != told.silences {
            cause = .statusChanged
        }
        at = max(at, subscription.told?.at ?? at)
        let update = SourceUpdate(
            source: .vehicle(subscription.need.vehicleId), version: subscription.version,
            revision: state?.revision ?? 0, cause: cause, at: at,
            content: SourceContent(state), traceParent: pending.traceParent)
        context.send(to: links.configurationId(of: slot, in: subscriptions), node: NodeID.configurations) {
            ConfigurationInput.update(update).encode(into: &$0)
        }
        let due = subscription.need.refresh?.nextUpdate(after: at, status: status)
        subscriptions[slot]!.told = .init(
            at: at, status: status, silences: silences, isUnreadable: state?.isUnreadable ?? false,
            revision: state?.revision ?? 0, vehicle: subscription.sensitivity == nil ? nil : state?.known,
            refreshDue: due, heavyBytes: state?.heavyBytes ?? 0)
        glance(at: slot)
        arm(slot)
    }

    /// Lets a subscriber know that the vehicle can be read again, or no longer: whom every timeline comes to from here
    /// learns it then. And that so large a vehicle has become smaller: its timeline may have been too large. A run that
    /// leaves when it has caught up brings both up.
    private func note(_ slot: Int, _ state: VehicleState?, at: Instant, _ context: TaskContext) {
        guard let subscription = subscriptions[slot], let told = subscription.told, let state,
            !settings.leavesWhenCaughtUp
        else { return }
        let isMark = state.isUnreadable != told.isUnreadable && subscription.need.refresh == nil
        guard isMark || state.heavyBytes < told.heavyBytes else { return }
        subscriptions[slot]!.told!.isUnreadable = state.isUnreadable
        subscriptions[slot]!.told!.heavyBytes = state.heavyBytes
        glance(at: slot)
        let update = SourceUpdate(
            source: .vehicle(subscription.need.vehicleId), version: subscription.version, revision: state.revision,
            cause: .noted, at: at, content: SourceContent(state), traceParent: nil)
        context.send(to: links.configurationId(of: slot, in: subscriptions), node: NodeID.configurations) {
            ConfigurationInput.update(update).encode(into: &$0)
        }
    }

    func glance(at slot: Int) {
        while glances.count <= slot { glances.append(nil) }
        glances[slot] = subscriptions[slot].flatMap { subscription in
            subscription.told.map { told in
                Glance(
                    status: told.status, offlineAfter: subscription.need.offlineAfter,
                    needsLook: subscription.sensitivity != nil || told.silences > 0, heavyBytes: told.heavyBytes)
            }
        }
    }

    // MARK: - Derived from state

    func finishRestore(_ context: TaskContext) { derive() }

    func committed(_ context: TaskContext) { warnedNow.removeAll() }

    func reverted(_ context: TaskContext) {
        warned.subtract(warnedNow)
        warnedNow.removeAll()
        _ = pending.take()
        _ = changed.take()
        hasBroughtUpAll = false
        derive()
    }

    private func derive() {
        timers.removeAll()
        glances.removeAll()
        newest = (0..<vehicles.slots).map { vehicles[$0]?.vehicle.observedAt?.milliseconds ?? .min }
        for slot in 0..<subscriptions.slots { glance(at: slot) }
        for slot in 0..<subscriptions.slots where subscriptions[slot] != nil {
            let vehicleId = SubscriptionLinks.source(in: subscriptions.key(of: slot))
            links.link(slot, to: vehicles.slot(of: vehicleId))
            arm(slot)
        }
    }
}
