import Messages
import RecordLog
import Simulation

/// What the pipeline has read of its inputs, also of topics that are gone and of records that were removed since.
struct InputHistory {
    /// By topic: what was read and is no longer in the log.
    private var archived: [String: [Record]] = [:]
    /// By partition: the position that readers had in a topic that was made again while they ran.
    private var readOn: [TopicPartition: Offset] = [:]

    mutating func archive(_ place: TopicPartition, readTo next: Offset, isReadOn: Bool, _ cluster: MemoryCluster) {
        let records = cluster.records(place.topic, partition: place.partition)
        archived[place.topic, default: []] += records.filter { $0.offset < next }
        if isReadOn && next > 0 { readOn[place] = next }
    }

    /// All that was read, those of one partition in their order.
    func inputs(_ topics: TopicNames, _ cluster: MemoryCluster) -> [Record] {
        topics.inputs.flatMap { archived[$0, default: []] + cluster.records($0) }
    }

    /// Other orders in which telemetry may have been read. Who does not notice at once that a topic is another one
    /// reads on from the old position, and then all from the beginning; what is older than what is known counts no
    /// more.
    func otherOrders(_ topics: TopicNames, _ cluster: MemoryCluster) -> [[Record]] {
        let telemetry = cluster.records(topics.telemetry)
        let others = inputs(topics, cluster).filter { $0.topic != topics.telemetry }
        let known = archived[topics.telemetry, default: []]
        let ahead = telemetry.filter { record in
            readOn[TopicPartition(record.topic, record.partition)].map { record.offset >= $0 } ?? false
        }
        let longest = ahead.compactMap { record in
            readOn[TopicPartition(record.topic, record.partition)].map { record.offset.rawValue - $0.rawValue + 1 }
        }
        .max()
        return (0..<(longest ?? 0)).map { length in
            let first = ahead.filter { record in
                let from = readOn[TopicPartition(record.topic, record.partition)] ?? 0
                return record.offset.rawValue <= from.rawValue + length
            }
            return known + first + telemetry + others
        }
    }

    /// Records that may have been read twice for that reason.
    func readTwice(_ topics: TopicNames, _ cluster: MemoryCluster) -> [Record] {
        topics.inputs.flatMap { cluster.records($0) }.filter { record in
            readOn[TopicPartition(record.topic, record.partition)].map { record.offset >= $0 } ?? false
        }
    }
}
