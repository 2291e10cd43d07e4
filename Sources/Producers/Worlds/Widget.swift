import Messages
import Timelines

/// A widget of the simulated world, with the changes that it has for a while.
struct Widget {
    let configurationId: String
    let kind: String
    let recipient: String
    var family = WidgetFamily.systemMedium
    var timeZone = "UTC"
    var vehicleId: String?
    var calendarIds: [String] = []
    var strategy = Strategy.ofKind

    var isSignedIn = true
    /// The vehicle that is chosen in place of the widget's own; empty means that none is chosen.
    var otherVehicle: String?
    var isRemoved = false
    var mistake: Mistake?

    enum Strategy {
        /// The strategy of its declared kind, else the default.
        case ofKind
        /// A strategy of the widget's own.
        case status
    }

    /// The mistakes that people make in configurations.
    enum Mistake: CaseIterable {
        case timeZone, family, strategy
    }

    init(_ configurationId: String, kind: String, recipient: String) {
        self.configurationId = configurationId
        self.kind = kind
        self.recipient = recipient
    }

    /// True if the widget has no change.
    var isPlain: Bool { isSignedIn && otherVehicle == nil && !isRemoved && mistake == nil }

    mutating func mend() {
        (isSignedIn, otherVehicle, isRemoved, mistake) = (true, nil, false, nil)
    }

    func record(due: Instant) -> SourceRecord {
        let key = Array(configurationId.utf8)
        guard !isRemoved else { return SourceRecord(key: key, value: nil, due: due) }
        var json = JSONWriter()
        json.beginObject()
        json.string("configurationId", configurationId)
        json.string("kind", kind)
        json.string("family", mistake == .family ? "systemHuge" : family.rawValue)
        json.string("recipient", recipient)
        json.string("timeZone", mistake == .timeZone ? "Europe/Berlim" : timeZone)
        json.bool("signedIn", isSignedIn ? nil : false)
        json.string("vehicleId", otherVehicle ?? vehicleId)
        json.strings("calendarIds", calendarIds.isEmpty ? nil : calendarIds)
        if mistake == .strategy {
            json.string("strategy", "statsu")
        } else if strategy == .status {
            json.key("strategy")
            json.beginObject()
            json.string("name", "status")
            json.string("every", "PT1M")
            json.string("parkedEvery", "PT5M")
            json.endObject()
        }
        json.endObject()
        return SourceRecord(key: key, value: json.bytes, due: due)
    }
}
