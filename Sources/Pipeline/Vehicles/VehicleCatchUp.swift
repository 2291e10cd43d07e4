import StreamCore

/// The subscriptions that a run which ends brings up: all of them at first, then those of vehicles that changed since;
/// a portion of them in each transaction (R17).
struct VehicleCatchUp {
    /// False if the run does not end: then nothing is kept.
    private let isKept: Bool
    private var all = SlotWalk<VehicleSubscription>()
    private var changed: FanOut<VehicleState, VehicleSubscription>
    private var hasBegun = false

    init(_ links: SubscriptionLinks<VehicleState, VehicleSubscription>, _ settings: PipelineSettings) {
        changed = FanOut(links)
        isKept = settings.leavesWhenCaughtUp
    }

    mutating func vehicleChanged(_ vehicle: Slot<VehicleState>) {
        if isKept && hasBegun { changed.begin(vehicle, traceParent: nil) }
    }

    /// True if subscriptions wait for the next transaction.
    var hasMore: Bool { hasBegun && (all.isUnderWay || changed.hasMore) }

    /// Goes through the next subscriptions.
    ///
    /// - Parameter bringUp: returns true if an update is due.
    mutating func advance(
        over subscriptions: StateStore<VehicleSubscription>, _ context: TaskContext,
        _ bringUp: (Slot<VehicleSubscription>) -> Bool
    ) {
        if !hasBegun { all.begin() }
        hasBegun = true
        all.advance(over: subscriptions, context, bringUp)
        changed.advance(context, tell: { slot, _ in bringUp(slot) }, mark: { _, _ in })
    }

    mutating func committed() {
        all.committed()
        changed.committed()
    }

    mutating func unlinking(_ subscription: Slot<VehicleSubscription>) { changed.unlinking(subscription) }

    /// After an abort everything is brought up again.
    mutating func reset() {
        all.reverted()
        changed.removeAll()
        hasBegun = false
    }
}
