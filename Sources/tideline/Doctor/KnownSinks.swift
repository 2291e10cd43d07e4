import Diagnosis
import Inspection
import Messages
import RecordLog
import Settings
import Sinks
import Timelines

/// The sinks of an application as they are known from outside: what each has told, what the ledger has of those that
/// send reloads, and the ends of the topics that they read.
struct KnownSinks {
    private let environment: Environment
    private let admin: any Admin

    init(_ environment: Environment, _ admin: any Admin) {
        self.environment = environment
        self.admin = admin
    }

    /// All sinks of which something is known, by name and target. Blocks.
    ///
    /// - Returns: `nil` if none has told anything, for there is no topic, and the ledger has none either.
    /// - Throws: with status 69.
    func statuses() throws(CommandFailure) -> [SinkStatus]? {
        let topic = SinkStatusReport.topic(environment.settings)
        let isTold = try environment.describe([topic], admin)[topic] != nil
        let kept = keptReloads()
        if !isTold && kept.isEmpty { return nil }
        return try joined(isTold ? told() : [], kept)
    }

    /// Where the partitions of a topic begin, and where their committed records end.
    struct Bounds {
        var lows: [Partition: Offset] = [:]
        var ends: [Partition: Offset] = [:]
    }

    /// The bounds of topics that are there. Blocks.
    ///
    /// - Throws: with status 69.
    func bounds(of topics: [String]) throws(CommandFailure) -> [String: Bounds] {
        var bounds: [String: Bounds] = [:]
        for (topic, description) in try environment.describe(topics, admin) {
            let places = (0..<description.partitions).map { TopicPartition(topic, Partition($0)) }
            do throws(LogError) {
                var found = Bounds()
                for (place, low) in try admin.startOffsets(of: places, timeout: .seconds(10)) {
                    found.lows[place.partition] = low
                }
                for (place, end) in try admin.endOffsets(of: places, isolation: .readCommitted, timeout: .seconds(10)) {
                    found.ends[place.partition] = end
                }
                bounds[topic] = found
            } catch {
                throw CommandFailure(.unavailable, "cannot ask for the beginnings and ends of \(topic): \(error)")
            }
        }
        return bounds
    }

    /// What sinks have told of themselves. Their topic is there.
    func told() throws(CommandFailure) -> [SinkStatus] {
        let (told, unread) = try environment.sinkStatuses()
        if unread > 0 {
            let topic = SinkStatusReport.topic(environment.settings)
            writeError("warning: passed over: \(unread.counted("record")) of \(topic) that cannot be read")
        }
        return told.values.sorted { ($0.name, $0.target) < ($1.name, $1.target) }
    }

    /// What the ledger has of the sinks that send reloads. Where it cannot be read a warning says so: what sinks have
    /// told is worth something without it.
    private func keptReloads() -> [LedgerPositions.Sink] {
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
}

extension SinkStatus {
    /// True if its ledger alone is known, which does not say whether it runs.
    var isUntold: Bool { target.isEmpty }

    /// True if it has said nothing of its end, and should have told by then.
    func isSilent(at time: Instant) -> Bool {
        [.running, .waiting].contains(state) && time - at > ElapsedTime(SinkStatusReport.silence)
    }
}
