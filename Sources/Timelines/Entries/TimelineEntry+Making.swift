extension TimelineEntry {
    /// An entry as a strategy makes it. Its id, relevance and parameters are set by the rules for every strategy (T7 to
    /// T9).
    public init(_ phase: Phase, at date: Instant, vehicle: VehicleView? = nil, message: Message? = nil) {
        self.init(id: "", date: date, phase: phase)
        self.vehicle = vehicle
        self.message = message
    }

    /// Shown until something is known of a vehicle.
    static func placeholder(at date: Instant, vehicleId: String) -> TimelineEntry {
        var vehicle = VehicleView.placeholder
        vehicle.vehicleId = vehicleId
        return TimelineEntry(.placeholder, at: date, vehicle: vehicle, message: .init("Loading...", code: .loading))
    }

    /// A tick that shows the sample vehicle number `number` instead of what is known.
    static func sample(_ number: Int, at date: Instant) -> TimelineEntry {
        var entry = TimelineEntry(.tick, at: date, vehicle: .sample(number))
        entry.isSample = true
        return entry
    }

    /// Asks for a vehicle to be chosen.
    static func selectVehicle(at date: Instant) -> TimelineEntry {
        TimelineEntry(.selectVehicle, at: date, message: .init("Select a vehicle.", code: .selectVehicle))
    }
}

extension TimelineEntry.VehicleView {
    /// "Loading..." in registration, status and location (T27).
    package static let placeholder: TimelineEntry.VehicleView = {
        var view = TimelineEntry.VehicleView(vehicleId: "0")
        view.registration = "Loading..."
        view.status = "Loading..."
        view.location = "Loading..."
        return view
    }()

    /// The sample vehicle number `number`, which repeat after five.
    package static func sample(_ number: Int) -> TimelineEntry.VehicleView {
        precondition(number >= 0)
        let (status, speed) = samples[number % samples.count]
        var view = TimelineEntry.VehicleView(vehicleId: "0")
        view.registration = "AABBCCGP"
        view.status = status.rawValue
        view.speed = speed
        view.location = "Street address"
        return view
    }

    private static let samples: [(VehicleStatus, speed: Double)] = [
        (.moving, 40), (.idling, 0), (.stopped, 0), (.ignitionOff, 0), (.moving, 80),
    ]
}
