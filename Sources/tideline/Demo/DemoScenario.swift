import Foundation
import Messages
import Producers
import RecordLog
import Timelines

/// The world of the demo: a fleet, a calendar for each of two teams, a status widget of a declared kind for each
/// vehicle, and an agenda for each team.
struct DemoScenario: Sendable {
    let fleet: Int
    private let now: Instant

    init(fleet: Int, now: Instant) {
        self.fleet = fleet
        self.now = now
    }

    /// The setting `kinds`, which says once for all widgets how they are refreshed.
    static let kinds = """
        {"TrackerStatusWidget": {
            "displayName": "Vehicle Status",
            "description": "How a vehicle is doing, and where.",
            "supportedFamilies": ["systemMedium"],
            "strategy": {"name": "status", "every": "PT5S", "parkedEvery": "PT20S"}}}
        """

    /// Publishes configurations, then events, then telemetry until `isDone`.
    func publish(to environment: Environment, until isDone: @escaping @Sendable () -> Bool) throws(CommandFailure) {
        let simulator = FleetSimulator(count: fleet, seed: 7, start: now, rate: Double(fleet), hasFaults: false)
        _ = try environment.publish(
            ListSource(configurations(for: simulator.vehicleIds)), to: environment.topics.configurations,
            pacing: .asFastAsPossible, until: isDone)
        _ = try environment.publish(
            ListSource(events), to: environment.topics.calendarEvents, pacing: .asFastAsPossible, until: isDone)
        _ = try environment.publish(simulator, to: environment.topics.telemetry, pacing: .realTime, until: isDone)
    }

    private func configurations(for vehicles: [String]) -> [(String, String)] {
        let status = vehicles.map { id in
            (
                "status-\(id)",
                #"{"configurationId":"status-\#(id)","kind":"TrackerStatusWidget","recipient":"phone-\#(id)","#
                    + #""vehicleId":"\#(id)"}"#
            )
        }
        let agendas = ["depot", "workshop"].map { team in
            (
                "agenda-\(team)",
                #"{"configurationId":"agenda-\#(team)","kind":"AgendaWidget","family":"systemLarge","#
                    + #""recipient":"board-\#(team)","timeZone":"Europe/Berlin","calendarIds":["\#(team)"]}"#
            )
        }
        return status + agendas
    }

    /// Events around now: one that ends soon, one that starts soon, one that is announced soon, and a series.
    private var events: [(String, String)] {
        [
            event("depot", "shift", "Early shift", from: -.minutes(50), to: .seconds(12)),
            event("depot", "inspection", "Vehicle inspection", from: .seconds(8), to: .minutes(45)),
            event("depot", "briefing", "Drivers' briefing", from: .minutes(30) + .seconds(15), to: .minutes(60)),
            event("workshop", "oil", "Oil change, bay 2", from: .minutes(40), to: .minutes(70)),
            event("workshop", "standup", "Stand-up", from: .hours(2), to: .hours(2) + .minutes(15), daily: true),
        ]
    }

    private func event(
        _ calendar: String, _ uid: String, _ title: String, from: ElapsedTime, to: ElapsedTime, daily: Bool = false
    ) -> (String, String) {
        var text = #"{"calendarId":"\#(calendar)","uid":"\#(uid)","title":"\#(title)","#
        text += #""start":"\#((now + from).rfc3339)","end":"\#((now + to).rfc3339)""#
        if daily { text += #","timeZone":"Europe/Berlin","recurrence":["RRULE:FREQ=DAILY;COUNT=14"]"# }
        return ("\(calendar)/\(uid)", text + "}")
    }
}

/// A source of records that are known from the start.
private final class ListSource: RecordSource {
    private var records: [SourceRecord]
    private var index = 0

    init(_ records: [(key: String, value: String)]) {
        self.records = records.map { SourceRecord(key: Array($0.key.utf8), value: Array($0.value.utf8)) }
    }

    var fractionDone: Double? { records.isEmpty ? 1 : Double(index) / Double(records.count) }

    func next() throws(InputProblem) -> SourceRecord? {
        guard index < records.count else { return nil }
        defer { index += 1 }
        return records[index]
    }
}

extension ElapsedTime {
    fileprivate static prefix func - (time: ElapsedTime) -> ElapsedTime {
        ElapsedTime(milliseconds: -time.milliseconds)
    }
}
