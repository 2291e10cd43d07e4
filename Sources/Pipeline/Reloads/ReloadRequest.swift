package import StreamCore
import Timelines

/// Asks for a reload of all configurations of a kind, outside the budget (L9).
package struct ReloadRequest: Hashable, StateValue, Sendable {
    package var kind: String
    /// `nil` means every recipient.
    package var recipient: String?

    package init(kind: String, recipient: String? = nil) {
        self.kind = kind
        self.recipient = recipient
    }

    /// By their UTF-8 bytes, as the key in state that one has while it is under way.
    package static func == (left: ReloadRequest, right: ReloadRequest) -> Bool {
        TextKey(left.kind) == TextKey(right.kind)
            && left.recipient.map { TextKey($0) } == right.recipient.map { TextKey($0) }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(TextKey(kind))
        hasher.combine(recipient.map { TextKey($0) })
    }

    /// The value of an exchange record with this request. It goes to every partition of the exchange, for each task has
    /// some of the configurations; those of a task that does not run now are asked when it does.
    package var envelope: [UInt8] {
        var payload = ByteWriter(capacity: 64)
        ConfigurationInput.requested(self).encode(into: &payload)
        return payload.withUnsafeBytes {
            Envelope.message(
                node: NodeName.configurations.number,
                NodeMessage(entity: UnsafeRawBufferPointer(start: nil, count: 0), payload: $0))
        }
    }

    package func encode(into writer: inout ByteWriter) {
        writer.write(kind)
        writer.write(optional: recipient)
    }

    package init(from reader: inout ByteReader) throws(CorruptBytes) {
        kind = try reader.string()
        recipient = try reader.optionalString()
    }
}
