package import RecordLog

/// The records of the exchange topic: input records on their way to the task that owns their entity, and messages of
/// nodes to entities of other tasks.
///
/// A record begins with its kind. From format 3 on the kind has its highest bit set, and the format's number follows,
/// which is that of the message or record within (`ByteReader.format`).
package enum Envelope {
    private static let forwardedKind: UInt8 = 0
    private static let messageKind: UInt8 = 1
    private static let versionedKind: UInt8 = 0x80

    /// The content of an exchange record, borrowed from it.
    package enum Content {
        case forwarded(InputRecord, headers: [Header])
        case message(node: Int, NodeMessage)
    }

    /// - Parameter format: that of the payload, which is the sending task's.
    package static func message(
        node: Int, _ message: NodeMessage, format: UInt8 = StateFormat.unversioned
    ) -> [UInt8] {
        var writer = ByteWriter(capacity: message.entity.count + message.payload.count + 8, format: format)
        beginMessage(node: node, to: message.entity, into: &writer)
        writer.append(message.payload)
        return writer.bytes
    }

    /// Writes all of a message but its payload, which is to follow.
    static func beginMessage(node: Int, to entity: UnsafeRawBufferPointer, into writer: inout ByteWriter) {
        write(messageKind, writer.format, into: &writer)
        writer.write(UInt8(node))
        writer.write(entity)
    }

    /// Key, value and headers go along unchanged, with origin and timestamp.
    package static func forwarded(
        _ record: InputRecord, headers: [Header], format: UInt8 = StateFormat.unversioned
    ) -> [UInt8] {
        var writer = ByteWriter(capacity: (record.key?.count ?? 0) + (record.value?.count ?? 0) + 64)
        write(forwardedKind, format, into: &writer)
        record.origin.encode(into: &writer)
        writer.write(record.timestamp)
        writer.write(optional: record.key) { $0.write($1) }
        writer.write(optional: record.value) { $0.write($1) }
        writer.write(list: headers) { writer, header in
            writer.write(header.name)
            writer.write(optional: header.value) { $0.write($1) }
        }
        return writer.bytes
    }

    private static func write(_ kind: UInt8, _ format: UInt8, into writer: inout ByteWriter) {
        if format == StateFormat.unversioned { return writer.write(kind) }
        writer.write(kind | versionedKind)
        writer.write(format)
    }

    package static func read(_ bytes: UnsafeRawBufferPointer) throws(CorruptBytes) -> Content {
        var reader = ByteReader(bytes)
        let kind = try reader.byte()
        let format = kind & versionedKind == 0 ? StateFormat.unversioned : try reader.byte()
        if format != StateFormat.unversioned { try StateFormat.check(format) }
        switch kind & ~versionedKind {
        case messageKind:
            let node = Int(try reader.byte())
            let entity = try reader.slice()
            return .message(node: node, NodeMessage(entity: entity, payload: reader.rest(), format: format))
        case forwardedKind:
            let origin = try Origin(from: &reader)
            let timestamp = try reader.instant()
            let key = try reader.bool() ? try reader.slice() : nil
            let value = try reader.bool() ? try reader.slice() : nil
            let headers = try reader.list { reader throws(CorruptBytes) in
                let name = try reader.string()
                return Header(name, try reader.bool() ? try reader.array() : nil)
            }
            let view = RecordView(
                topic: -1, partition: origin.partition, offset: origin.offset, timestamp: timestamp, key: key,
                value: value, handle: nil)
            return .forwarded(InputRecord(origin: origin, view: view), headers: headers)
        default:
            throw CorruptBytes("unknown kind of exchange record: \(kind)")
        }
    }
}

/// A message to an entity: id and payload, borrowed for the call.
package struct NodeMessage {
    package var entity: UnsafeRawBufferPointer
    package var payload: UnsafeRawBufferPointer
    /// The format that the payload is written in.
    package var format: UInt8

    package init(
        entity: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer, format: UInt8 = StateFormat.unversioned
    ) {
        self.entity = entity
        self.payload = payload
        self.format = format
    }
}

extension Origin: StateValue {
    package func encode(into writer: inout ByteWriter) {
        writer.write(source)
        writer.write(varint: UInt64(UInt32(bitPattern: partition.rawValue)))
        writer.write(varint: UInt64(bitPattern: offset.rawValue))
    }

    package init(from reader: inout ByteReader) throws(CorruptBytes) {
        source = try reader.byte()
        partition = Partition(Int32(bitPattern: UInt32(truncatingIfNeeded: try reader.varint())))
        offset = Offset(Int64(bitPattern: try reader.varint()))
    }
}
