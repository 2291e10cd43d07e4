import RecordLog
import StreamCore

/// The messages of the open transaction to other tasks: through the exchange, or within the thread.
struct ExchangeOutbox {
    /// What waits for a task of this thread.
    struct Local {
        var partition: Partition
        var message: LocalMessage
    }

    /// What goes through the exchange, and the producer does not have yet.
    private(set) var outputs = OutputBuffer()
    /// What waits to be delivered within the thread.
    private(set) var locals: [Local] = []
    /// Tasks to which this transaction sent through the exchange. What follows to them has to go the same way.
    private var receivers: Set<Partition> = []

    /// True if the transaction has sent something through the exchange.
    var hasSent: Bool { !receivers.isEmpty }

    func hasSent(to partition: Partition) -> Bool { receivers.contains(partition) }

    mutating func send(
        _ envelope: [UInt8], key: UnsafeRawBufferPointer, to partition: Partition, through topic: String
    ) {
        envelope.withUnsafeBytes { outputs.append(topic: topic, partition: partition, key: key, value: $0) }
        receivers.insert(partition)
    }

    mutating func deliver(_ message: LocalMessage, to partition: Partition) {
        locals.append(Local(partition: partition, message: message))
    }

    /// Takes what waits at a place in the order. So it is freed as soon as it is delivered, while its memory is near.
    mutating func take(at place: Int) -> Local {
        var local = Local(partition: 0, message: .envelope([]))
        swap(&local, &locals[place])
        return local
    }

    /// All that waited within the thread is delivered.
    mutating func noteDelivery() { locals.removeAll(keepingCapacity: true) }

    /// The producer has all that goes through the exchange.
    mutating func noteHandOver() { outputs.removeAll() }

    /// The transaction ends, or may have ended.
    ///
    /// - Returns: the tasks to which it sent through the exchange.
    mutating func takeReceivers() -> Set<Partition> {
        defer { receivers.removeAll() }
        return receivers
    }

    /// What the transaction made does not count.
    mutating func drop() {
        outputs.removeAll()
        locals.removeAll()
    }

    /// Gives back the room that is kept for the next transaction.
    mutating func trim() {
        outputs.trim()
        if locals.isEmpty { locals = [] }
    }
}
