package import RecordLog

/// A transaction of which the markers are not written.
package struct OpenTransaction: Hashable, Sendable, CustomStringConvertible {
    package var transactionalId: String
    /// The time of its first record or offsets.
    package var startedAt: Instant
    package var partitions: [TopicPartition]
    /// The partitions of the offsets that it holds, of all groups.
    package var offsets: [TopicPartition]
    /// True if it is committed or aborted, and only the markers are missing.
    package var isDecided: Bool

    package var description: String {
        "\(transactionalId) since \(startedAt.milliseconds) in \(partitions) with offsets of \(offsets)"
            + (isDecided ? ", decided" : "")
    }
}

/// How long the last stable offset of a partition has stood still because of an open transaction.
package struct Standstill: Hashable, Sendable, CustomStringConvertible {
    package var place: TopicPartition
    /// The time of the transaction that is open now.
    package var current: Duration
    /// The longest of all times, `current` included.
    package var longest: Duration
    /// The transactional id of what is open now.
    package var owner: String?

    package var description: String {
        "\(place) for \(ElapsedTime(current).milliseconds) ms, at most \(ElapsedTime(longest).milliseconds) ms"
            + (owner.map { ", by \($0)" } ?? "")
    }
}

/// What a checker sees of the cluster, past all ports and without any effect.
extension MemoryCluster {
    /// Ascending by transactional id.
    package var openTransactionDetails: [OpenTransaction] {
        withBroker { broker in
            broker.ongoing.map { id in
                let transaction = broker.coordinator[id]!.transaction!
                return OpenTransaction(
                    transactionalId: id, startedAt: transaction.startedAt,
                    partitions: transaction.partitions.keys.sorted(),
                    offsets: transaction.offsets.values.flatMap(\.keys).sorted(),
                    isDecided: transaction.decision != nil)
            }
        }
    }

    /// By partition.
    package func standstills(of topic: String) -> [Standstill] {
        withBroker { broker in
            let logs = broker.topics[topic]?.partitions ?? []
            return logs.indices.map { index in
                let first = logs[index].open.first
                let current = first.map { broker.now - $0.since } ?? .zero
                return Standstill(
                    place: TopicPartition(topic, Partition(Int32(index))), current: Duration(current),
                    longest: Duration(max(current, logs[index].longestStandstill)),
                    owner: first.flatMap { open in
                        broker.ongoing.first { broker.coordinator[$0]!.transaction?.number == open.number }
                    })
            }
        }
    }

    /// Committed records from an offset on, as a read_committed reader at the broker's side finds them: for a checker
    /// that follows a topic and looks at each record once. No fault and no delay touches it.
    ///
    /// - Returns: the records, and where the next reading begins.
    package func read(
        _ place: TopicPartition, from position: Offset, maximum: Int = .max
    ) -> (records: [Record], next: Offset) {
        withBroker { broker in
            guard let log = try? broker.log(of: place) else { return ([], position) }
            let read = log.read(from: position, maximum: maximum, isolation: .readCommitted)
            let records = read.records.map { entry in
                Record(
                    topic: place.topic, partition: place.partition, offset: entry.offset, timestamp: entry.timestamp,
                    key: entry.record.key, value: entry.record.value, headers: entry.record.headers)
            }
            return (records, read.next)
        }
    }

    /// A number that another topic of the same name does not have; `nil` if there is no such topic.
    package func identity(of topic: String) -> Int? {
        withBroker { $0.topics[topic]?.identity }
    }

    /// The ends of a partition: of what is decided, and of all that is written.
    package func ends(of place: TopicPartition) -> (stable: Offset, high: Offset) {
        withBroker { broker in
            guard let log = try? broker.log(of: place) else { return (0, 0) }
            return (log.end(.readCommitted), log.end(.readUncommitted))
        }
    }

    /// The first offset of a partition that may be read (log start offset).
    package func start(of place: TopicPartition) -> Offset {
        withBroker { broker in (try? broker.log(of: place))?.low ?? 0 }
    }

    /// Requests that are on their way; none of them has taken effect.
    package var requestsUnderWay: Int { withBroker { $0.underWay.count } }
}
