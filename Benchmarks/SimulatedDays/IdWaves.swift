import Pipeline
package import RecordLog
import StreamCore

/// Ids that come and go in waves, beside some that stay: vehicles, calendars, configurations and recipients, equally
/// many of each. A configuration shows a vehicle and a calendar of its wave, and has a recipient of its own.
///
/// The days between two waves are jumped over: each wave comes, is changed, and goes; what is kept for a while after
/// that, such as the revisions of deleted configurations, overlaps with the waves that follow.
package struct IdWaves {
    /// Ids of each of the four kinds in a wave.
    package let size: Int
    package private(set) var ids = 0
    package private(set) var now: Instant
    private let tasks: VirtualTasks
    private var waves = 0

    /// Waves are so far apart.
    package static let distance = ElapsedTime.hours(10 * 24)
    private static let kinds = 4

    /// - Parameters:
    ///   - size: the ids of each kind in a wave.
    ///   - permanent: the ids of each kind that stay.
    package init(size: Int, permanent: Int, partitions: Int32 = 2) {
        guard let start = Instant(rfc3339: "2026-03-02T08:00:00Z") else { preconditionFailure("an instant") }
        self.size = size
        now = start
        tasks = VirtualTasks(.widgets(PipelineSettings()), partitions: partitions, keepsChangelogs: false)
        tasks.transactionsMax = .max
        step((0..<permanent).flatMap { come("permanent", $0) })
        pass(.minutes(5))
    }

    /// Lets a wave come and go.
    package mutating func run() {
        let name = "wave\(waves)"
        waves += 1
        ids += size * Self.kinds
        step((0..<size).flatMap { come(name, $0) })
        pass(.seconds(30))
        step((0..<size).map { telemetry(name, $0, speed: 0) })
        pass(.minutes(5))
        step((0..<size).flatMap { go(name, $0) })
        pass(Self.distance)
    }

    /// Moves the clock on, and does what is due then.
    package mutating func pass(_ time: ElapsedTime) {
        now = now + time
        step([])
    }

    /// The keys and slots of all stores together.
    package var slots: (keys: Int, slots: Int) { tasks.slots }

    private func step(_ inputs: [FleetDay.Input]) {
        tasks.step(at: now, inputs)
        tasks.outputs.removeAll()
    }

    // MARK: - Inputs

    private func come(_ name: String, _ number: Int) -> [FleetDay.Input] {
        let id = "\(name)-\(number)"
        let begin = (now + .hours(1)).rfc3339
        return [
            telemetry(name, number, speed: 40),
            input(
                1, "calendar-\(id)/1",
                #"{"calendarId": "calendar-\#(id)", "uid": "1", "title": "Trip", "start": "\#(begin)", "#
                    + #""duration": "PT50M"}"#),
            input(
                2, "widget-\(id)",
                #"{"configurationId": "widget-\#(id)", "kind": "Demo", "recipient": "person-\#(id)", "#
                    + #""vehicleId": "vehicle-\#(id)", "calendarIds": ["calendar-\#(id)"], "strategy": "events"}"#),
        ]
    }

    private func go(_ name: String, _ number: Int) -> [FleetDay.Input] {
        let id = "\(name)-\(number)"
        return [input(1, "calendar-\(id)/1", nil), input(2, "widget-\(id)", nil)]
    }

    private func telemetry(_ name: String, _ number: Int, speed: Int) -> FleetDay.Input {
        let id = "vehicle-\(name)-\(number)"
        return input(
            0, id,
            #"{"vehicleId": "\#(id)", "observedAt": "\#(now.rfc3339)", "ignition": true, "speed": \#(speed)}"#)
    }

    private func input(_ source: Int, _ key: String, _ value: String?) -> FleetDay.Input {
        FleetDay.Input(at: now, source: source, key: key, value: value, isMisplaced: false)
    }
}
