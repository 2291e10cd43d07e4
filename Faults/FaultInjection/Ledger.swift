package import Foundation

/// What is written to the inputs, and what the timelines must be in the end, known without any of the program's code.
///
/// A *generation* is a calendar with its agenda and a vehicle with its status, which nothing else writes to. Its
/// records are written in waves, seconds apart, and then never again: a lost one is not covered up by a later one. Each
/// event stays in sight for ever, and each vehicle's last record has a status that none before it had. A reader moves
/// on with each wave; the marks of all waves are merged.
package struct Ledger: Sendable {
    package static let events = 3
    package static let reports = 4
    /// The waves after which a generation is complete.
    package static let waves = 4

    /// The day after the run's, in UTC: all events are then, so that no instant of the run changes a timeline.
    private let day: String
    private let session: String

    /// - Parameter session: part of every id.
    package init(session: String, at date: Date = Date()) {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "yyyy-MM-dd"
        day = formatter.string(from: date.addingTimeInterval(86_400))
        self.session = session
    }

    package func agenda(_ generation: Int) -> String { "agenda-\(session)-\(generation)" }
    package func status(_ generation: Int) -> String { "status-\(session)-\(generation)" }

    // MARK: - Input

    /// The lines of a wave of a generation, for `tideline produce`.
    package func wave(_ wave: Int, of generation: Int) -> Lines {
        var lines = Lines()
        if wave == 0 {
            let recipient = "phone-\(generation % 50)"
            lines.configurations = [
                #"{"configurationId":"\#(agenda(generation))","kind":"Agenda","recipient":"\#(recipient)","#
                    + #""calendarIds":["cal-\#(session)-\#(generation)"],"maximumEntries":100,"#
                    + #""strategy":{"name":"events","dayEntries":false,"preEventLead":"PT0S"}}"#,
                #"{"configurationId":"\#(status(generation))","kind":"Status","recipient":"\#(recipient)","#
                    + #""vehicleId":"veh-\#(session)-\#(generation)","#
                    + #""strategy":{"name":"status","every":"PT1M","parkedEvery":"PT5M","offlineAfter":"P1D"}}"#,
            ]
        }
        // An event comes with one wave and is renamed with the next.
        for event in 0..<Self.events where event == wave || event == wave - 1 {
            lines.events.append(
                #"{"calendarId":"cal-\#(session)-\#(generation)","uid":"e\#(event)","sequence":\#(wave - event),"#
                    + #""title":"\#(title(event, of: generation, sequence: wave - event))","#
                    + #""start":"\#(day)T\#(String(10 + event)):00:00Z","duration":"PT30M"}"#)
        }
        let status = wave == Self.waves - 1 ? "Charging" : ["Moving", "Stopped", "Idling"][wave % 3]
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        lines.telemetry = [
            #"{"vehicleId":"veh-\#(session)-\#(generation)","observedAt":\#(now),"status":"\#(status)","speed":0,"#
                + #""latitude":30.5,"longitude":-97.5,"address":"\#(address(of: generation, wave: wave))"}"#
        ]
        lines.positions = [position(wave: wave, of: generation, at: now)]
        return lines
    }

    package struct Lines: Sendable {
        package var configurations: [String] = []
        package var events: [String] = []
        package var telemetry: [String] = []
        package var positions: [String] = []

        var count: Int { configurations.count + events.count + telemetry.count + positions.count }

        mutating func append(_ other: Lines) {
            configurations += other.configurations
            events += other.events
            telemetry += other.telemetry
            positions += other.positions
        }
    }

    private func title(_ event: Int, of generation: Int, sequence: Int) -> String {
        "event \(event) of \(generation), version \(sequence)"
    }

    private func address(of generation: Int, wave: Int) -> String { "\(wave) \(session) Street, \(generation)" }

    /// The titles that the last records of a generation's events have.
    func lastTitles(of generation: Int) -> [String] {
        (0..<Self.events).map { title($0, of: generation, sequence: 1) }
    }

    /// The address that the last record of a generation's vehicle has.
    func lastAddress(of generation: Int) -> String { address(of: generation, wave: Self.waves - 1) }

    // MARK: - Output

    /// The faults of the last timelines of so many complete generations; a configuration without one counts, too.
    ///
    /// - Parameter timelines: the last value of each configuration, as JSON.
    package func faults(generations: Int, timelines: [String: Data]) -> [String] {
        var faults: [String] = []
        for generation in 0..<generations {
            faults += agendaFault(generation, timelines[agenda(generation)]).map { [$0] } ?? []
            faults += statusFault(generation, timelines[status(generation)]).map { [$0] } ?? []
        }
        return faults
    }

    private func agendaFault(_ generation: Int, _ value: Data?) -> String? {
        guard let entries = Self.entries(value) else { return "\(agenda(generation)) has no timeline" }
        let titles = entries.filter { $0["phase"] as? String == "start" }.compactMap {
            ($0["event"] as? [String: Any])?["title"] as? String
        }
        let wanted = lastTitles(of: generation)
        return titles == wanted ? nil : "\(agenda(generation)) shows \(titles) instead of \(wanted)"
    }

    private func statusFault(_ generation: Int, _ value: Data?) -> String? {
        guard let entries = Self.entries(value) else { return "\(status(generation)) has no timeline" }
        let vehicle = entries.first?["vehicle"] as? [String: Any]
        let shown = [vehicle?["status"], vehicle?["location"]].map { $0 as? String ?? "nothing" }
        let wanted = ["Charging", lastAddress(of: generation)]
        return shown == wanted ? nil : "\(status(generation)) shows \(shown) instead of \(wanted)"
    }

    private static func entries(_ value: Data?) -> [[String: Any]]? {
        guard let value, let timeline = try? JSONSerialization.jsonObject(with: value) as? [String: Any] else {
            return nil
        }
        return timeline["entries"] as? [[String: Any]]
    }
}
