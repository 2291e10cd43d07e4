import Messages
import RecordLog
import TestSupport
import Timelines

/// Puts random records into a pipeline: all of one vehicle, calendar or configuration into one partition, which need
/// not be the one where Java's partitioner puts them.
struct RandomWorld {
    private var random: SplitMix64
    private let partitions: [Int32]
    private let shift: Int
    /// Telemetry of one vehicle is never observed at the same instant twice: what comes first would decide.
    private var observed = 0
    private var sequence = 0

    init(seed: UInt64, partitions: [Int32]) {
        random = SplitMix64(seed: seed)
        self.partitions = partitions
        shift = Int.random(in: 0...2, using: &random)
    }

    /// - Parameter now: what the clock shows.
    mutating func put(into pipeline: PipelineFixture, now: Instant) {
        switch Int.random(in: 0..<24, using: &random) {
        case 0..<9: telemetry(pipeline, now)
        case 9..<13: event(pipeline)
        case 13..<17: configuration(pipeline)
        case 17, 18: bad(pipeline)
        case 19, 20: google(pipeline)
        case 21, 22: iCalendar(pipeline)
        default: removal(pipeline)
        }
    }

    private func place(_ id: String, _ topic: Int) -> Partition {
        Murmur2.partition(of: id, partitions: partitions[topic]).advanced(by: shift) % partitions[topic]
    }

    private mutating func telemetry(_ pipeline: PipelineFixture, _ now: Instant) {
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
        pipeline.telemetry(id, at, fields.randomElement(using: &random)!, partition: place(id, 0))
    }

    private mutating func event(_ pipeline: PipelineFixture) {
        let calendar = "k\(Int.random(in: 0..<3, using: &random))"
        let (start, end) = extent()
        let sequence = nextSequence()
        let fields = [
            "", #""status": "cancelled""#, #""status": "tentative""#, #""preEventLead": "P1D""#, #""vehicleId": "v1""#,
            #""recurrence": ["RRULE:FREQ=DAILY;COUNT=3"]"#,
        ]
        .randomElement(using: &random)!
        pipeline.event(
            calendar, "e\(Int.random(in: 0..<5, using: &random))", start.rfc3339, end.rfc3339,
            #""sequence": \#(sequence)"# + (fields.isEmpty ? "" : ", " + fields), partition: place(calendar, 1))
    }

    private mutating func extent() -> (start: Instant, end: Instant) {
        let start = at("06:00") + .minutes(Int64.random(in: 0..<200, using: &random) * 15)
        return (start, start + .minutes(Int64.random(in: 0..<9, using: &random) * 20))
    }

    /// Of a version that comes late, some of the time.
    private mutating func nextSequence() -> Int {
        sequence += 1
        return max(0, sequence - (Int.random(in: 0..<4, using: &random) == 0 ? 5 : 0))
    }

    /// Single events, and overrides of the series among the events.
    private mutating func google(_ pipeline: PipelineFixture) {
        let calendar = "k\(Int.random(in: 0..<3, using: &random))"
        let id = "g\(Int.random(in: 0..<3, using: &random))"
        let (start, end) = extent()
        let original = #""originalStartTime": {"dateTime": "\#(extent().start.rfc3339)"}"#
        let fields = [
            "", #""status": "cancelled""#, #""recurringEventId": "e1", \#(original)"#,
            #""recurringEventId": "e1", "status": "cancelled", \#(original)"#,
        ]
        .randomElement(using: &random)!
        pipeline.google(
            "\(calendar)/\(id)", id: id, start.rfc3339, end.rfc3339, title: id,
            #""sequence": \#(nextSequence())"# + (fields.isEmpty ? "" : ", " + fields), partition: place(calendar, 1))
    }

    /// A few of the events that come as JSON, too, and some of its own.
    private mutating func iCalendar(_ pipeline: PipelineFixture) {
        let calendar = "k\(Int.random(in: 0..<3, using: &random))"
        let events = (0..<Int.random(in: 1..<4, using: &random)).map { _ in
            let (start, end) = extent()
            let rule = ["RRULE:FREQ=DAILY;COUNT=2", "STATUS:TENTATIVE", "LOCATION:Here"].randomElement(using: &random)!
            return ICalendarEvent(
                "e\(Int.random(in: 0..<9, using: &random))", start.rfc3339, end.rfc3339, "SEQUENCE:\(nextSequence())",
                rule)
        }
        pipeline.put(
            pipeline.topics.calendarEvents, key: "\(calendar)/x\(Int.random(in: 0..<2, using: &random))",
            PipelineFixture.iCalendarText(events), partition: place(calendar, 1))
    }

    private mutating func configuration(_ pipeline: PipelineFixture) {
        let id = "c\(Int.random(in: 0..<6, using: &random))"
        let vehicle = #""vehicleId": "v\#(Int.random(in: 0..<5, using: &random))""#
        let fields = [
            vehicle, vehicle + #", "sensitivity": {"speed": 10, "distance": 100}"#,
            vehicle + #", "strategy": {"name": "status", "every": "PT1M", "offlineAfter": "PT20M"}"#,
            #""calendarIds": ["k0", "k1", "k2"], "timeZone": "America/New_York""#,
            vehicle + #", "strategy": "events", "calendarIds": ["k1"]"#,
            #""calendarIds": ["k2"], "strategy": {"name": "events", "dayEntries": false, "days": 1}"#,
            vehicle + #", "calendarIds": ["k0"], "strategy": {"name": "fetched", "offlineAfter": "PT20M"}"#,
            vehicle + #", "calendarIds": ["k1", "k2"], "strategy": {"name": "withRetry", "inner": "status"}"#,
            #""strategy": "nothing""#, vehicle + #", "signedIn": false"#,
        ]
        .randomElement(using: &random)!
        pipeline.configuration(
            id, fields + #", "recipient": "r\#(Int.random(in: 0..<2, using: &random))""#, partition: place(id, 2))
    }

    private mutating func removal(_ pipeline: PipelineFixture) {
        let number = Int.random(in: 0..<5, using: &random)
        let calendar = "k\(Int.random(in: 0..<3, using: &random))"
        if Bool.random(using: &random) {
            pipeline.removeConfiguration("c\(number)", partition: place("c\(number)", 2))
        } else {
            let name = ["e\(number)", "g\(number % 3)", "x\(number % 2)"].randomElement(using: &random)!
            pipeline.removeEvent("\(calendar)/\(name)", partition: place(calendar, 1))
        }
    }

    /// What the values of records begin with that cannot be read.
    static let badValue = "bad"

    private mutating func bad(_ pipeline: PipelineFixture) {
        let number = Int.random(in: 0..<3, using: &random)
        let value = "\(Self.badValue) \(sequence)"
        sequence += 1
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let topics = pipeline.topics.inputs.prefix(3)
            pipeline.put(topics.randomElement(using: &random)!, key: "bad", value, partition: 0)
        case 1:
            pipeline.put(
                pipeline.topics.calendarEvents, key: "k\(number)/e1", value, partition: place("k\(number)", 1))
        default:
            pipeline.put(pipeline.topics.telemetry, key: "v\(number)", value, partition: place("v\(number)", 0))
        }
    }
}
