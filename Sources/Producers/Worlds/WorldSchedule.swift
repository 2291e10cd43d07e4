import Timelines

/// The times of the changes of a simulated world, and the records of these changes: each change is an interval later
/// than the one before.
///
/// Owned by one thread.
final class WorldSchedule {
    /// The instant of the latest change.
    private(set) var now: Instant
    /// The number of the latest change, from 1; 0 is the beginning.
    private(set) var change = 0
    private let interval: ElapsedTime
    private let clock: (() -> Instant)?
    private var records: [SourceRecord] = []
    /// The first of the records that has not been handed out.
    private var index = 0

    /// A change that is late by more than this happens now: nothing is caught up with.
    private static let latenessMax = ElapsedTime.seconds(10)

    /// - Parameters:
    ///   - interval: the time between two changes, above zero.
    ///   - clock: the time of day; `nil` means that the world's time has nothing to do with it.
    init(start: Instant, interval: ElapsedTime, clock: (() -> Instant)?) {
        precondition(interval > .zero)
        now = start
        self.interval = interval
        self.clock = clock
    }

    private func advance() {
        change += 1
        now = now + interval
        if let time = clock?(), time - now > Self.latenessMax { now = time }
    }

    /// Appends a record to those that `next` hands out.
    func append(_ record: SourceRecord) {
        records.append(record)
    }

    /// The next record. If all are handed out, time goes on to the next change until there is one.
    ///
    /// - Parameter makeChange: appends the records of the change that is now.
    func next(_ makeChange: () -> Void) -> SourceRecord {
        while index == records.count {
            records.removeAll(keepingCapacity: true)
            index = 0
            advance()
            makeChange()
        }
        defer { index += 1 }
        return records[index]
    }
}

/// The calendars of a fleet's depots, which `SimulatedCalendars` fills and agenda widgets of `SimulatedWidgets` show.
package enum FleetCalendars {
    /// The ids of the calendars.
    package static let all = ["depot-west", "depot-north", "depot-harbour"]

    /// The calendar that holds the rounds of a vehicle, by the vehicle's index from 0.
    static func calendarId(ofVehicle index: Int) -> String { all[index % all.count] }

    /// The time between the beginnings of a calendar's rounds.
    static let cycle = ElapsedTime.minutes(4)

    /// The number of the round of a calendar that begins last before an instant, or at it.
    ///
    /// - Parameter calendar: the index of the calendar; the rounds of `count` calendars begin one after the other.
    static func round(at instant: Instant, calendar: Int, of count: Int) -> Int64 {
        (instant.milliseconds - shift(calendar, of: count)) / cycle.milliseconds
    }

    /// The instant at which a round of a calendar begins.
    static func start(ofRound number: Int64, calendar: Int, of count: Int) -> Instant {
        Instant(milliseconds: number * cycle.milliseconds + shift(calendar, of: count))
    }

    private static func shift(_ calendar: Int, of count: Int) -> Int64 {
        cycle.milliseconds * Int64(calendar) / Int64(count)
    }
}
