package import Messages
package import RecordLog
import SplitMix
import Timelines

/// Draws random records for a pipeline: all of one vehicle, calendar or configuration for one partition, which need not
/// be the one where Java's partitioner puts them.
package struct RandomWorld {
    private var random: SplitMix64
    private let partitions: [Int32]
    private let topics: TopicNames
    private let shift: Int
    /// The midnight around which events lie, in UTC.
    private let day: Instant
    /// Time zones of configurations that name one.
    private let zones: [String]
    /// The size of some records that cannot be read: they are too large to be looked at.
    private let largeBytes: Int?
    /// Telemetry of one vehicle is never observed at the same instant twice: what comes first would decide.
    private var observed = 0
    private var sequence = 0

    /// A record that is to be written.
    package struct Input: Sendable {
        package var topic: String
        package var key: String
        /// `nil` makes a tombstone.
        package var value: String?
        package var partition: Partition
    }

    /// - Parameters:
    ///   - partitions: of telemetry, events and configurations.
    ///   - day: a midnight in UTC; without it that of Monday, 2 March 2026.
    ///   - largeBytes: the size of every third record that cannot be read; `nil` if all are small.
    package init(
        seed: UInt64, partitions: [Int32], topics: TopicNames = TopicNames(),
        day: Instant = Instant(milliseconds: 1_772_409_600_000), zones: [String] = ["America/New_York"],
        largeBytes: Int? = nil
    ) {
        random = SplitMix64(seed: seed)
        self.partitions = partitions
        self.topics = topics
        self.day = day
        self.zones = zones
        self.largeBytes = largeBytes
        shift = Int.random(in: 0...2, using: &random)
    }

    /// - Parameter now: what the clock shows.
    package mutating func next(now: Instant) -> Input {
        switch Int.random(in: 0..<24, using: &random) {
        case 0..<9: telemetry(now)
        case 9..<13: event()
        case 13..<17: configuration()
        case 17, 18: bad()
        case 19, 20: google()
        case 21, 22: iCalendar()
        default: removal()
        }
    }

    private func place(_ id: String, _ topic: Int) -> Partition {
        Murmur2.partition(of: id, partitions: partitions[topic]).advanced(by: shift) % partitions[topic]
    }

    private func object(_ members: [String]) -> String {
        "{" + members.filter { !$0.isEmpty }.joined(separator: ", ") + "}"
    }

    private mutating func telemetry(_ now: Instant) -> Input {
        let id = "v\(Int.random(in: 0..<4, using: &random))"
        observed += 1
        let back = Int64.random(in: 0..<40, using: &random) * 60_000
        let at = Instant(milliseconds: now.milliseconds - back - Int64(observed)).rfc3339
        let fields = [
            #""ignition": false"#, #""speed": \#(Int.random(in: 0..<99, using: &random))"#,
            #""registration": "R\#(Int.random(in: 0..<5, using: &random))""#,
            #""status": "Charging", "address": "Home""#,
            #""latitude": 47.\#(Int.random(in: 10..<99, using: &random)), "longitude": 8.5"#,
        ]
        let members = [
            #""vehicleId": "\#(id)""#, #""observedAt": "\#(at)""#, fields.randomElement(using: &random) ?? "",
        ]
        return Input(topic: topics.telemetry, key: id, value: object(members), partition: place(id, 0))
    }

    private mutating func event() -> Input {
        let calendar = "k\(Int.random(in: 0..<3, using: &random))"
        let (start, end) = extent()
        let sequence = nextSequence()
        let fields =
            [
                "", #""status": "cancelled""#, #""status": "tentative""#, #""preEventLead": "P1D""#,
                #""vehicleId": "v1""#,
                #""recurrence": ["RRULE:FREQ=DAILY;COUNT=3"]"#,
            ]
            .randomElement(using: &random) ?? ""
        let uid = "e\(Int.random(in: 0..<5, using: &random))"
        let members = [
            #""calendarId": "\#(calendar)", "uid": "\#(uid)", "title": "\#(uid)""#,
            #""start": "\#(start.rfc3339)", "end": "\#(end.rfc3339)""#, #""sequence": \#(sequence)"#, fields,
        ]
        return calendarInput(calendar, uid, object(members))
    }

    private func calendarInput(_ calendar: String, _ name: String, _ value: String?) -> Input {
        Input(
            topic: topics.calendarEvents, key: "\(calendar)/\(name)", value: value, partition: place(calendar, 1))
    }

    private mutating func extent() -> (start: Instant, end: Instant) {
        let start = day + .hours(6) + .minutes(Int64.random(in: 0..<200, using: &random) * 15)
        return (start, start + .minutes(Int64.random(in: 0..<9, using: &random) * 20))
    }

    /// A version; some of the time one that comes late.
    private mutating func nextSequence() -> Int {
        sequence += 1
        return max(0, sequence - (Int.random(in: 0..<4, using: &random) == 0 ? 5 : 0))
    }

    /// Single events, and overrides of the series among the events.
    private mutating func google() -> Input {
        let calendar = "k\(Int.random(in: 0..<3, using: &random))"
        let id = "g\(Int.random(in: 0..<3, using: &random))"
        let (start, end) = extent()
        let original = #""originalStartTime": {"dateTime": "\#(extent().start.rfc3339)"}"#
        let fields =
            [
                "", #""status": "cancelled""#, #""recurringEventId": "e1", \#(original)"#,
                #""recurringEventId": "e1", "status": "cancelled", \#(original)"#,
            ]
            .randomElement(using: &random) ?? ""
        let members = [
            #""kind": "calendar#event""#, #""id": "\#(id)""#, #""iCalUID": "\#(id)@google.com""#,
            #""summary": "\#(id)""#, #""start": {"dateTime": "\#(start.rfc3339)"}"#,
            #""end": {"dateTime": "\#(end.rfc3339)"}"#, #""sequence": \#(nextSequence())"#, fields,
        ]
        return calendarInput(calendar, id, object(members))
    }

    /// A few of the events that come as JSON, too, and some of its own.
    private mutating func iCalendar() -> Input {
        let calendar = "k\(Int.random(in: 0..<3, using: &random))"
        let events = (0..<Int.random(in: 1..<4, using: &random)).flatMap { _ in
            let (start, end) = extent()
            let rule =
                ["RRULE:FREQ=DAILY;COUNT=2", "STATUS:TENTATIVE", "LOCATION:Here"].randomElement(using: &random) ?? ""
            let uid = "e\(Int.random(in: 0..<9, using: &random))"
            return [
                "BEGIN:VEVENT", "UID:\(uid)", "DTSTART:\(basic(start))", "DTEND:\(basic(end))", "SUMMARY:\(uid)",
                "SEQUENCE:\(nextSequence())", rule, "END:VEVENT",
            ]
        }
        let lines = ["BEGIN:VCALENDAR", "VERSION:2.0"] + events + ["END:VCALENDAR", ""]
        return calendarInput(
            calendar, "x\(Int.random(in: 0..<2, using: &random))", lines.joined(separator: "\r\n"))
    }

    /// `20260302T120000Z`
    private func basic(_ time: Instant) -> String { time.rfc3339.filter { $0 != "-" && $0 != ":" } }

    private mutating func configuration() -> Input {
        let id = "c\(Int.random(in: 0..<6, using: &random))"
        let vehicle = #""vehicleId": "v\#(Int.random(in: 0..<5, using: &random))""#
        let zone = zones.count == 1 ? zones[0] : zones.randomElement(using: &random) ?? "UTC"
        let fields =
            [
                vehicle, vehicle + #", "sensitivity": {"speed": 10, "distance": 100}"#,
                vehicle + #", "strategy": {"name": "status", "every": "PT1M", "offlineAfter": "PT20M"}"#,
                #""calendarIds": ["k0", "k1", "k2"], "timeZone": "\#(zone)""#,
                vehicle + #", "strategy": "events", "calendarIds": ["k1"]"#,
                #""calendarIds": ["k2"], "strategy": {"name": "events", "dayEntries": false, "days": 1}"#,
                vehicle + #", "calendarIds": ["k0"], "strategy": {"name": "fetched", "offlineAfter": "PT20M"}"#,
                vehicle + #", "calendarIds": ["k1", "k2"], "strategy": {"name": "withRetry", "inner": "status"}"#,
                #""strategy": "nothing""#, vehicle + #", "signedIn": false"#,
            ]
            .randomElement(using: &random) ?? ""
        let recipient = #""recipient": "r\#(Int.random(in: 0..<2, using: &random))""#
        let members = [#""configurationId": "\#(id)""#, #""kind": "Demo""#, fields, recipient]
        return Input(topic: topics.configurations, key: id, value: object(members), partition: place(id, 2))
    }

    private mutating func removal() -> Input {
        let number = Int.random(in: 0..<5, using: &random)
        let calendar = "k\(Int.random(in: 0..<3, using: &random))"
        if Bool.random(using: &random) {
            return Input(
                topic: topics.configurations, key: "c\(number)", value: nil, partition: place("c\(number)", 2))
        }
        let name = ["e\(number)", "g\(number % 3)", "x\(number % 2)"].randomElement(using: &random) ?? ""
        return calendarInput(calendar, name, nil)
    }

    /// What the values of records begin with that cannot be read.
    package static let badValue = "bad"

    private mutating func bad() -> Input {
        let number = Int.random(in: 0..<3, using: &random)
        var value = "\(Self.badValue) \(sequence)"
        if let largeBytes, sequence.isMultiple(of: 3) { value += String(repeating: " ", count: largeBytes) }
        sequence += 1
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let inputs = topics.inputs.prefix(3)
            return Input(
                topic: inputs.randomElement(using: &random) ?? "", key: "bad", value: value, partition: 0)
        case 1: return calendarInput("k\(number)", "e1", value)
        default:
            let id = "v\(number)"
            return Input(topic: topics.telemetry, key: id, value: value, partition: place(id, 0))
        }
    }
}
