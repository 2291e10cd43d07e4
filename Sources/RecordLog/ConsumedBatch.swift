/// The records and events that one poll returned. It owns the records' bytes, which are released when the batch ends.
package struct ConsumedBatch: ~Copyable {
    /// In the order of each partition's offsets; partitions may be interleaved.
    package var records: [RecordView]
    /// Partitions whose end was reached *after* the records above: the offset there, past any transaction markers.
    package var ends: [PartitionEnd]
    package var failures: [LogError]
    /// True if the rebalance listener ran inside this poll: then the records are not to be trusted (R1).
    package var rebalanced: Bool

    /// Reads the headers of one of the records; of use only while the batch lives.
    package let headerReader: (RecordView) -> [Header]
    private let release: () -> Void

    /// - Parameters:
    ///   - headers: reads a record's headers; called before the batch ends only.
    ///   - release: gives the bytes back; called once.
    package init(
        records: [RecordView], ends: [PartitionEnd] = [], failures: [LogError] = [], rebalanced: Bool = false,
        headers: @escaping (RecordView) -> [Header], release: @escaping () -> Void
    ) {
        self.records = records
        self.ends = ends
        self.failures = failures
        self.rebalanced = rebalanced
        self.headerReader = headers
        self.release = release
    }

    deinit {
        release()
    }

    package borrowing func headers(of record: RecordView) -> [Header] {
        headerReader(record)
    }
}

/// The end of a partition as its reader saw it.
package struct PartitionEnd: Hashable, Sendable {
    /// Index into the consumer's `topics`.
    package var topic: Int32
    package var partition: Partition
    package var offset: Offset

    package init(topic: Int32, partition: Partition, offset: Offset) {
        self.topic = topic
        self.partition = partition
        self.offset = offset
    }
}
