import RecordLog

/// The cursors of all partitions that a thread's running tasks read.
struct PartitionCursors {
    private(set) var byPlace: [TopicPartition: PartitionCursor] = [:]
    /// By the consumer's topic index, then partition: for the hot path; made from `byPlace` when asked for.
    private var table: [[PartitionCursor?]] = []

    var all: Dictionary<TopicPartition, PartitionCursor>.Values { byPlace.values }

    subscript(place: TopicPartition) -> PartitionCursor? { byPlace[place] }

    mutating func add(_ cursor: PartitionCursor) {
        byPlace[cursor.topicPartition] = cursor
        table.removeAll()
    }

    mutating func remove(_ cursors: [PartitionCursor]) {
        for cursor in cursors { byPlace[cursor.topicPartition] = nil }
        table.removeAll()
    }

    /// - Parameters:
    ///   - topic: its index in the consumer's topics.
    ///   - topics: the consumer's, by their indexes; asked for when a topic is new.
    mutating func find(topic: Int32, partition: Partition, topics: @autoclosure () -> [String]) -> PartitionCursor? {
        let index = Int(topic)
        while table.count <= index { table.append(row(of: topics()[table.count])) }
        return Int(partition) < table[index].count ? table[index][Int(partition)] : nil
    }

    private func row(of topic: String) -> [PartitionCursor?] {
        let cursors = byPlace.values.filter { $0.topicPartition.topic == topic }
        let count = cursors.map(\.topicPartition.partition).max().map { Int($0) + 1 } ?? 0
        var row: [PartitionCursor?] = Array(repeating: nil, count: count)
        for cursor in cursors { row[Int(cursor.topicPartition.partition)] = cursor }
        return row
    }

    /// Every record that was fetched may be one of those that a rebalance dropped (R1).
    func distrust() {
        for cursor in byPlace.values where cursor.isAssigned { cursor.needsSeek = true }
    }

    /// Those that the consumer is to be moved for, in the order of their places.
    var waitingForSeek: [PartitionCursor] {
        byPlace.values.filter { $0.needsSeek && $0.isAssigned }.sorted { $0.topicPartition < $1.topicPartition }
    }

    /// The partitions that the consumer reads, in order.
    var assigned: [TopicPartition] { byPlace.values.filter(\.isAssigned).map(\.topicPartition).sorted() }
}
