import RecordLog

struct FetchedRecord: Sendable {
    var topic: Int32
    var partition: Partition
    var offset: Offset
    var timestamp: Instant
    var content: StoredRecord
}

/// The bytes of one batch. They are overwritten when the batch ends, so that who keeps a view finds rubbish.
struct BatchArena {
    private let records: [FetchedRecord]
    private let bytes: UnsafeMutableRawBufferPointer

    /// The batch that is made of it owns the bytes: make one, once.
    init(_ records: [FetchedRecord]) {
        self.records = records
        let count = records.reduce(0) { $0 + ($1.content.key?.count ?? 0) + ($1.content.value?.count ?? 0) }
        // Never empty: an empty key has an address.
        bytes = .allocate(byteCount: count + 1, alignment: 1)
    }

    func batch(
        ends: [PartitionEnd] = [], failures: [LogError] = [], rebalanced: Bool = false
    ) -> ConsumedBatch {
        var used = 0
        let views = records.indices.map { index in
            let record = records[index]
            return RecordView(
                topic: record.topic, partition: record.partition, offset: record.offset, timestamp: record.timestamp,
                key: record.content.key.map { copy($0, at: &used) },
                value: record.content.value.map { copy($0, at: &used) },
                // Not an address: which record it is, counted from one.
                handle: UnsafeMutableRawPointer(bitPattern: index + 1))
        }
        return ConsumedBatch(
            records: views, ends: ends, failures: failures, rebalanced: rebalanced,
            headers: { [records] view in records[Int(bitPattern: view.handle) - 1].content.headers },
            release: { [bytes] in
                bytes.initializeMemory(as: UInt8.self, repeating: 0xdb)
                bytes.deallocate()
            })
    }

    private func copy(_ content: [UInt8], at used: inout Int) -> UnsafeRawBufferPointer {
        let range = UnsafeMutableRawBufferPointer(rebasing: bytes[used..<used + content.count])
        range.copyBytes(from: content)
        used += content.count
        return UnsafeRawBufferPointer(range)
    }
}
