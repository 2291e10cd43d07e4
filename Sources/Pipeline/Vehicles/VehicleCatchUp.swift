import StreamCore

/// The subscriptions that a run which ends brings up: all of them at first, then those of vehicles that changed since.
struct VehicleCatchUp {
    private let subscriptions: StateStore<VehicleSubscription>
    private let links: SubscriptionLinks<VehicleState, VehicleSubscription>
    /// False if the run does not end: then nothing is kept.
    private let isKept: Bool
    private var changed = SlotQueue<VehicleState, Void>()
    private var hasBegun = false

    init(
        _ subscriptions: StateStore<VehicleSubscription>, _ links: SubscriptionLinks<VehicleState, VehicleSubscription>,
        _ settings: PipelineSettings
    ) {
        self.subscriptions = subscriptions
        self.links = links
        isKept = settings.leavesWhenCaughtUp
    }

    mutating func vehicleChanged(_ vehicle: Slot<VehicleState>) {
        if isKept { changed.append(vehicle) }
    }

    /// The subscriptions that are to be brought up now, each once.
    mutating func drain() -> [Slot<VehicleSubscription>] {
        let vehicles = changed.drain()
        if hasBegun { return vehicles.flatMap { links.subscriptions(of: $0.slot) } }
        hasBegun = true
        return Array(subscriptions.slots)
    }

    /// After an abort everything is brought up again.
    mutating func reset() {
        changed.removeAll()
        hasBegun = false
    }
}
