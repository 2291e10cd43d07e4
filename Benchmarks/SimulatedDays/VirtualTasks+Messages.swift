package import RecordLog
package import StreamCore

/// How messages between virtual tasks travel.
package enum Handover: Sendable {
    /// As within a stream thread.
    case asValues
    /// As through the exchange.
    case asBytes
}

/// On its way to a task.
struct MessageUnderWay {
    var partition: Partition
    var content: Content

    enum Content {
        case value(LocalMessage)
        case bytes([UInt8])
    }

    func deliver(to task: StreamTask) {
        switch content {
        case .value(let message): task.receive(message)
        case .bytes(let envelope):
            envelope.withUnsafeBytes { bytes in
                do throws(CorruptBytes) {
                    try task.receive(bytes)
                } catch {
                    preconditionFailure("A message of these tasks cannot be read: \(error)")
                }
            }
        }
    }
}

extension VirtualTasks: MessageRouter {
    package func route(_ envelope: [UInt8], key: UnsafeRawBufferPointer, to partition: Partition) {
        messages.append(MessageUnderWay(partition: partition, content: .bytes(envelope)))
    }

    package func staysWithin(to partition: Partition) -> Bool { handover == .asValues }

    package func deliver(_ message: LocalMessage, to partition: Partition) {
        messages.append(MessageUnderWay(partition: partition, content: .value(message)))
    }
}
