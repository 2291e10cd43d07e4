import SplitMix
import TestSupport
import Timelines

/// A vehicle and calendars that change over a month, as a seed draws them.
struct MonthWorld {
    static let begin = at("2026-11-01T00:00:00Z")
    static let days: Int64 = 30
    static let end = begin + .hours(24) * days

    /// The states of the vehicle, each from an instant on.
    private var vehicles: [(from: Instant, vehicle: Vehicle)] = []
    /// The occurrences of the calendar, each from one instant on and until another.
    private var occurrences: [(lives: Range<Instant>, occurrence: Occurrence)] = []
    /// The instants at which the vehicle, or the calendar, changes.
    private(set) var vehicleChanges: [Instant] = []
    private(set) var calendarChanges: [Instant] = []

    init(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        drive(&numbers)
        meet(&numbers)
    }

    func vehicle(at instant: Instant) -> Vehicle? {
        let next = vehicles.partitionPoint { $0.from <= instant }
        return next == 0 ? nil : vehicles[next - 1].vehicle
    }

    func occurrences(at instant: Instant, in window: AgendaWindow) -> [Occurrence] {
        occurrences.lazy.filter { $0.lives.contains(instant) }.map(\.occurrence).filter(window.includes)
    }

    // MARK: - The vehicle

    private static let streets = ["Harbour Road", "Mill Lane", "Station Square", "North Bridge", "Garden Street"]

    /// From six to eight in the evening something changes every 5 to 60 minutes; at night the ignition is off.
    private mutating func drive(_ numbers: inout SplitMix64) {
        for day in 0..<Self.days {
            var now = Self.begin + .hours(24 * day + 6)
            while now < Self.begin + .hours(24 * day + 20) {
                let status = [VehicleStatus.moving, .idling, .stopped].randomElement(using: &numbers) ?? .moving
                add(status, at: now, street: Self.streets.randomElement(using: &numbers), &numbers)
                now = now + .minutes(.random(in: 5...60, using: &numbers))
            }
            add(.ignitionOff, at: now, street: "Depot", &numbers)
        }
    }

    private mutating func add(
        _ status: VehicleStatus, at instant: Instant, street: String?, _ numbers: inout SplitMix64
    ) {
        var vehicle = Vehicle(vehicleId: "bus-7")
        vehicle.alias = "Bus 7"
        vehicle.status = status
        vehicle.speed = status == .moving ? 40 : 0
        vehicle.address = street.map { "\($0) \(Int.random(in: 1...40, using: &numbers))" }
        vehicle.observedAt = instant
        vehicles.append((instant, vehicle))
        vehicleChanges.append(instant)
    }

    // MARK: - The calendar

    private static let subjects = ["Design review", "Roadmap talk", "Budget round", "Interview", "Release planning"]
    private static let rooms = ["Atrium", "Room 1", "Room 2", "Library", "Workshop"]

    /// A standup each day, and two to five meetings. Of these some are moved, renamed or cancelled within the two days
    /// before.
    private mutating func meet(_ numbers: inout SplitMix64) {
        for day in 0...Self.days + 2 {
            let midnight = Self.begin + .hours(24 * day)
            let standup = midnight + .minutes(9 * 60 + 30)
            occurrences.append((Self.begin..<Self.end, occurrence("standup", standup, 15, "Daily standup", "Room 1")))
            occurrences[occurrences.count - 1].occurrence.recurrenceId = .instant(standup)
            for number in 0..<Int.random(in: 2...5, using: &numbers) {
                var meeting = occurrence(
                    "meeting-\(day)-\(number)", midnight + .minutes(15 * .random(in: 32...68, using: &numbers)),
                    15 * .random(in: 1...8, using: &numbers), Self.subjects.randomElement(using: &numbers) ?? "",
                    Self.rooms.randomElement(using: &numbers) ?? "")
                var from = Self.begin
                while Int.random(in: 0..<3, using: &numbers) == 0 {
                    let until = midnight - .hours(48) + .minutes(.random(in: 0...60 * 60, using: &numbers))
                    guard until > from, until < Self.end else { break }
                    occurrences.append((from..<until, meeting))
                    calendarChanges.append(until)
                    from = until
                    guard Int.random(in: 0..<4, using: &numbers) > 0 else {
                        from = Self.end
                        break
                    }
                    change(&meeting, &numbers)
                }
                if from < Self.end { occurrences.append((from..<Self.end, meeting)) }
            }
        }
        calendarChanges.sort()
    }

    private func change(_ meeting: inout Occurrence, _ numbers: inout SplitMix64) {
        guard case .timed(let start, let end) = meeting.when else { return }
        switch Int.random(in: 0..<3, using: &numbers) {
        case 0: meeting.title += ", second part"
        case 1: meeting.location = Self.rooms.randomElement(using: &numbers)
        default:
            let by = ElapsedTime.minutes(15 * .random(in: -8...8, using: &numbers))
            meeting.when = .timed(start: start + by, end: end + by)
        }
    }

    private func occurrence(
        _ uid: String, _ start: Instant, _ minutes: Int64, _ title: String, _ room: String
    ) -> Occurrence {
        Occurrence(
            calendarId: "team", uid: uid, title: title, location: room,
            when: .timed(start: start, end: start + .minutes(minutes)))
    }
}

/// The timelines of one configuration over the month, each made when the one before asks for it or something changes.
struct MonthOfTimelines {
    private var made: [(at: Instant, entries: [TimelineEntry])] = []

    init(_ configuration: WidgetConfiguration, in world: MonthWorld) {
        let needs = TimelineProvider.needs(of: configuration)
        let calendar = LocalCalendar(configuration.timeZone) ?? .utc
        var changes = needs.vehicle == nil ? [] : world.vehicleChanges
        if needs.agenda != nil { changes += world.calendarChanges }
        changes.sort()
        var now = MonthWorld.begin
        while now < MonthWorld.end {
            let window = needs.agenda?.window(at: now, in: calendar)
            let timeline = TimelineProvider.timeline(
                for: TimelineRequest(
                    configuration: configuration, vehicle: needs.vehicle.flatMap { _ in world.vehicle(at: now) },
                    occurrences: window.map { world.occurrences(at: now, in: $0) } ?? [], at: now))
            made.append((now, timeline.entries))
            let change = changes.partitionPoint { $0 <= now }
            let due = [timeline.nextUpdate, change < changes.count ? changes[change] : nil].compactMap(\.self).min()
            guard let due else { return }
            now = due
        }
    }

    /// How many timelines there are.
    var count: Int { made.count }

    /// The entries of the timeline that stands at an instant.
    func entries(at instant: Instant) -> [TimelineEntry] {
        made[made.partitionPoint { $0.at <= instant } - 1].entries
    }
}
