package import RecordLog

/// What the ledger says of the sinks that send, to somebody who looks from outside: how far each of them has come. It
/// is given the committed records of the ledger in their order, and writes nothing.
package struct LedgerPositions {
    /// One sink, in one topic that it reads.
    package struct Sink: Hashable, Sendable {
        package let name: String
        package let topic: String
        /// By partition. All records below a position are sent or set aside.
        package var positions: [Partition: SinkPosition]
        /// When the sink has kept something last.
        package var at: Instant
    }

    private struct Place: Hashable {
        var name: String
        var topic: String
    }

    private var kept: [Place: [Partition: SinkPosition]] = [:]
    /// By name: when the sink has committed last.
    private var commits: [String: Instant] = [:]

    package init() {}

    /// The name of the topic where the sinks of an application keep them.
    package static func topic(of application: String) -> String { "\(application).pushes" }

    /// Takes in the next record of the ledger. Entries that are neither positions nor commits change nothing.
    ///
    /// - Parameter value: `nil` for a tombstone.
    package mutating func take(key: String, value: String?, at time: Instant) {
        // By bytes: a name may begin with a mark that combines with the `/` before it.
        let parts = key.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        switch parts[0] {
        case "commit" where parts.count == 2: commits[parts[1]] = time
        case "position" where parts.count == 4:
            guard let partition = Int32(parts[3]) else { return }
            let next = value.flatMap { Int64($0) }
            kept[Place(name: parts[1], topic: parts[2]), default: [:]][Partition(partition)] =
                next.map { SinkPosition(next: Offset($0)) }
        default: break
        }
    }

    /// The sinks that have a position, ascending by name and topic.
    package var sinks: [Sink] {
        kept.filter { !$0.value.isEmpty }.sorted { ($0.key.name, $0.key.topic) < ($1.key.name, $1.key.topic) }
            .map { place, positions in
                Sink(
                    name: place.name, topic: place.topic, positions: positions,
                    at: commits[place.name] ?? .noTimestamp)
            }
    }
}
