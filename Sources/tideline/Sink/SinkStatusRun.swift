import Diagnosis
import Inspection
import Messages
import RecordLog
import Settings
import Sinks
import Timelines

/// Shows how sinks are, from outside: what each has told, what the ledger has of those that send reloads, and the lag
/// of each by the ends that its topic has now.
struct SinkStatusRun {
    private let environment: Environment
    private let output: InspectOptions
    private let names: [String]
    private static let columns = [
        "sink", "state", "lag", "waiting", "rate", "revision", "configurationId", "next", "since", "lastError",
        "target",
    ]

    init(_ environment: Environment, _ output: InspectOptions, names: [String]) {
        self.environment = environment
        self.output = output
        self.names = names
    }

    /// - Throws: with status 64 for a name that no sink has.
    func run() throws(CommandFailure) {
        let admin = try environment.connect()
        defer { admin.close() }
        environment.warnOfUnknownApplication(admin)
        let known = KnownSinks(environment, admin)
        guard let all = try known.statuses() else {
            let topic = SinkStatusReport.topic(environment.settings)
            throw CommandFailure(
                .unavailable, "there is no topic \(topic): no sink of this application has run yet, or none may make it"
            )
        }
        for name in names where !all.contains(where: { $0.name == name }) {
            throw CommandFailure(.usage, NearIds.unknown("sink", name, among: all.map(\.name)))
        }
        let shown = names.isEmpty ? all : all.filter { names.contains($0.name) }
        let ends = try known.ends(of: Set(shown.map(\.topic)).sorted())
        output.write(shown.map { row($0, ends[$0.topic] ?? [:]) }, columns: Self.columns)
    }

    private func row(_ status: SinkStatus, _ ends: [Partition: Offset]) -> InspectedRow {
        let isUntold = status.isUntold
        let isSilent = isUntold || status.isSilent(at: .now())
        var row = InspectedRow()
        row.add("sink", status.name)
        row.add("state", isSilent ? "silent" : status.state.rawValue)
        row.add("since", isSilent ? status.at : status.since)
        row.add("lag", status.lag(to: ends))
        row.add("waiting", status.waiting)
        row.add("rate", .number("\(isSilent ? 0 : status.rate)"))
        row.add("revision", status.written?.revision)
        row.add("configurationId", status.written?.configurationId)
        row.add("next", status.positions.map { "\($0.partition):\($0.next)" }.joined(separator: " "))
        row.add("lastError", status.lastError)
        row.add("lastErrorAt", status.lastErrorAt)
        row.add("topic", status.topic)
        row.add("target", isUntold ? nil : status.target)
        row.add("at", status.at)
        return row
    }
}

extension Environment {
    /// Reads what sinks have told of themselves last, by the keys of their records. Blocks.
    ///
    /// - Returns: what they have told, and how many records cannot be read.
    /// - Throws: as `readRecords`.
    func sinkStatuses() throws(CommandFailure) -> (told: [String: SinkStatus], unread: Int) {
        var told: [String: SinkStatus] = [:]
        var unread = 0
        try readRecords(of: SinkStatusReport.topic(settings)) { view, _ in
            guard let key = view.key.map({ String(decoding: $0, as: UTF8.self) }) else { return }
            guard let value = view.value else { return told[key] = nil }
            told[key] = SinkStatus(json: Array(value))
            if told[key] == nil { unread += 1 }
        }
        return (told, unread)
    }
}
