import CRdKafka
import RecordLog

/// Owns the metadata of a group member at one moment.
final class RdKafkaGroupMetadata: GroupMetadata {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        rd_kafka_consumer_group_metadata_destroy(pointer)
    }

    /// Has a member id and a generation: the broker will compare them. Without them it takes offsets from anybody.
    var isMember: Bool {
        // The serialised form is the only way to the generation:
        // "CGMDv2:" generation (Int32, native) group id NUL member id NUL …
        var buffer: UnsafeMutableRawPointer?
        var size = 0
        if let error = rd_kafka_consumer_group_metadata_write(pointer, &buffer, &size) {
            rd_kafka_error_destroy(error)
            return false
        }
        defer { rd_kafka_mem_free(nil, buffer) }
        let magic = Array("CGMDv2:".utf8)
        let bytes = UnsafeRawBufferPointer(start: buffer, count: size)
        precondition(bytes.starts(with: magic), "librdkafka serialises group metadata in a form not known here")
        let generation = bytes.loadUnaligned(fromByteOffset: magic.count, as: Int32.self)
        let afterGroup = bytes.dropFirst(magic.count + MemoryLayout<Int32>.size).drop { $0 != 0 }.dropFirst()
        return generation >= 0 && afterGroup.first.map { $0 != 0 } ?? false
    }
}

extension RdKafkaConsumer {
    func groupMetadata() -> (any GroupMetadata)? {
        guard group != nil, let pointer = rd_kafka_consumer_group_metadata(client.pointer) else { return nil }
        let metadata = RdKafkaGroupMetadata(pointer)
        return metadata.isMember ? metadata : nil
    }
}
