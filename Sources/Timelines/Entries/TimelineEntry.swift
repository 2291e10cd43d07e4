/// One dated state of a widget: what is shown from `date` on.
package struct TimelineEntry: Hashable, Sendable {
    package var id: String
    package var date: Instant
    package var phase: Phase
    package var event: Occurrence?
    /// What is under way at `date`, by start, calendarId, uid, at most `ongoingMax`. Where nothing is: `[]` in `day`
    /// and `end` entries and in the `start` of an occurrence of no length; nil in all others.
    package var ongoing: [Occurrence]?
    package var next: Occurrence?
    package var isTentative: Bool
    package var vehicle: VehicleView?
    /// Ascending by name (UTF-8 bytes).
    package var values: [NamedValue]?
    package var message: Message?
    package var isSample: Bool
    package var relevance: Relevance?
    package var parameters: Parameters

    package init(id: String, date: Instant, phase: Phase) {
        self.id = id
        self.date = date
        self.phase = phase
        self.isTentative = false
        self.isSample = false
        self.parameters = Parameters()
    }

    /// How many occurrences `ongoing` lists at most.
    package static let ongoingMax = 20

    package enum Phase: String, CaseIterable, Sendable {
        case preEvent, start, end, status, tick, day, stale, placeholder, signedOut, selectVehicle, error
    }

    package struct NamedValue: Hashable, Sendable {
        package var name: String
        package var value: Double

        package init(name: String, value: Double) {
            self.name = name
            self.value = value
        }
    }

    /// WidgetKit's `TimelineEntryRelevance`: a score within the timeline, and for how long it holds.
    package struct Relevance: Hashable, Sendable {
        package var score: Double
        /// Whole seconds, absent where the score has no length of its own.
        package var duration: Int64?

        package init(score: Double, duration: Int64? = nil) {
            self.score = score
            self.duration = duration
        }
    }

    /// Text for people, and the code beside it for clients that translate (T15).
    package struct Message: Hashable, Sendable {
        package var text: String
        package var code: Code

        package init(_ text: String, code: Code) {
            self.text = text
            self.code = code
        }

        package enum Code: String, CaseIterable, Sendable {
            case signedOut, selectVehicle, loading, vehicleUnknown, unreadable, silent, configurationInvalid
        }
    }

    /// A vehicle as an entry shows it (T23). What is not known is nil.
    package struct VehicleView: Hashable, Sendable {
        package var vehicleId: String
        package var registration: String?
        package var alias: String?
        /// Text, not `VehicleStatus`: a placeholder shows "Loading..." here.
        package var status: String?
        package var speed: Double?
        /// The address, or "lat, lon" with 5 decimals.
        package var location: String?
        package var latitude: Double?
        package var longitude: Double?
        package var customAddressIcon: String?
        package var observedAt: Instant?

        package init(vehicleId: String) {
            self.vehicleId = vehicleId
        }
    }
}
