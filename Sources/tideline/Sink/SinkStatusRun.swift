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
    /// A sink that has not told for so long, and said nothing of its end, is silent.
    static let silence = SinkStatusReport.interval * 4
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
        let topic = SinkStatusReport.topic(environment.settings)
        let isTold = try environment.describe([topic], admin)[topic] != nil
        let kept = keptReloads(admin)
        guard isTold || !kept.isEmpty else {
            throw CommandFailure(
                .unavailable, "there is no topic \(topic): no sink of this application has run yet, or none may make it"
            )
        }
        let all = try joined(isTold ? told() : [], kept)
        for name in names where !all.contains(where: { $0.name == name }) {
            throw CommandFailure(.usage, NearIds.unknown("sink", name, among: all.map(\.name)))
        }
        let shown = names.isEmpty ? all : all.filter { names.contains($0.name) }
        let ends = try ends(of: Set(shown.map(\.topic)).sorted(), admin)
        output.write(shown.map { row($0, ends[$0.topic] ?? [:]) }, columns: Self.columns)
    }

    /// What sinks have told of themselves.
    private func told() throws(CommandFailure) -> [SinkStatus] {
        let (told, unread) = try environment.sinkStatuses()
        if unread > 0 {
            let topic = SinkStatusReport.topic(environment.settings)
            writeError("warning: passed over: \(unread.counted("record")) of \(topic) that cannot be read")
        }
        return told.values.sorted { ($0.name, $0.target) < ($1.name, $1.target) }
    }

    /// What the ledger has of the sinks that send reloads. Where it cannot be read a warning says so: what sinks have
    /// told is worth something without it.
    private func keptReloads(_ admin: any Admin) -> [LedgerPositions.Sink] {
        let topic = LedgerPositions.topic(of: environment.settings[Keys.application])
        var kept = LedgerPositions()
        do throws(CommandFailure) {
            guard try environment.describe([topic], admin)[topic] != nil else { return [] }
            try environment.readRecords(of: topic) { view, _ in
                guard let key = String(utf8: view.key) else { return }
                kept.take(key: key, value: String(utf8: view.value), at: view.timestamp)
            }
        } catch {
            writeError("warning: sinks of reloads are shown as far as they have told themselves: \(error.message)")
            return []
        }
        return kept.sinks.filter { $0.topic == environment.topics.reloads }
    }

    /// Puts together what is known of a sink. Its ledger counts where it is newer, as of one that was killed or may not
    /// tell; of one that has never told it is all that is known.
    private func joined(_ told: [SinkStatus], _ kept: [LedgerPositions.Sink]) -> [SinkStatus] {
        var all = told
        for sink in kept {
            if let index = all.firstIndex(where: { $0.name == sink.name && $0.topic == sink.topic }) {
                if sink.at > all[index].at { all[index].note(sink.positions) }
            } else {
                var status = SinkStatus(name: sink.name, target: "", topic: sink.topic, at: sink.at)
                status.note(sink.positions)
                all.append(status)
            }
        }
        return all.sorted { ($0.name, $0.target) < ($1.name, $1.target) }
    }

    private func ends(of topics: [String], _ admin: any Admin) throws(CommandFailure) -> [String: [Partition: Offset]] {
        var ends: [String: [Partition: Offset]] = [:]
        for (topic, description) in try environment.describe(topics, admin) {
            let places = (0..<description.partitions).map { TopicPartition(topic, Partition($0)) }
            do throws(LogError) {
                for (place, end) in try admin.endOffsets(of: places, isolation: .readCommitted, timeout: .seconds(10)) {
                    ends[topic, default: [:]][place.partition] = end
                }
            } catch {
                throw CommandFailure(.unavailable, "cannot ask for the ends of \(topic): \(error)")
            }
        }
        return ends
    }

    private func row(_ status: SinkStatus, _ ends: [Partition: Offset]) -> InspectedRow {
        let age = Instant.now() - status.at
        // A ledger alone does not say whether its sink runs.
        let isUntold = status.target.isEmpty
        let isSilent = isUntold || [.running, .waiting].contains(status.state) && age > ElapsedTime(Self.silence)
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
