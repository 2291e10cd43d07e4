import Foundation
import TestSupport
import Testing

/// Input that is large enough to be in the middle of: vehicles that change what they do all the time, and calendars.
/// The same seed gives the same data.
struct GeneratedData {
    static let clock = "2026-03-01T12:00:00Z"
    private static let clockSeconds = 1_772_366_400

    var vehicles = 200
    /// Records of each vehicle.
    var steps: Int
    private var numbers = SplitMix64(seed: 1)

    init(steps: Int) { self.steps = steps }

    var count: Int { vehicles * steps }

    private mutating func random(below bound: Int) -> Int { Int(numbers.next() % UInt64(bound)) }

    var configurations: String {
        var lines = ""
        for vehicle in 0..<vehicles {
            lines += #"{"configurationId":"status-\#(vehicle)","kind":"Status","vehicleId":"v\#(vehicle)","#
            lines += #""recipient":"phone-\#(vehicle % 50)","sensitivity":{"speed":10}}"# + "\n"
        }
        for board in 0..<20 {
            lines += #"{"configurationId":"board-\#(board)","kind":"Board","family":"systemLarge","strategy":"events","#
            lines += #""calendarIds":["c\#(board % 5)","c\#((board + 1) % 5)"],"vehicleId":"v\#(board)"}"# + "\n"
        }
        return lines
    }

    var events: String {
        var lines = ""
        for event in 0..<50 {
            let start = 12 + event % 30
            let date = "2026-03-0\(1 + start / 24)T\(start % 24 < 10 ? "0" : "")\(start % 24):\(10 + event % 50):00Z"
            lines += #"{"calendarId":"c\#(event % 5)","uid":"e\#(event)","title":"Event \#(event)","start":"\#(date)","#
            lines += #""duration":"PT\#(20 + event)M","vehicleId":"v\#(event % 20)"}"# + "\n"
        }
        return lines
    }

    /// Mostly in order, a tenth of it late; odd vehicles know their address.
    mutating func telemetry() -> String {
        var lines = ""
        lines.reserveCapacity(count * 150)
        for step in 0..<steps {
            for vehicle in 0..<vehicles {
                let late = random(below: 10) == 0 ? random(below: 60) : 0
                let time = Self.clockSeconds - 2 * steps + 2 * step - late
                lines += #"{"vehicleId":"v\#(vehicle)","observedAt":\#(time * 1000),"#
                lines += #""ignition":\#(random(below: 8) > 0),"speed":\#(max(0, random(below: 100) - 20)),"#
                let latitude = "30.\(10000 + random(below: 80000))"
                if vehicle % 2 == 1 { lines += #""address":"\#(random(below: 300)) High Street","# }
                lines += #""latitude":\#(latitude),"longitude":-97.\#(10000 + random(below: 80000))}"# + "\n"
            }
        }
        return lines
    }

    /// Publishes it to the topics of `application`, telemetry last.
    mutating func publish(to application: Application, telemetry isWanted: Bool = true) async throws {
        try await application.publish(configurations: configurations)
        let events = try application.file("events.jsonl", events)
        try await application.run("produce", "calendar", "--json", events)
        if isWanted {
            try await application.run(
                "produce", "telemetry", "--json", try application.file("telemetry.jsonl", telemetry()))
        }
    }
}
