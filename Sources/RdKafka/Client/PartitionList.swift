import CRdKafka
import Glibc
import RecordLog

/// Owns a list of partitions as librdkafka takes and gives it.
struct PartitionList: ~Copyable {
    typealias Pointer = UnsafeMutablePointer<rd_kafka_topic_partition_list_t>
    typealias Element = rd_kafka_topic_partition_t

    let pointer: Pointer

    init(capacity: Int) {
        guard let pointer = rd_kafka_topic_partition_list_new(Int32(capacity)) else {
            preconditionFailure("librdkafka is out of memory")
        }
        self.pointer = pointer
    }

    init(_ partitions: [TopicPartition]) {
        self.init(capacity: partitions.count)
        for partition in partitions { add(partition) }
    }

    deinit {
        rd_kafka_topic_partition_list_destroy(pointer)
    }

    var isEmpty: Bool { pointer.pointee.cnt == 0 }

    func add(_ partition: TopicPartition, offset: Int64 = RD_KAFKA_OFFSET_INVALID.int64, metadata: String = "") {
        guard let element = rd_kafka_topic_partition_list_add(pointer, partition.topic, partition.partition.rawValue)
        else {
            preconditionFailure("librdkafka is out of memory")
        }
        element.pointee.offset = offset
        guard !metadata.isEmpty else { return }
        // The list frees it with free().
        element.pointee.metadata = UnsafeMutableRawPointer(strdup(metadata))
        element.pointee.metadata_size = metadata.utf8.count
    }

    var elements: UnsafeBufferPointer<Element> { Self.elements(of: pointer) }

    static func elements(of list: Pointer) -> UnsafeBufferPointer<Element> {
        UnsafeBufferPointer(start: list.pointee.elems, count: Int(list.pointee.cnt))
    }
}

extension rd_kafka_topic_partition_t {
    var topicPartition: TopicPartition { TopicPartition(String(cString: topic), Partition(partition)) }

    /// The offset that a group has committed here; `nil` if it has not.
    var committed: CommittedOffset? {
        guard offset >= 0 else { return nil }
        let bytes = UnsafeRawBufferPointer(start: metadata, count: metadata == nil ? 0 : metadata_size)
        return CommittedOffset(next: Offset(offset), metadata: String(decoding: bytes, as: UTF8.self))
    }
}

extension StartOffset {
    var logical: Int64 {
        switch self {
        case .earliest: RD_KAFKA_OFFSET_BEGINNING.int64
        case .latest: RD_KAFKA_OFFSET_END.int64
        case .at(let offset): offset.rawValue
        }
    }

    /// True if a broker is asked for it.
    var isAskedFor: Bool { self == .earliest || self == .latest }
}

extension Int32 {
    /// librdkafka's logical offsets are macros, which Swift takes for Int32.
    var int64: Int64 { Int64(self) }
}
