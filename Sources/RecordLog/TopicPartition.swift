/// One partition of one topic. Ordered by topic (UTF-8 bytes), then partition.
package struct TopicPartition: Hashable, Comparable, Sendable, CustomStringConvertible {
    package var topic: String
    package var partition: Partition

    package init(_ topic: String, _ partition: Partition) {
        self.topic = topic
        self.partition = partition
    }

    package var description: String { "\(topic)[\(partition)]" }

    package static func < (left: TopicPartition, right: TopicPartition) -> Bool {
        if left.topic != right.topic { return left.topic.utf8.lexicographicallyPrecedes(right.topic.utf8) }
        return left.partition < right.partition
    }
}

/// The place in a partition where a consumer begins to read.
package enum StartOffset: Hashable, Sendable {
    case earliest
    /// After the last record that is there when the assignment takes effect.
    case latest
    case at(Offset)
}

/// The position that a group has committed for a partition, with the metadata beside it.
package struct CommittedOffset: Hashable, Sendable {
    package var next: Offset
    package var metadata: String

    package init(next: Offset, metadata: String) {
        self.next = next
        self.metadata = metadata
    }
}

/// The first offset that is there, and the end: the offset that the next record will get (high watermark), or for a
/// read_committed handle the last stable offset.
package struct Watermarks: Hashable, Sendable {
    package var low: Offset
    package var high: Offset

    package init(low: Offset, high: Offset) {
        self.low = low
        self.high = high
    }
}
