package import RecordLog
package import StreamCore

/// How messages between virtual tasks travel.
package enum Handover: Sendable {
    /// As within a stream thread.
    case asValues
    /// As through the exchange.
    case asBytes
}

extension VirtualTasks: MessageRouter {
    package func staysWithin(to partition: Partition) -> Bool { handover == .asValues }

    package func deliver(_ message: LocalMessage, to partition: Partition) {
        messages.append((partition, message))
    }

    package func route(_ envelope: [UInt8], key: UnsafeRawBufferPointer, to partition: Partition) {
        messages.append((partition, .envelope(envelope)))
    }
}
