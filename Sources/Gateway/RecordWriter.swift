package import RecordLog

/// A record that a route asks the log to take.
package struct OutgoingRecord: Hashable, Sendable {
    package var topic: String
    /// `nil` means that the record has no key.
    package var key: [UInt8]?
    /// `nil` makes a tombstone.
    package var value: [UInt8]?
    package var headers: [Header]
    /// `nil` lets the key decide, by Java's murmur2.
    package var partition: Partition?

    package init(
        topic: String, key: [UInt8]?, value: [UInt8]?, headers: [Header] = [], partition: Partition? = nil
    ) {
        self.topic = topic
        self.key = key
        self.value = value
        self.headers = headers
        self.partition = partition
    }
}

/// The place of a record in the log.
package struct RecordPlace: Hashable, Sendable {
    package var topic: String
    package var partition: Partition
    package var offset: Offset

    package init(topic: String, partition: Partition, offset: Offset) {
        self.topic = topic
        self.partition = partition
        self.offset = offset
    }
}

/// The port by which routes write records. Any thread may call it; it does not wait for brokers.
package protocol RecordWriter: Sendable {
    /// Hands the records over, in their order.
    ///
    /// - Parameter completion: called once, on any thread, when all are acknowledged or one has failed: with their
    ///   places in the order of the records, or with the first failure. After a failure some may be written.
    func write(
        _ records: [OutgoingRecord],
        completion: @escaping @Sendable (Result<[RecordPlace], LogError>) -> Void)
}
