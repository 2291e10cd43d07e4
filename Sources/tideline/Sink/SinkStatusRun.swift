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
        let bounds = try known.bounds(of: Set(shown.map(\.topic)).sorted())
        output.write(shown.map { row($0, bounds[$0.topic] ?? .init()) }, columns: Self.columns)
    }

    /// Takes away what the sinks of a name have told, if they run no more: they are shown no more. What they have
    /// written and how far they are stays.
    ///
    /// - Parameter isAgreed: true if nobody is asked.
    /// - Throws: with status 64 for a name under which nothing was told, and with 70 for a sink that runs.
    func forget(_ name: String, isAgreed: Bool) throws(CommandFailure) {
        let admin = try environment.connect()
        defer { admin.close() }
        let topic = SinkStatusReport.topic(environment.settings)
        let isTold = try environment.describe([topic], admin)[topic] != nil
        let all = try isTold ? KnownSinks(environment, admin).told() : []
        let found = all.filter { $0.name == name }
        guard !found.isEmpty else {
            throw CommandFailure(.usage, NearIds.unknown("sink", name, among: all.map(\.name)))
        }
        let now = Instant.now()
        let ended = found.filter { $0.isUntold || $0.isSilent(at: now) || $0.state == .stopped || $0.state == .failed }
        guard !ended.isEmpty else {
            throw CommandFailure(.software, "the sink \(name) runs, and would tell itself again: end it first")
        }
        let targets = ended.map(\.target).joined(separator: ", ")
        try Consent.require(for: "Forget the sink \(name) (\(targets))?", isGiven: isAgreed)
        do throws(LogError) {
            try remove(ended.map(\.key), from: topic)
        } catch {
            throw CommandFailure(.unavailable, "cannot write to \(topic): \(error)")
        }
        let rows = ended.map { status in
            var row = InspectedRow()
            row.add("sink", status.name)
            row.add("state", "forgotten")
            row.add("target", status.target)
            row.add("at", status.at)
            return row
        }
        output.write(rows, columns: ["sink", "state", "target"], isReport: true)
    }

    private func remove(_ keys: [String], from topic: String) throws(LogError) {
        let producer = try environment.cluster.makePlainProducer(clientId: "tideline-sink-status")
        defer { producer.close() }
        for key in keys {
            let key = Array(key.utf8)
            try key.span.bytes.withUnsafeBytes { (key) throws(LogError) in
                try producer.produce(topic: topic, partition: 0, key: key, value: nil, headers: [])
            }
        }
        try producer.flush(timeout: .seconds(10))
    }

    private func row(_ status: SinkStatus, _ bounds: KnownSinks.Bounds) -> InspectedRow {
        let isUntold = status.isUntold
        let isSilent = isUntold || status.isSilent(at: .now())
        var row = InspectedRow()
        row.add("sink", status.name)
        row.add("state", isSilent ? "silent" : status.state.rawValue)
        row.add("since", isSilent ? status.at : status.since)
        row.add("lag", status.lag(from: bounds.lows, to: bounds.ends))
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
