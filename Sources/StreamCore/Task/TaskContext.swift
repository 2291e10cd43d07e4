package import RecordLog

/// Takes a message or a forwarded record to the task that owns its entity: in the same transaction where order allows
/// it, else through the exchange (DESIGN.md, "Local delivery").
package protocol MessageRouter: AnyObject {
    func route(_ envelope: [UInt8], key: UnsafeRawBufferPointer, to partition: Int32)
}

/// What a processor may see and do, besides its stores.
package final class TaskContext {
    /// The task's number, 0 ..< `partitions`.
    package let partition: Int32
    /// *P*.
    package let partitions: Int32
    package let topology: Topology
    /// Milliseconds since 1970, read once per iteration (`StreamTask.advance`).
    package internal(set) var now: Int64 = 0
    /// What was emitted and not taken yet.
    package var outputs = OutputBuffer()
    package var counters = TaskCounters()
    /// Of the open transaction.
    package internal(set) var deadLetters = TaskContext.noDeadLetters
    /// Records of the open transaction that were used, but not as they are.
    package internal(set) var warnings = TaskContext.noWarnings
    /// More at once help nobody.
    static let noDeadLetters = RecordNotices(namedMax: 10)
    /// Of these each is said once only, so many are kept.
    static let noWarnings = RecordNotices(namedMax: 250)
    /// Reads the headers of the record that is being processed.
    package var headerReader: (RecordView) -> [Header] = { _ in [] }

    private unowned let router: any MessageRouter

    package init(partition: Int32, partitions: Int32, topology: Topology, router: any MessageRouter) {
        self.partition = partition
        self.partitions = partitions
        self.topology = topology
        self.router = router
        counters.outputs = Array(repeating: 0, count: topology.outputs.count)
    }

    /// The task that owns an entity.
    package func owner(of hash: UInt32) -> Int32 { Int32(bitPattern: hash & 0x7fff_ffff) % partitions }

    package func headers(of record: InputRecord) -> [Header] { headerReader(record.view) }

    /// Sends a record of a source to the task that owns its entity.
    package func forward(_ record: InputRecord, to owner: Int32, entity: UnsafeRawBufferPointer) {
        counters.forwarded += 1
        router.route(Envelope.forwarded(record, headers: headers(of: record)), key: entity, to: owner)
    }

    /// Calls `body` with an entity's id and hash where this task owns it; else sends the record to the owner.
    ///
    /// - Returns: nil where the record was sent on.
    package func whereOwned<Result>(
        _ id: String, orForward record: InputRecord, _ body: (UnsafeRawBufferPointer, UInt32) -> Result
    ) -> Result? {
        var id = id
        return id.withUTF8 { utf8 in
            let entity = UnsafeRawBufferPointer(utf8)
            let hash = Murmur2.hash(entity)
            let owner = owner(of: hash)
            if owner == partition { return body(entity, hash) }
            forward(record, to: owner, entity: entity)
            return nil
        }
    }

    /// Sends a message to an entity of whichever task owns it, this one included.
    package func send(to entity: String, node: Int, _ write: (inout ByteWriter) -> Void) {
        var payload = ByteWriter(capacity: 128)
        write(&payload)
        var entity = entity
        entity.withUTF8 { utf8 in
            let entity = UnsafeRawBufferPointer(utf8)
            let envelope = payload.bytes.withUnsafeBytes {
                Envelope.message(node: node, NodeMessage(entity: entity, payload: $0))
            }
            router.route(envelope, key: entity, to: owner(of: Murmur2.hash(entity)))
        }
    }

    /// Notes for whoever watches that a record was set aside, and why.
    package func noteDeadLetter(_ record: InputRecord, reason: String) {
        deadLetters.add(topic: topic(of: record), record.origin, reason: reason)
    }

    /// Notes for whoever watches what was remarkable about a record that is used nevertheless.
    ///
    /// - Parameter subject: what the reason is about, in short, such as `vehicle v1`.
    /// - Returns: whether it will be said by name when this is committed; else it is one of a number.
    package func warn(of record: InputRecord, about subject: String, _ reason: String) -> Bool {
        warnings.add(topic: topic(of: record), record.origin, reason: reason, subject: subject)
    }

    private func topic(of record: InputRecord) -> String { topology.sources[Int(record.origin.source)].topic }

    /// Writes a record to an output topic, by its index in the topology.
    package func emit(
        _ output: Int, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?, headers: [Header]
    ) {
        counters.outputs[output] += 1
        outputs.append(
            topic: topology.outputs[output], partition: nil, key: key, value: value, headers: headers)
    }
}

/// What a task did; counted within the transaction, added up when it is committed.
package struct TaskCounters: Hashable, Sendable {
    /// Records of the sources, forwarded ones where they arrive from outside only.
    package var records = 0
    package var forwarded = 0
    /// Telemetry older than what is known.
    package var late = 0
    /// Telemetry observed later than its arrival, which counts as observed at its arrival.
    package var fromFuture = 0
    /// By output of the topology.
    package var outputs: [Int] = []
    /// What processors count by names of their own.
    package private(set) var labelled: [CounterKey: Int] = [:]

    package init(outputs: Int = 0) {
        self.outputs = Array(repeating: 0, count: outputs)
    }

    package mutating func add(_ other: TaskCounters) {
        records += other.records
        forwarded += other.forwarded
        late += other.late
        fromFuture += other.fromFuture
        if outputs.isEmpty { outputs = Array(repeating: 0, count: other.outputs.count) }
        for index in other.outputs.indices { outputs[index] += other.outputs[index] }
        labelled.merge(other.labelled, uniquingKeysWith: +)
    }

    package mutating func add(_ amount: Int, to key: CounterKey) { labelled[key, default: 0] += amount }

    package mutating func reset() {
        records = 0
        forwarded = 0
        late = 0
        fromFuture = 0
        for index in outputs.indices { outputs[index] = 0 }
        labelled.removeAll(keepingCapacity: true)
    }
}

/// A counter's name, and what it counts apart.
package struct CounterKey: Hashable, Sendable {
    package var name: String
    package var labels: [String]

    package init(_ name: String, _ labels: [String]) {
        self.name = name
        self.labels = labels
    }
}
