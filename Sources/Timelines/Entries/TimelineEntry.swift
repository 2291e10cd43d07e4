/// One dated state of a widget: what is shown from `date` on.
public struct TimelineEntry: Hashable, Sendable {
    public var id: String
    public var date: Instant
    public var phase: Phase
    public var event: Occurrence?
    /// What is under way at `date`, by start, calendarId, uid, at most `ongoingMax`. Where nothing is: `[]` in `day`
    /// and `end` entries and in the `start` of an occurrence of no length; nil in all others.
    public var ongoing: [Occurrence]?
    public var next: Occurrence?
    public var isTentative: Bool
    public var vehicle: VehicleView?
    /// Ascending by name (UTF-8 bytes).
    public var values: [NamedValue]?
    public var message: Message?
    public var isSample: Bool
    public var relevance: Relevance?
    public var parameters: Parameters

    package init(id: String, date: Instant, phase: Phase) {
        self.id = id
        self.date = date
        self.phase = phase
        self.isTentative = false
        self.isSample = false
        self.parameters = Parameters()
    }

    /// How many occurrences `ongoing` lists at most.
    public static let ongoingMax = 20

    public enum Phase: String, CaseIterable, Sendable {
        case preEvent, start, end, status, tick, day, stale, placeholder, signedOut, selectVehicle, error
    }

    public struct NamedValue: Hashable, Sendable {
        public var name: String
        public var value: Double

        public init(name: String, value: Double) {
            self.name = name
            self.value = value
        }
    }

    /// WidgetKit's `TimelineEntryRelevance`: a score within the timeline, and for how long it holds.
    public struct Relevance: Hashable, Sendable {
        public var score: Double
        /// Whole seconds, absent where the score has no length of its own.
        public var duration: Int64?

        public init(score: Double, duration: Int64? = nil) {
            self.score = score
            self.duration = duration
        }
    }

    /// Text for people, and the code beside it for clients that translate (T15).
    public struct Message: Hashable, Sendable {
        public var text: String
        public var code: Code

        public init(_ text: String, code: Code) {
            self.text = text
            self.code = code
        }

        public enum Code: String, CaseIterable, Sendable {
            case signedOut, selectVehicle, loading, vehicleUnknown, unreadable, silent, configurationInvalid
        }
    }

    /// A vehicle as an entry shows it (T23). What is not known is nil.
    public struct VehicleView: Hashable, Sendable {
        public var vehicleId: String
        public var registration: String?
        public var alias: String?
        /// Text, not `VehicleStatus`: a placeholder shows "Loading..." here.
        public var status: String?
        public var speed: Double?
        /// The address, or "lat, lon" with 5 decimals.
        public var location: String?
        public var latitude: Double?
        public var longitude: Double?
        public var customAddressIcon: String?
        public var observedAt: Instant?

        public init(vehicleId: String) {
            self.vehicleId = vehicleId
        }
    }
}

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
