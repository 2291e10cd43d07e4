import StreamCore
import Timelines

/// The timers of subscriptions at vehicles: refreshes, and the silences of a vehicle.
struct VehicleTimers {
    private let vehicles: StateStore<VehicleState>
    private let subscriptions: StateStore<VehicleSubscription>
    private let links: SubscriptionLinks<VehicleState, VehicleSubscription>
    private let settings: PipelineSettings
    private var timers = SlotTimers<VehicleSubscription>()
    /// The timers that this transaction took out.
    private var fired: [Slot<VehicleSubscription>] = []

    /// A timer that fired, with the update that is due.
    struct Fired {
        var slot: Slot<VehicleSubscription>
        var cause: Cause
        var at: Instant
    }

    init(
        _ vehicles: StateStore<VehicleState>, _ subscriptions: StateStore<VehicleSubscription>,
        _ links: SubscriptionLinks<VehicleState, VehicleSubscription>, _ settings: PipelineSettings
    ) {
        self.vehicles = vehicles
        self.subscriptions = subscriptions
        self.links = links
        self.settings = settings
    }

    var nextDue: Instant? { timers.nextDue }

    /// Takes out timers that are due, the earliest first, and at most a portion of them.
    mutating func pop(_ context: TaskContext) -> [Fired] {
        var due: [Fired] = []
        for _ in 0..<context.timerPortion {
            guard let slot = timers.pop(now: context.now) else { break }
            fired.append(slot)
            if let update = update(of: slot, context) { due.append(update) }
        }
        return due
    }

    /// The update that a timer which fired stands for; `nil` if the timer was overtaken.
    private mutating func update(of slot: Slot<VehicleSubscription>, _ context: TaskContext) -> Fired? {
        guard let subscription = subscriptions[slot], let due = nextDue(of: slot) else { return nil }
        guard due.firesAt <= context.now else {
            timers.arm(slot, due: due.firesAt)
            return nil
        }
        let vehicle = vehicles[links.source(of: slot)]?.vehicle
        let report = subscription.lastUpdate?.report
        let at = due.instant(firing: context.now, settings) {
            refresh(of: slot, madeAt: due.at, status: report?.status)
        }
        let isSilence = subscription.need.silencesPassed(of: vehicle, at: at) != report?.silences
        return Fired(slot: slot, cause: isSilence ? .statusChanged : .scheduled, at: at)
    }

    /// Sets the subscription's timer as its last update and its vehicle say.
    mutating func arm(_ slot: Slot<VehicleSubscription>) {
        if let due = nextDue(of: slot) {
            timers.arm(slot, due: due.firesAt)
        } else {
            timers.disarm(slot)
        }
    }

    mutating func disarm(_ slot: Slot<VehicleSubscription>) { timers.disarm(slot) }

    mutating func removeAll() { timers.removeAll() }

    mutating func forget(_ released: ReleasedSlots<VehicleSubscription>) { timers.forget(released) }

    mutating func committed() { fired.removeAll(keepingCapacity: true) }

    /// Sets the timers again that the aborted transaction took out.
    mutating func reverted() {
        for slot in fired { arm(slot) }
        fired.removeAll()
    }

    /// The next update if nothing more is heard: a refresh, or the next silence of the vehicle, which is a change of
    /// status and waits for nothing.
    ///
    /// Fields are read in place, so that a restore, which asks this of every subscription, copies none of them.
    private func nextDue(of slot: Slot<VehicleSubscription>) -> Due? {
        guard let madeAt = subscriptions[slot]?.lastUpdate?.report.at else { return nil }
        let silence = nextSilence(of: slot).map { Due(at: $0) }
        let refreshDue = subscriptions[slot]?.lastUpdate?.refreshDue
        let refresh = refreshDue.map { renewal(at: $0, of: slot, madeAt: madeAt) }
        guard let silence, let refresh else { return silence ?? refresh }
        return silence.firesAt < refresh.firesAt ? silence : refresh
    }

    /// The next silence that the last report does not tell of.
    private func nextSilence(of slot: Slot<VehicleSubscription>) -> Instant? {
        guard let passed = subscriptions[slot]?.lastUpdate?.report.silences,
            let silences = subscriptions[slot]?.need.silences
        else { return nil }
        let source = links.source(of: slot)
        let silence = VehicleReport.nextSilence(
            after: passed, of: silences, status: vehicles[source]?.vehicle.status,
            observedAt: vehicles[source]?.vehicle.observedAt)
        return silence?.at
    }

    /// The refresh after one for `made`; `nil` if the subscriber has timers of its own.
    private func refresh(of slot: Slot<VehicleSubscription>, madeAt made: Instant, status: VehicleStatus?) -> Due? {
        subscriptions[slot]?.need.refresh.map {
            renewal(at: $0.nextUpdate(after: made, status: status), of: slot, madeAt: made)
        }
    }

    private func renewal(at: Instant, of slot: Slot<VehicleSubscription>, madeAt made: Instant) -> Due {
        Due(
            renewal: at, ofHash: subscriptions.withKey(of: slot) { SubscriptionKey.hashOfConfigurationId(in: $0) },
            madeAt: made, settings)
    }

    func count(_ load: inout TimerLoad) { load.add(timers) }
}
