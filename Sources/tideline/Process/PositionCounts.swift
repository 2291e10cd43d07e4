import Messages
import Observability
import Pipeline
import StreamCore

/// What became of readers' positions in committed transactions.
struct PositionCounts: Hashable, Sendable {
    /// The merged records that were published, tombstones included.
    var merged = 0
    /// Records that brought nothing new.
    var late = 0
    /// Records dated after their arrival, which were moved back to it.
    var future = 0
    /// Records that were not used because positions are off.
    var refused = 0
    /// Places and marks that were forgotten because of their age.
    var expired = 0
    /// Places and marks that were forgotten because there were too many of one reader.
    var trimmed = 0

    init() {}

    init(_ counters: TaskCounters) {
        merged = counters[.positionsMerged]
        late = counters[.latePositions]
        future = counters[.futurePositions]
        refused = counters[.refusedPositions]
        expired = counters[.expiredPositions]
        trimmed = counters[.trimmedPositions]
    }

    /// The counts with their names, in a fixed order.
    var named: [(name: String, count: Int)] {
        [
            ("merged", merged), ("late", late), ("future", future), ("refused", refused), ("expired", expired),
            ("trimmed", trimmed),
        ]
    }

    /// The counts that are not zero, such as `12 positions merged`.
    var texts: [(text: String, isProblem: Bool)] {
        named.compactMap { name, count in
            if count == 0 { return nil }
            return (
                "\(count) position\(count == 1 ? "" : "s") \(name)", ["future", "refused", "trimmed"].contains(name)
            )
        }
    }

    var metadata: Logger.MetadataValue {
        .dictionary(Logger.Metadata(uniqueKeysWithValues: named.map { ($0.name, .number($0.count)) }))
    }

    func write(to json: inout JSONWriter) {
        json.key("positions")
        json.beginObject()
        for (name, count) in named {
            json.key(named: name)
            json.integer(count)
        }
        json.endObject()
    }

    /// A sentence for each count that somebody may have to act on, or may wonder about.
    var lines: [String] {
        var lines: [String] = []
        if late > 0 { lines.append("positions that brought nothing new: \(late)") }
        if future > 0 { lines.append("positions from the future, moved back to their arrival: \(future)") }
        if refused > 0 { lines.append("positions refused because positions.enabled is false: \(refused)") }
        if expired > 0 { lines.append("places and marks older than positions.expiry, forgotten: \(expired)") }
        if trimmed > 0 {
            lines.append("places and marks forgotten because their reader's record was too large: \(trimmed)")
        }
        return lines
    }
}
