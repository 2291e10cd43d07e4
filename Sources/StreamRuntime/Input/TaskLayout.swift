import RecordLog
import StreamCore

/// Which partitions a task has: task *p* of *P* the partition *p* of the exchange, and of every source the partitions
/// *q* with *q* mod *P* = *p*.
struct TaskLayout {
    private let exchange: String
    private let sources: [Topology.Source]
    /// *P*, the exchange's partition count.
    let partitions: Int32
    /// Partition counts of the sources, by source. They only grow (R9).
    private var counts: [Int32]

    /// - Parameter counts: by source of the topology.
    init(exchange: String, sources: [Topology.Source], partitions: Int32, counts: [Int32]) {
        precondition(counts.count == sources.count, "Every source has a partition count.")
        precondition(partitions > 0, "There is a task.")
        self.exchange = exchange
        self.sources = sources
        self.partitions = partitions
        self.counts = counts
    }

    /// All that a task reads, each with the number of its source.
    func sources(of task: Partition) -> [(UInt8, TopicPartition)] {
        var result = [(TaskPositions.exchange, TopicPartition(exchange, task))]
        for (index, source) in sources.enumerated() where source.isRead {
            for number in stride(from: task, to: Partition(counts[index]), by: Int(partitions)) {
                result.append((UInt8(index), TopicPartition(source.topic, number)))
            }
        }
        return result
    }

    /// The exchange partitions of all tasks.
    var exchangePartitions: [TopicPartition] {
        (0..<Partition(partitions)).map { TopicPartition(exchange, $0) }
    }

    func task(of input: TopicPartition) -> Partition { input.partition % partitions }

    /// - Parameter count: the partition count of a source as it is now.
    /// - Returns: the partitions that are new.
    func added(to source: Int, count: Int32) -> [TopicPartition] {
        guard count > counts[source] else { return [] }
        return (Partition(counts[source])..<Partition(count)).map { TopicPartition(sources[source].topic, $0) }
    }

    mutating func grow(_ source: Int, to count: Int32) { counts[source] = max(counts[source], count) }
}
