package import RecordLog
package import Tracing

/// Takes a message or a forwarded record to the task that owns its entity: within the thread, in the same transaction,
/// where order allows it, else through the exchange (DESIGN.md, "Local delivery").
package protocol MessageRouter: AnyObject {
    /// True if what is sent to this task now stays within the thread: `deliver` takes it, else `route` does. The answer
    /// may take a question to the brokers.
    func staysWithin(to partition: Partition) -> Bool

    /// Takes what `staysWithin` was asked for just before.
    func deliver(_ message: LocalMessage, to partition: Partition)

    /// Takes it through the exchange.
    func route(_ envelope: [UInt8], key: UnsafeRawBufferPointer, to partition: Partition)
}

/// A router that delivers nothing within a thread.
extension MessageRouter {
    package func staysWithin(to partition: Partition) -> Bool { false }

    package func deliver(_ message: LocalMessage, to partition: Partition) {
        preconditionFailure("Nothing stays within the thread of this router.")
    }
}

/// The surroundings of a processor: time, counters, and the ways out of the task.
package final class TaskContext {
    /// The task's number, 0 ..< `partitions`.
    package let partition: Partition
    /// *P*.
    package let partitions: Int32
    package let topology: Topology
    /// The wall-clock time, read once per iteration (`StreamTask.advance`).
    package internal(set) var now = Instant(milliseconds: 0)
    /// How many timers a processor fires in one call (R17).
    package var timerPortion: Int { topology.timerPortion }
    /// How many units of work, such as messages sent or timelines made, a processor does in the flushes of one
    /// transaction (R17).
    package var flushPortion: Int { topology.flushPortion * flushPortions }
    /// So many portions may be done in the flushes of this transaction: more than one only while a backlog is worked
    /// off, where what is left for the next transaction would be written twice.
    package var flushPortions = 1
    /// True if a flush leaves what is in state, and may wait there, for a later transaction: much is still to be read
    /// that may change it.
    package var leavesPending = false
    /// True once all sources were read to the ends seen at take-over, or are waited for no longer (R17).
    package internal(set) var hasReadSources = false
    /// The format that the task is written in (`StreamTask.format`).
    package internal(set) var format = StateFormat.newest
    /// The number of the node that is being called.
    var node = 0
    /// The records that were emitted and are not with the producer yet.
    package var outputs = OutputBuffer()
    package var counters = TaskCounters()
    /// The dead letters of the open transaction.
    package internal(set) var deadLetters = TaskContext.noDeadLetters
    /// Records of the open transaction that were used, but not as they are.
    package internal(set) var warnings = TaskContext.noWarnings
    /// More at once help nobody.
    static let noDeadLetters = RecordNotices(namedMax: 10)
    /// Each warning is said once only, so many are kept.
    static let noWarnings = RecordNotices(namedMax: 250)
    /// True if somebody follows what is done, by `note`.
    package var isFollowed = false
    /// What was done in the open transaction, as far as somebody follows it.
    package internal(set) var notes = ActivityNotes()
    /// Sources that began to fail in the open transaction.
    package internal(set) var failures = TaskContext.noFailures
    static let noFailures = ActivityNotes(max: 250)
    /// The spans of the open transaction; `nil` if nobody traces.
    package var trace: WorkTrace?
    /// Reads the headers of the record that is being processed.
    package var headerReader: (RecordView) -> [Header] = { _ in [] }

    /// The memory in which messages are written.
    private var envelope = ByteWriter(capacity: 256)
    private unowned let router: any MessageRouter

    package init(partition: Partition, partitions: Int32, topology: Topology, router: any MessageRouter) {
        self.partition = partition
        self.partitions = partitions
        self.topology = topology
        self.router = router
        counters = TaskCounters(of: topology)
    }

    /// The task that owns an entity.
    package func owner(of hash: UInt32) -> Partition {
        Partition(Int32(bitPattern: hash & 0x7fff_ffff) % partitions)
    }

    package func headers(of record: InputRecord) -> [Header] { headerReader(record.view) }

    /// Sends a record of a source to the task that owns its entity.
    package func forward(_ record: InputRecord, to owner: Partition, entity: UnsafeRawBufferPointer) {
        counters.forwarded += 1
        let envelope = Envelope.forwarded(record, headers: headers(of: record), format: format)
        if router.staysWithin(to: owner) {
            router.deliver(.envelope(envelope), to: owner)
        } else {
            router.route(envelope, key: entity, to: owner)
        }
    }

    /// Calls `body` with an entity's id and hash if this task owns the entity; else sends the record to the owner.
    ///
    /// - Returns: `nil` if the record was sent on.
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

    /// Sends a message to an entity, whichever task owns it: this one included.
    package func send<Message: StateValue>(_ message: Message, to entity: String, at node: NodeName<Message>) {
        assert(topology.nodes[self.node].receivers.contains(node.number), "A node sends as the topology declares.")
        var entity = entity
        let hash = entity.withUTF8 { Murmur2.hash(UnsafeRawBufferPointer($0)) }
        let owner = owner(of: hash)
        let isWithin = router.staysWithin(to: owner)
        if isWithin && topology.handsOverValues {
            return router.deliver(.value(TypedMessageValue(message, to: entity, at: node)), to: owner)
        }
        entity.withUTF8 { utf8 in
            let entity = UnsafeRawBufferPointer(utf8)
            envelope.removeAll(format: format)
            Envelope.beginMessage(node: node.number, to: entity, into: &envelope)
            message.encode(into: &envelope)
            if isWithin {
                router.deliver(.envelope(envelope.bytes), to: owner)
            } else {
                router.route(envelope.bytes, key: entity, to: owner)
            }
        }
    }

    /// Notes for whoever watches that a record was set aside, and why.
    package func noteDeadLetter(_ record: InputRecord, reason: String) {
        deadLetters.add(topic: topic(of: record.origin), record.origin, reason: reason)
    }

    /// Notes for whoever watches what was remarkable about a record that is used nevertheless.
    ///
    /// - Parameter subject: what the reason is about, in short, such as `vehicle v1`.
    /// - Returns: whether it will be said by name when this is committed; else it is one of a number.
    package func warn(of record: InputRecord, about subject: String, _ reason: String) -> Bool {
        warn(of: record.origin, about: subject, reason)
    }

    /// The same for a record that was used before, and is remarkable by now.
    @discardableResult
    package func warn(of origin: Origin, about subject: String, _ reason: String) -> Bool {
        warnings.add(topic: topic(of: origin), origin, reason: reason, subject: subject)
    }

    /// Notes what is done in the open transaction, for whoever follows it; told once that is committed.
    package func note(_ note: @autoclosure () -> ActivityNote) {
        if isFollowed { notes.add(note()) }
    }

    /// Notes that a source began to fail, for whoever watches; told once that is committed.
    package func noteFailure(_ failure: ActivityNote) { failures.add(failure) }

    /// Forgets what is said of the open transaction, which has ended.
    func forgetNotices() {
        deadLetters.removeAll()
        warnings.removeAll()
        notes.removeAll()
        failures.removeAll()
    }

    private func topic(of origin: Origin) -> String { topology.sources[Int(origin.source)].topic }

    /// Writes a record to an output topic.
    package func emit(
        _ output: OutputName, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?, headers: [Header]
    ) {
        assert(topology.nodes[node].outputs.contains(output), "A node writes as the topology declares.")
        counters[output] += 1
        outputs.append(
            topic: topology.outputs[output.index], partition: nil, key: key, value: value, headers: headers)
    }
}
