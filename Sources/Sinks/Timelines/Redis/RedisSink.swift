package import RecordLog
package import Redis
import Messages
import Timelines

/// The newest timeline of each configuration in a Redis, a key for each, with the positions in the same transaction:
/// exactly once, as far as Redis keeps what it has acknowledged.
///
/// A Redis that comes back older than it was, or empty, has older positions, too: `setBack` says so, and what it lost
/// is written again. One sink writes at a time; a lock that expires says so, and whoever lost it never writes again.
package final class RedisSink: DeferredCommitSink {
    package let name: String
    let link: RedisLink
    private let unchecked: (String) -> Void
    private var hasToldUnchecked = false
    private var parser = JSONParser()

    private var acknowledged = AcknowledgedPositions()
    /// The generation of the link in which the positions were looked at.
    private var verified = 0
    /// What is there, or will be once the transaction ends, for the configurations that were asked for.
    private var known = TextDictionary<KnownTimeline>()
    /// The transaction. Its commands are sent as they are made; whatever must be asked meanwhile takes them back.
    private var commands: [[RedisWord]] = []
    /// Whose keys are sets, or not there yet.
    private var recipients: Set<String> = []
    private static let recipientsMax = 100_000
    /// The longest text of the transaction, and the longest that may be written.
    private var textLongest = 0
    private var textMax = Int.max

    /// Nothing is asked of the server yet.
    ///
    /// - Parameters:
    ///   - owner: a name for the lock that no other sink has; whoever is refused is told it.
    ///   - lease: how long the lock outlives its owner.
    ///   - now: a clock that never goes back.
    ///   - unchecked: called once, if the server does not tell what would keep timelines from staying there.
    package init(
        _ address: RedisAddress, name: String = "redis", owner: String, lease: Duration = .seconds(5),
        timeouts: RedisTimeouts = RedisTimeouts(), now: @escaping () -> Duration,
        unchecked: @escaping (String) -> Void = { _ in }
    ) {
        self.name = name
        self.unchecked = unchecked
        link = RedisLink(address, timeouts, RedisLock(owner: owner, lease: lease), now: now)
    }

    deinit { link.close() }

    package func close() { link.close() }

    // MARK: - Positions

    package func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] {
        acknowledged.found(nil, of: topic)
        try verify()
        let positions = try readPositions(of: topic)
        acknowledged.found(positions, of: topic)
        return positions
    }

    /// After a new connection: does Redis still hold what it has acknowledged?
    func verify() throws(SinkError) {
        try link.open()
        guard link.generation != verified else { return }
        recipients = []
        textMax = min(textMax, link.server?.textMax ?? .max)
        if let unknown = link.server?.unknown, !hasToldUnchecked {
            hasToldUnchecked = true
            unchecked("\(link.place) does not say \(unknown): the sink goes on without knowing it")
        }
        try acknowledged.verify(at: link.place) { (topic) throws(SinkError) in try readPositions(of: topic) }
        verified = link.generation
    }

    private func readPositions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] {
        let reply = try link.attempt("read") { (connection) throws(RedisError) in
            try connection.run(["HGETALL", RedisKeys.positions(of: topic)])
        }
        return reply.positions
    }

    package func commit(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError) {
        let key = RedisKeys.positions(of: topic)
        var all: [[RedisWord]] = [["DEL", key]]
        if !commands.isEmpty { all.append(RedisCommands.cutting) }
        let fields = positions.sorted { $0.key < $1.key }.flatMap { partition, position -> [RedisWord] in
            [.integer(Int64(partition.rawValue)), .bytes(StoredPosition(position).json)]
        }
        if !fields.isEmpty { all.append(["HSET", key] + fields) }
        if !link.hasQueued { _ = try ask([]) }
        acknowledged.send(positions, of: topic)
        do throws(SinkError) {
            try link.commit(all)
        } catch {
            throw learned(from: error)
        }
        commands.removeAll(keepingCapacity: true)
        known.removeAll(keepingCapacity: true)
    }

    package func settle() throws(SinkError) {
        guard link.awaitsAnswer else { return }
        do throws(SinkError) {
            try link.settle()
        } catch {
            throw learned(from: error)
        }
        acknowledged.acknowledge()
        textLongest = 0
    }

    package func renew() throws(SinkError) {
        guard link.isRenewalDue else { return }
        _ = try ask([])
        try link.commit([])
        try link.settle()
    }

    package func flush() throws(SinkError) {}

    package func rollBack() {
        commands.removeAll(keepingCapacity: true)
        known.removeAll(keepingCapacity: true)
        textLongest = 0
        link.forget()
    }

    // MARK: - Records

    package func prepare(_ records: [SinkRecord]) throws(SinkError) {
        var found: [KnownTimeline] = []
        var unseen: Set<String> = []
        var ids: [String] = []
        for record in records {
            let head = head(of: record)
            found.append(KnownTimeline(place: record.origin, offset: record.offset, head: head))
            if let recipient = head?.recipient, !recipients.contains(recipient) { unseen.insert(recipient) }
            if known[record.configurationId] == nil { ids.append(record.configurationId) }
        }
        // To ask takes all commands of the transaction back.
        var values = TextDictionary<[UInt8]>()
        if !ids.isEmpty || !unseen.isEmpty { values = try read(ids, recipients: unseen) }
        for (record, var latest) in zip(records, found) {
            let id = record.configurationId
            // What this transaction is going to write counts more than what is there.
            latest.value = known[id].map { $0.value } ?? values[id]
            known[id] = latest
        }
    }

    /// Asks for what is there of these configurations, and looks whether the keys of these recipients are sets.
    ///
    /// - Throws: `refused` if one of them is not.
    private func read(_ ids: [String], recipients unseen: Set<String>) throws(SinkError) -> TextDictionary<[UInt8]> {
        let names = unseen.sorted()
        let timelines: [[RedisWord]] = ids.isEmpty ? [] : [["MGET"] + ids.map { RedisKeys.timeline($0) }]
        let replies = try ask(timelines + names.map { ["TYPE", RedisKeys.recipient($0)] })
        for (name, type) in zip(names, replies.dropFirst(timelines.count)) {
            guard type.text == "none" || type.text == "set" else {
                throw .refused(link.fault("write to", "key tideline:recipient:\(name) is not a set: remove it"))
            }
        }
        // Those of whom nothing comes any more are forgotten; whoever comes again is looked at again.
        if recipients.count > Self.recipientsMax { recipients.removeAll() }
        recipients.formUnion(unseen)
        var values = TextDictionary<[UInt8]>()
        if timelines.isEmpty { return values }
        for (id, value) in zip(ids, replies.first?.list ?? []) {
            if case .bytes(let bytes) = value { values[id] = bytes }
        }
        return values
    }

    /// Asks within the transaction, on a connection whose positions are known.
    private func ask(_ questions: [[RedisWord]]) throws(SinkError) -> [RedisReply] {
        try settle()
        try link.discard()
        try verify()
        let replies = try link.ask(questions)
        if !commands.isEmpty { try link.queue(commands) }
        return replies
    }

    /// Adds commands to the transaction.
    private func queue(_ more: [[RedisWord]]) throws(SinkError) {
        commands += more
        do throws(SinkError) {
            try link.queue(more)
        } catch {
            throw learned(from: error)
        }
    }

    /// Where Redis does not say its limit, the longest text is beyond it.
    private func learned(from error: SinkError) -> SinkError {
        guard case .unavailable(let fault) = error, fault.reason.contains("invalid bulk length"), textLongest > 0 else {
            return error
        }
        textMax = min(textMax, textLongest - 1)
        return .recordRefused(fault)
    }

    private func head(of record: SinkRecord) -> TimelineHead? {
        record.timeline(for: name)?.withUnsafeBytes { TimelineHead($0, with: &parser) }
    }

    package func write(_ record: SinkRecord) throws(SinkError) -> SinkOutcome {
        let id = record.configurationId
        if known[id]?.offset != record.offset || known[id]?.place != record.origin { try prepare([record]) }
        guard let there = known[id] else { preconditionFailure("it was asked for") }
        let held = there.value?.withUnsafeBytes { TimelineHead($0, with: &parser) }
        guard let value = record.timeline(for: name) else {
            guard there.value != nil else { return .unchanged }
            try remove(id, held)
            return .removed
        }
        guard let head = there.head else { throw .unusable(BadRecord(noTimeline: value)) }
        let longest = max(value.count, id.utf8.count + 20)
        guard longest <= textMax else {
            throw .unusable(
                BadRecord("the value has \(longest) bytes, more than the Redis takes (proto-max-bulk-len)"))
        }
        if let held, TimelineStamp(head).isOlder(than: TimelineStamp(held)) { return .unchanged }
        if there.value == value { return .unchanged }
        textLongest = max(textLongest, longest)
        try replace(id, value, head, held)
        return .written
    }

    private func replace(
        _ id: String, _ value: [UInt8], _ head: TimelineHead, _ held: TimelineHead?
    ) throws(SinkError) {
        var more: [[RedisWord]] = [["SET", RedisKeys.timeline(id), .bytes(value)]]
        if held?.recipient != head.recipient {
            more += RedisCommands.leaving(held?.recipient, id)
            if !head.recipient.isEmpty { more.append(["SADD", RedisKeys.recipient(head.recipient), .text(id)]) }
        }
        more.append(RedisCommands.telling("written", id, head, known[id]?.place, known[id]?.offset))
        known[id]?.value = value
        try queue(more)
    }

    private func remove(_ id: String, _ held: TimelineHead?) throws(SinkError) {
        let more: [[RedisWord]] = [["UNLINK", RedisKeys.timeline(id)]] + RedisCommands.leaving(held?.recipient, id)
        known[id]?.value = nil
        try queue(more + [RedisCommands.telling("removed", id, held, known[id]?.place, known[id]?.offset)])
    }
}
