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

    /// The serialised form, which is the only way to the generation.
    func form() throws(LogError) -> GroupMetadataForm {
        var buffer: UnsafeMutableRawPointer?
        var size = 0
        if let error = rd_kafka_consumer_group_metadata_write(pointer, &buffer, &size) {
            throw LogError(consuming: error)
        }
        defer { rd_kafka_mem_free(nil, buffer) }
        return try GroupMetadataForm(UnsafeRawBufferPointer(start: buffer, count: size))
    }
}

/// What librdkafka's serialised group metadata say. librdkafka documents no form and may change it in any release;
/// this is that of 2.0.2: `CGMDv2:`, the generation (Int32 of this machine), the group's id, NUL, the member's id,
/// NUL, and the rest, which is not needed here.
struct GroupMetadataForm: Equatable {
    var generation: Int32
    var hasMemberId: Bool

    private static let magic = Array("CGMDv2:".utf8)

    /// - Throws: `unsupported` for any other form.
    init(_ bytes: UnsafeRawBufferPointer) throws(LogError) {
        let ids = Self.magic.count + MemoryLayout<Int32>.size
        guard bytes.starts(with: Self.magic), bytes.count > ids,
            let endOfGroup = bytes[ids...].firstIndex(of: 0), endOfGroup + 1 < bytes.count,
            let endOfMember = bytes[(endOfGroup + 1)...].firstIndex(of: 0)
        else {
            let beginning = bytes.prefix(8).map { byte in
                (0x20..<0x7f).contains(byte) ? String(UnicodeScalar(byte)) : "\\x" + String(byte, radix: 16)
            }
            throw LogError(
                .unsupported, name: "_GROUP_METADATA",
                "librdkafka \(String(cString: rd_kafka_version_str())) writes group metadata in a form that is not"
                    + " known here (\(bytes.count) bytes, beginning with \(beginning.joined())); known is that of"
                    + " 2.0.2. Use librdkafka 2.0.2, or a release of this program that knows the other one")
        }
        generation = bytes.loadUnaligned(fromByteOffset: Self.magic.count, as: Int32.self)
        hasMemberId = endOfMember > endOfGroup + 1
    }

    /// Has a member id and a generation: the broker will compare them. Without them it takes offsets from anybody.
    var isMember: Bool { generation >= 0 && hasMemberId }
}

extension RdKafkaConsumer {
    func groupMetadata() -> (any GroupMetadata)? {
        guard let metadata = presentMetadata else { return nil }
        do throws(LogError) {
            return try metadata.form().isMember ? metadata : nil
        } catch {
            // `subscribe` has looked at the form, so this is another error. The next poll tells it.
            failures.append(error)
            return nil
        }
    }

    /// Says at the start what would be found out at the first commit: that the form is not known here.
    func checkGroupMetadata() throws(LogError) {
        _ = try presentMetadata?.form()
    }

    private var presentMetadata: RdKafkaGroupMetadata? {
        guard group != nil else { return nil }
        return rd_kafka_consumer_group_metadata(client.pointer).map { RdKafkaGroupMetadata($0) }
    }
}
