import Diagnosis
import Pipeline
import RecordLog
import Timelines

/// What it touches to start an application over.
struct ResetPlan {
    var application: String
    var group: [String] = []
    /// The partitions of which the group has committed an offset.
    var committed = 0
    /// The internal topics that exist.
    var internals: [Internal] = []
    /// *P* as it will be.
    var partitions: Int32
    var inputs: [Input] = []
    var revisions = CarriedRevisions()
    /// Who else may have written the outputs.
    var writers: [String] = []
    /// The tasks whose state says that it was made with *P* as it will be.
    var carriedTasks = 0
    /// An earlier reset was interrupted, and this one goes on with it.
    var isInterrupted = false
    /// The settings of both internal topics as they will be, by topic and key.
    var settings: [String: [String: String]] = [:]
    /// The replicas that both are made with, by topic; none stands for the broker's default.
    var replication: [String: Int32] = [:]
    /// The settings among those that somebody gave the topics, in words.
    var kept: [String] = []
    /// The ends of state and `timelines`, up to which they were read.
    var ends: [TopicPartition: Offset] = [:]
    /// Configurations that there are, and the recipients of their kinds.
    var configurations = 0
    var recipients = 0
    var place = ResetPlace.earliest
    /// The positions of sinks stay.
    var keepsSinks = false
    /// So it was to be in the reset that was interrupted.
    var keptSinks = false

    struct Internal {
        var name: String
        var partitions: Int32
        var records: Int64
        /// An estimate; `nil` if it is not known.
        var bytes: Int64?
    }

    struct Input {
        var topic: String
        var starts: [TopicPartition: Offset]
        /// Offsets from the start to the end.
        var records: Int64
        var isMoved: Bool
        /// An estimate; `nil` if it is not known.
        var bytes: Int64?
    }

    var starts: [TopicPartition: Offset] {
        inputs.reduce(into: [:]) { starts, input in starts.merge(input.starts) { $1 } }
    }

    /// The application has as many tasks as it is to have already, and state of each.
    var isCarriedOver: Bool {
        !isInterrupted && internals.count == 2 && internals.allSatisfy { $0.partitions == partitions }
            && carriedTasks == Int(partitions)
    }

    private static func size(_ bytes: Int64?) -> String {
        bytes.map { $0 > 0 ? ", some \($0.byteText)" : "" } ?? ""
    }

    /// The plan for people.
    var lines: [String] {
        let alive =
            group.isEmpty
            ? "nobody is in the group" : "\(group.count.counted("member")) alive: \(group.joined(separator: ", "))"
        var lines = ["application \(application): \(alive)"]
        if isInterrupted {
            let sinks = keptSinks && !keepsSinks ? ", and it was to leave sinks alone (--application-only)" : ""
            lines.append("an earlier reset was interrupted: this one goes on with it\(sinks)")
        }
        let offsets = "offsets of \(committed.counted("partition"))"
        lines.append("group \(application): \(offsets), moved to where reading begins")
        for topic in internals {
            let records = topic.records.counted("record") + Self.size(topic.bytes)
            let parts = "\(Int(topic.partitions).counted("partition")), \(records)"
            lines.append("\(topic.name): \(parts), removed and made anew with \(Int(partitions).counted("partition"))")
        }
        lines += kept.map { "kept: \($0)" }
        if internals.isEmpty {
            lines.append("internal topics: none; made with \(Int(partitions).counted("partition"))")
        }
        for input in inputs {
            let from = input.isMoved ? "from \(place)" : "from its earliest record"
            let records = input.records.counted("record")
            lines.append("\(input.topic): \(records), read again \(from)\(Self.size(input.bytes))")
        }
        let highest = revisions.count == 0 ? "" : ", the highest \(revisions.highest)"
        lines.append("revisions: \(revisions.count.counted("configuration")) go on above theirs\(highest)")
        if revisions.unreadable > 0 {
            let records = revisions.unreadable.counted("record")
            lines.append("\(records) of state or timelines cannot be read: this is refused with '--execute'")
        }
        lines.append(
            "announced again: \(configurations.counted("timeline")) to \(recipients.counted("recipient")), within their"
                + " budgets")
        return lines
    }
}

/// What sinks that send (reloads, and timelines over HTTP) do again when their positions are gone.
struct SinkResetPlan {
    var topic: String
    var names: [String] = []
    /// Positions that are removed.
    var positions = 0
    /// Records of reloads that are there.
    var reloads: Int64 = 0
    /// Records of timelines that are there.
    var timelines: Int64 = 0
    /// Those of the sinks that run now.
    var running: [Running] = []

    struct Running {
        var name: String
        /// As `sink --status` names it.
        var state: String
    }

    var lines: [String] {
        guard !names.isEmpty else { return ["\(topic): no sink that sends has a position"] }
        let alive = running.map { "the sink \($0.name) is \($0.state): it ends, or begins again beside others" }
        let touched = [
            "\(topic): \(positions.counted("position")) of \(names.joined(separator: ", ")), removed; retired tokens"
                + " stay",
            "sent again, by sinks of reloads: \(reloads.counted("reload")), but those older than reloads.max-age",
            "sent again, by sinks over HTTP: the newest of \(timelines.counted("timeline"))",
        ]
        return alive + touched
    }
}
