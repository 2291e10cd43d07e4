package import RecordLog
import Synchronization

/// One consumer for the changelogs of all tasks of an application, whichever of its threads restores them.
///
/// Whoever polls reads for all: what belongs to another thread waits in an inbox until that one polls. Where a single
/// thread restores, its records are lent to it as they came. A thread that lets its inbox fill up has its partitions
/// *parked*: they are not read until it has taken what is there, and hold up nobody else.
///
/// Threads meet it as a `ChangelogReader`. Any thread may call it.
package final class SharedRestorer: @unchecked Sendable {
    /// Used by whoever has the turn alone, like `places`.
    private let consumer: any Consumer
    private let turn = Mutex(())
    private var places = RestorePlaces()
    private var isClosed = false

    /// Locked for moments only, also by whoever has the turn.
    private let inboxes = Mutex(RestoreInboxes())
    private let lastOwner = Atomic(0)
    private let inboxBytesMax: Int

    /// What a poll has brought besides the records.
    package struct Arrivals: Sendable {
        package var records = 0
        /// Partitions whose end was reached after all records that were delivered before.
        package var ends: [PartitionEnd] = []
        package var failures: [LogError] = []
    }

    /// Others get their turn after so long at the latest.
    private static let waitMax = Duration.milliseconds(5)

    /// - Parameter inboxBytesMax: of all inboxes, but for what one more poll brings to each.
    package init(_ cluster: any Cluster, clientId: String, inboxBytesMax: Int = 32 << 20) throws(LogError) {
        consumer = try cluster.makeConsumer(group: nil, isolation: .readCommitted, clientId: clientId)
        self.inboxBytesMax = inboxBytesMax
    }

    package func makeReader() -> ChangelogReader {
        ChangelogReader(self, owner: lastOwner.add(1, ordering: .relaxed).newValue)
    }

    func expect(_ topics: [String]) { inTurn { if !isClosed { consumer.expect(topics) } } }

    /// What another thread still has is taken from it. If that one is right, it goes on where it stopped once this one
    /// has given the partition back.
    func assign(_ partitions: [(TopicPartition, StartOffset)], to owner: Int) throws(LogError) {
        try inTurn { () throws(LogError) in
            let wanted = partitions.map(\.0)
            precondition(wanted.allSatisfy { places.owner(of: $0) != owner }, "A partition is assigned once.")
            try stopReading(wanted)
            for place in wanted { places.displace(place) }
            do throws(LogError) {
                try consumer.incrementalAssign(partitions)
            } catch {
                wanted.forEach(comeBack)
                throw error
            }
            for (place, start) in partitions { places.add(place, from: start, owner: owner) }
        }
    }

    /// Nothing of these is delivered to the owner any more, whatever is thrown.
    func unassign(_ partitions: [TopicPartition], of owner: Int) throws(LogError) {
        try inTurn { () throws(LogError) in
            if isClosed { return }
            inboxes.withLock { inboxes in
                for place in partitions { inboxes.remove(place, of: owner) }
            }
            let read = places.read(partitions.filter { places.owner(of: $0) == owner })
            for place in partitions { places.remove(place, of: owner) }
            defer { partitions.forEach(comeBack) }
            if !read.isEmpty { try consumer.incrementalUnassign(read) }
        }
    }

    /// Gives back all that a thread has, which ends.
    func leave(_ owner: Int) {
        // If that fails, what comes of them belongs to nobody, and is dropped.
        try? unassign(inTurn { places.owned(by: owner) + places.displaced(of: owner) }, of: owner)
        inboxes.withLock { $0.removeAll(of: owner) }
    }

    /// Ends it for all. Nothing is delivered afterwards.
    package func close() {
        inTurn {
            if isClosed { return }
            isClosed = true
            consumer.close()
        }
    }

    // MARK: - Reading

    /// Delivers what is there for a thread, at most `maximum` records. If there is nothing, waits up to `timeout`, or
    /// less where others read as well.
    ///
    /// - Parameter take: is lent the records, some at a time. It must not call this object.
    func poll(
        _ owner: Int, maximum: Int, timeout: Duration, _ take: (ArraySlice<RecordView>) -> Void
    ) -> Arrivals {
        var arrivals = Arrivals()
        deliver(to: owner, maximum, &arrivals, take)
        if arrivals.records >= maximum { return arrivals }
        let isWaiting = timeout > .zero && arrivals.records == 0 && arrivals.ends.isEmpty
        // Who has the turn reads for this thread as well. Only parked partitions wait for their own.
        if isWaiting || inboxes.withLock({ $0.hasParked(owner) }) {
            turn.withLock { _ in read(for: owner, maximum, isWaiting ? timeout : .zero, &arrivals, take) }
        } else {
            _ = turn.withLockIfAvailable { _ in read(for: owner, maximum, .zero, &arrivals, take) }
        }
        deliver(to: owner, maximum, &arrivals, take)
        return arrivals
    }

    private func deliver(
        to owner: Int, _ maximum: Int, _ arrivals: inout Arrivals, _ take: (ArraySlice<RecordView>) -> Void
    ) {
        while arrivals.records < maximum, var portion = inboxes.withLock({ $0.takeFirst(of: owner) }) {
            let (count, ends) = portion.deliver(atMost: maximum - arrivals.records, take)
            arrivals.records += count
            arrivals.ends += ends
            if portion.isSpent { continue }
            let rest = portion
            inboxes.withLock { $0.putBack(rest, for: owner) }
        }
    }

    /// Has the turn.
    private func read(
        for owner: Int, _ maximum: Int, _ timeout: Duration, _ arrivals: inout Arrivals,
        _ take: (ArraySlice<RecordView>) -> Void
    ) {
        if isClosed { return }
        // Another thread may have filled it since.
        let isEmpty = inboxes.withLock { $0.isEmpty(of: owner) }
        if isEmpty { readParked(of: owner, &arrivals) }
        let isAlone = places.isAlone(owner)
        let batch = consumer.poll(
            maximum: maximum, timeout: !isEmpty ? .zero : isAlone ? timeout : min(timeout, Self.waitMax))
        arrivals.failures += batch.failures
        noteNext(of: batch)
        if isAlone && isEmpty {
            batch.records[...].lend(take)
            arrivals.records += batch.records.count
            arrivals.ends += batch.ends
        } else {
            distribute(batch)
            park(notOf: owner, &arrivals)
        }
    }

    private func noteNext(of batch: borrowing ConsumedBatch) {
        for index in batch.records.indices {
            let record = batch.records[index]
            // Records of a partition mostly come in a row: the last of them counts.
            if index + 1 < batch.records.count, batch.records[index + 1].isOfSamePartition(as: record) { continue }
            places.note(next: record.offset.next, of: place(record.topic, record.partition))
        }
        for end in batch.ends { places.note(next: end.offset, of: place(end.topic, end.partition)) }
    }

    private func distribute(_ batch: borrowing ConsumedBatch) {
        var portions: [Int: RestorePortion] = [:]
        var last: (record: RecordView, place: TopicPartition, owner: Int?)?
        for record in batch.records {
            if last == nil || !last!.record.isOfSamePartition(as: record) {
                let place = place(record.topic, record.partition)
                last = (record, place, places.owner(of: place))
            }
            guard let (_, place, owner) = last, let owner else { continue }
            portions[owner, default: RestorePortion()].append(record, of: place)
        }
        for end in batch.ends {
            let place = place(end.topic, end.partition)
            if let owner = places.owner(of: place) { portions[owner, default: RestorePortion()].append(end, of: place) }
        }
        let all = portions
        inboxes.withLock { inboxes in
            for (owner, portion) in all { inboxes.append(portion, for: owner) }
        }
    }

    private func place(_ topic: Int32, _ partition: Partition) -> TopicPartition {
        TopicPartition(consumer.topics[Int(topic)], partition)
    }

    // MARK: - Parking

    private func park(notOf reader: Int, _ arrivals: inout Arrivals) {
        let owners = places.owners
        let full = inboxes.withLock { inboxes in
            owners.filter { $0 != reader && inboxes.size(of: $0) > inboxBytesMax / owners.count }
        }
        for owner in full.sorted() {
            do throws(LogError) { try stopReading(places.owned(by: owner)) } catch { arrivals.failures.append(error) }
            inboxes.withLock { $0.note(owner, hasParked: true) }
        }
    }

    private func stopReading(_ partitions: [TopicPartition]) throws(LogError) {
        let read = places.read(partitions)
        if read.isEmpty { return }
        try consumer.incrementalUnassign(read)
        places.note(read, areRead: false)
    }

    private func comeBack(to place: TopicPartition) {
        guard let owner = places.comeBack(to: place) else { return }
        inboxes.withLock { $0.note(owner, hasParked: true) }
    }

    private func readParked(of owner: Int, _ arrivals: inout Arrivals) {
        guard inboxes.withLock({ $0.hasParked(owner) }) else { return }
        let parked = places.parked(of: owner)
        do throws(LogError) {
            if !parked.isEmpty { try consumer.incrementalAssign(parked) }
            places.note(parked.map(\.0), areRead: true)
            inboxes.withLock { $0.note(owner, hasParked: false) }
        } catch {
            arrivals.failures.append(error)
        }
    }

    private func inTurn<Result: Sendable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try turn.withLock { (_) throws(Failure) -> Result in try body() }
    }
}

extension RecordView {
    func isOfSamePartition(as other: RecordView) -> Bool {
        partition == other.partition && topic == other.topic
    }
}
