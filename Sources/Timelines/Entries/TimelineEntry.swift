/// One dated state of a widget: what it shows from `date` on.
public struct TimelineEntry: Hashable, Sendable {
    /// The name of the entry, which stays the same if the timeline is made again (T7).
    public var id: String
    /// The instant from which on the entry is shown.
    public var date: Instant
    /// What kind of entry this is.
    public var phase: Phase
    /// The event that comes, begins, ends or is under way.
    public var event: Occurrence? {
        get { heldEvent?.value }
        set { heldEvent = newValue.map(Indirect.init) }
    }
    /// The occurrences under way at `date`, by start, calendarId, uid, at most `ongoingMax`. If there are none, it is
    /// empty in `day` and `end` entries and in the `start` of an occurrence of no length, and `nil` in all others.
    public var ongoing: [Occurrence]?
    /// The occurrence that starts next after `date`.
    public var next: Occurrence? {
        get { heldNext?.value }
        set { heldNext = newValue.map(Indirect.init) }
    }
    /// True if the event may not take place.
    public var isTentative: Bool
    /// The vehicle.
    public var vehicle: VehicleView? {
        get { heldVehicle?.value }
        set { heldVehicle = newValue.map(Indirect.init) }
    }
    /// Numbers with names, ascending by name (UTF-8 bytes).
    public var values: [NamedValue]?
    /// A sentence in place of what cannot be shown.
    public var message: Message?
    /// True if the entry shows an example instead of what is known.
    public var isSample: Bool
    /// How important the entry is; the rules set it (T9).
    public var relevance: Relevance?
    /// The parameters of the configuration; the rules set them (T8).
    public var parameters: Parameters

    /// The parts that entries share, where they lie.
    package var heldEvent, heldNext: Indirect<Occurrence>?
    package var heldVehicle: Indirect<VehicleView>?

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

    /// The kinds of entries.
    public enum Phase: String, CaseIterable, Sendable {
        case preEvent, start, end, status, tick, day, stale, placeholder, signedOut, selectVehicle, error
    }

    /// A number with a name.
    public struct NamedValue: Hashable, Sendable {
        /// The name, as telemetry says it.
        public var name: String
        /// The number.
        public var value: Double

        /// A number with this name.
        public init(name: String, value: Double) {
            self.name = name
            self.value = value
        }
    }

    /// WidgetKit's `TimelineEntryRelevance`: a score within the timeline, and for how long it holds.
    public struct Relevance: Hashable, Sendable {
        /// The score, higher for what is more important.
        public var score: Double
        /// The length in whole seconds; `nil` means that the score holds as long as the entry.
        public var duration: Int64?

        /// A score that holds for so many whole seconds, or as long as the entry.
        public init(score: Double, duration: Int64? = nil) {
            self.score = score
            self.duration = duration
        }
    }

    /// A text for people, with a code for clients that translate (T15).
    public struct Message: Hashable, Sendable {
        /// The sentence, in English.
        public var text: String
        /// The code for clients that translate.
        public var code: Code

        /// A message of this sentence and code.
        public init(_ text: String, code: Code) {
            self.text = text
            self.code = code
        }

        /// The messages that there are.
        public enum Code: String, CaseIterable, Sendable {
            case signedOut, selectVehicle, loading, vehicleUnknown, unreadable, silent, configurationInvalid
        }
    }

    /// A vehicle as an entry shows it (T23). What is not known is `nil`.
    public struct VehicleView: Hashable, Sendable {
        /// The name of the vehicle, or "0" in a placeholder and a sample.
        public var vehicleId: String
        /// The number plate.
        public var registration: String?
        /// The name that people gave the vehicle.
        public var alias: String?
        /// The text of a `VehicleStatus`, or "Loading..." in a placeholder.
        public var status: String?
        /// The speed in km/h.
        public var speed: Double?
        /// The address, or "latitude, longitude" with 5 decimals.
        public var location: String?
        /// Degrees north of the equator, in WGS 84.
        public var latitude: Double?
        /// Degrees east of Greenwich, in WGS 84.
        public var longitude: Double?
        /// The icon that is shown beside the address.
        public var customAddressIcon: String?
        /// The instant at which the vehicle was observed.
        public var observedAt: Instant?

        /// A vehicle of which nothing else is known.
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

    /// An entry that shows a vehicle as others do.
    init(_ phase: Phase, at date: Instant, showing vehicle: Indirect<VehicleView>) {
        self.init(id: "", date: date, phase: phase)
        heldVehicle = vehicle
    }

    /// The entry that is shown until something is known of a vehicle.
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

    /// The entry that asks for a vehicle to be chosen.
    static func selectVehicle(at date: Instant) -> TimelineEntry {
        TimelineEntry(.selectVehicle, at: date, message: .init("Select a vehicle.", code: .selectVehicle))
    }
}

extension TimelineEntry.VehicleView {
    /// A vehicle with "Loading..." in registration, status and location (T27).
    package static let placeholder: TimelineEntry.VehicleView = {
        var view = TimelineEntry.VehicleView(vehicleId: "0")
        view.registration = "Loading..."
        view.status = "Loading..."
        view.location = "Loading..."
        return view
    }()

    /// The sample vehicle number `number`, from 0 on; samples repeat after five.
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
