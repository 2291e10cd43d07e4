import TestSupport
import Timelines

func on(_ text: String) -> LocalDate {
    guard let date = LocalDate(iso8601: text) else { preconditionFailure("no date: \(text)") }
    return date
}

func lasting(_ text: String) -> CalendarDuration {
    guard let duration = CalendarDuration(iso8601: text) else { preconditionFailure("no duration: \(text)") }
    return duration
}

func zone(_ name: String) -> LocalCalendar {
    guard let calendar = LocalCalendar(name) else { preconditionFailure("no zone: \(name)") }
    return calendar
}

func timed(
    _ uid: String, _ start: String, _ end: String, calendarId: String = "team", lead: String? = nil,
    vehicleId: String? = nil, isTentative: Bool = false, recurrenceId: String? = nil
) -> Occurrence {
    Occurrence(
        calendarId: calendarId, uid: uid, recurrenceId: recurrenceId.map { .instant(at($0)) }, title: uid,
        when: .timed(start: at(start), end: at(end)), isTentative: isTentative,
        preEventLead: lead.map { lasting($0) }, vehicleId: vehicleId)
}

func allDay(_ uid: String, _ first: String, _ end: String, lead: String? = nil) -> Occurrence {
    Occurrence(
        calendarId: "team", uid: uid, title: uid, when: .allDay(start: on(first), end: on(end)),
        preEventLead: lead.map { lasting($0) })
}

func options(_ members: [(String, ParameterValue)]) -> Parameters {
    Parameters(members.map { Parameters.Member(key: $0.0, value: $0.1) })
}

func events(_ members: (String, ParameterValue)...) throws -> any TimelineStrategy {
    try TimelineStrategies.strategy(named: "events", options: options(members))
}

func status(_ members: (String, ParameterValue)...) throws -> any TimelineStrategy {
    try TimelineStrategies.strategy(named: "status", options: options(members))
}

func configuration(
    _ strategy: any TimelineStrategy, timeZone: String = "UTC", _ change: (inout WidgetConfiguration) -> Void = { _ in }
) -> WidgetConfiguration {
    var configuration = WidgetConfiguration(configurationId: "c1", kind: "Demo", strategy: strategy)
    configuration.timeZone = timeZone
    configuration.calendarIds = ["team"]
    change(&configuration)
    return configuration
}

func bus(
    _ status: VehicleStatus, observedAt: String, speed: Double? = nil, latitude: Double? = nil,
    longitude: Double? = nil, address: String? = nil
) -> Vehicle {
    var vehicle = Vehicle(vehicleId: "bus-7")
    vehicle.status = status
    vehicle.observedAt = at(observedAt)
    vehicle.speed = speed
    vehicle.latitude = latitude
    vehicle.longitude = longitude
    vehicle.address = address
    return vehicle
}

/// A timeline as lines `date phase uid`, short enough to compare at a glance.
func lines(_ timeline: Timeline) -> [String] {
    timeline.entries.map { entry in
        [entry.date.rfc3339, entry.phase.rawValue, entry.event?.uid].compactMap(\.self).joined(separator: " ")
    }
}

/// A strategy that draws what a test gives it, to see what the rules make of it.
struct DrawnStrategy: TimelineStrategy {
    static let name = "drawn"

    var entries: [TimelineEntry] = []
    var policy: TimelineReloadPolicy = .atEnd
    var interval: CalendarDuration?
    var latestUpdate: Instant?
    var firstLeftOut: Instant?
    var agenda: SourceNeeds.AgendaNeed?
    var parameterDefaults = Parameters()

    init(_ entries: [TimelineEntry], policy: TimelineReloadPolicy = .atEnd, interval: CalendarDuration? = nil) {
        self.entries = entries
        self.policy = policy
        self.interval = interval
    }

    func needs(of configuration: WidgetConfiguration) -> SourceNeeds { SourceNeeds(agenda: agenda) }

    func draft(for request: TimelineRequest) -> TimelineDraft {
        let placed = entries.map { entry in
            PlacedOccurrence(
                occurrence: entry.event ?? timed("", entry.date.rfc3339, entry.date.rfc3339), start: entry.date,
                end: entry.date)
        }
        let moments = entries.enumerated().map { TimelineDraft.Moment($1.phase, at: $1.date, $0) }
        var draft = TimelineDraft(moments, policy: policy, interval: interval, occurrences: placed) { moment in
            moment.index < 0 ? nil : entries[moment.index]
        }
        draft.latestUpdate = latestUpdate
        draft.firstLeftOut = firstLeftOut
        return draft
    }
}

func entry(_ phase: TimelineEntry.Phase, _ date: String, _ event: Occurrence? = nil) -> TimelineEntry {
    var entry = TimelineEntry(id: "", date: at(date), phase: phase)
    entry.event = event
    return entry
}
