/// A header of a record. Names may repeat; a value of `nil` is not an empty one.
package struct Header: Hashable, Sendable {
    package var name: String
    package var value: [UInt8]?

    package init(_ name: String, _ value: [UInt8]?) {
        self.name = name
        self.value = value
    }

    package init(_ name: String, _ value: String) {
        self.init(name, Array(value.utf8))
    }
}

/// A record of its own, for tests, sinks and producers; the hot path uses `RecordView`.
package struct Record: Hashable, Sendable {
    package var topic: String
    package var partition: Partition
    package var offset: Offset
    /// When the producer made it, or `Instant.noTimestamp`.
    package var timestamp: Instant
    package var key: [UInt8]?
    /// `nil` is a tombstone, which is not an empty value.
    package var value: [UInt8]?
    package var headers: [Header]

    package init(
        topic: String, partition: Partition, offset: Offset, timestamp: Instant = .noTimestamp, key: [UInt8]?,
        value: [UInt8]?,
        headers: [Header] = []
    ) {
        self.topic = topic
        self.partition = partition
        self.offset = offset
        self.timestamp = timestamp
        self.key = key
        self.value = value
        self.headers = headers
    }

    /// The bytes of key, value and headers.
    package var byteCount: Int {
        headers.reduce((key?.count ?? 0) + (value?.count ?? 0)) { $0 + $1.name.utf8.count + ($1.value?.count ?? 0) }
    }
}

/// A consumed record whose bytes belong to the batch: valid until the batch ends, never to be kept.
public struct RecordView {
    /// Index into the consumer's `topics`: cheaper than its name on the hot path.
    public var topic: Int32
    public var partition: Partition
    public var offset: Offset
    /// When the producer made it, or `Instant.noTimestamp`: an optional would make every view longer.
    public var timestamp: Instant
    /// `nil` means that the record has no key. An empty key has a count of zero.
    public var key: UnsafeRawBufferPointer?
    /// `nil` means that the record is a tombstone.
    public var value: UnsafeRawBufferPointer?
    /// The implementation's own reference to the record; for `ConsumedBatch.headers(of:)`.
    public var handle: UnsafeMutableRawPointer?

    @inlinable
    public init(
        topic: Int32, partition: Partition, offset: Offset, timestamp: Instant, key: UnsafeRawBufferPointer?,
        value: UnsafeRawBufferPointer?, handle: UnsafeMutableRawPointer?
    ) {
        self.topic = topic
        self.partition = partition
        self.offset = offset
        self.timestamp = timestamp
        self.key = key
        self.value = value
        self.handle = handle
    }
}

extension Instant {
    /// The timestamp of a record that has none: −1 ms, Kafka's `RecordBatch.NO_TIMESTAMP`.
    @inlinable
    package static var noTimestamp: Instant { Instant(milliseconds: -1) }
}
