import RecordLog

extension MemoryConsumer {
    /// Returns at once, whatever the time-out, unless the cluster's polls wait.
    ///
    /// A poll in which the listener ran also takes records of the partitions that were kept, throws the first half
    /// away together with all ends, and leaves the positions behind all of them: who does not seek loses records, as
    /// with librdkafka's batch queue (R1).
    func poll(maximum: Int, timeout: Duration) -> ConsumedBatch {
        checkIsOpen()
        precondition(maximum > 0)
        process.serveBackgrounds()
        do throws(LogError) {
            let started = try process.begin(.log(.poll), client: clientId, timeout: timeout)
            let fetched = poll(maximum: maximum, started)
            // What a dead process has read, nobody has read.
            try process.end(started)
            return BatchArena(fetched.records).batch(
                ends: fetched.ends, failures: fetched.failures, rebalanced: fetched.rebalanced)
        } catch {
            return BatchArena([]).batch(failures: [error])
        }
    }

    private func poll(maximum: Int, _ started: StartedCall) -> Fetched {
        if let failure = process.hindrance(of: started) {
            // A fetch without an answer is repeated in the background, and says nothing.
            return Fetched(failures: failure.code == .timedOut ? [] : [failure])
        }
        if let fault = cluster.withBroker({ $0.logFaults.next(.poll, .beforeEffect, client: clientId) }) {
            return Fetched(failures: [fault])
        }
        let overslept = notePoll()
        let kept = Set(subscription == nil ? [] : assignedPlaces)
        let rebalanced = rebalance()
        if process.isDead { return Fetched() }
        let from = assignedPlaces.filter { !rebalanced || kept.contains($0) }
        var fetched = cluster.withBroker { fetch(from, maximum: maximum, from: &$0) }
        if let overslept { fetched.failures.append(overslept) }
        fetched.rebalanced = rebalanced
        if rebalanced { dropHalf(of: &fetched) }
        for place in assignedPlaces where !assignments[place]!.isFetching { assignments[place]!.isFetching = true }
        if cluster.settings.pollsWait, fetched.isEmpty { process.wait(until: started.deadline) }
        return fetched
    }

    private func dropHalf(of fetched: inout Fetched) {
        let dropped = (fetched.records.count + 1) / 2
        fetched.records.removeFirst(dropped)
        fetched.ends = []
        cluster.withBroker { broker in
            broker.counters.recordsDropped += dropped
            broker.counters.recordsDelivered -= dropped
            if dropped > 0 { broker.note(.droppedRecords) }
        }
    }

    private struct Fetched: Sendable {
        var records: [FetchedRecord] = []
        var ends: [PartitionEnd] = []
        var failures: [LogError] = []
        var rebalanced = false

        var isEmpty: Bool { records.isEmpty && ends.isEmpty && failures.isEmpty && !rebalanced }
    }

    /// Takes partitions by turns, each as far as it goes.
    private func fetch(_ places: [TopicPartition], maximum: Int, from broker: inout Broker) -> Fetched {
        var fetched = Fetched()
        var room = maximum
        let start = lastServed.flatMap { last in places.firstIndex { last < $0 } } ?? 0
        for place in places[start...] + places[..<start] where room > 0 {
            room -= fetch(place, room: room, from: &broker, into: &fetched)
        }
        if let fault = broker.logFaults.next(.poll, .afterEffect, client: clientId) { fetched.failures.append(fault) }
        broker.counters.recordsDelivered += fetched.records.count
        return fetched
    }

    /// - Returns: how many events it gave.
    private func fetch(
        _ place: TopicPartition, room: Int, from broker: inout Broker, into fetched: inout Fetched
    ) -> Int {
        var assignment = assignments[place]!
        defer { assignments[place] = assignment }
        guard let log = try? broker.log(of: place) else {
            if !assignment.hasReportedFailure { fetched.failures.append(.unknown(place)) }
            assignment.hasReportedFailure = true
            return 0
        }
        assignment.hasReportedFailure = false
        if assignment.position < log.low || assignment.position > log.high {
            // auto.offset.reset is earliest everywhere (R5).
            if assignment.position < log.low { broker.note(.readerOvertaken) }
            assignment.position = log.low
            broker.counters.offsetResets += 1
        }
        let read = log.read(from: assignment.position, maximum: room, isolation: isolation)
        assignment.position = read.next
        fetched.records += read.records.map { entry in
            FetchedRecord(
                topic: assignment.topic, partition: place.partition, offset: entry.offset, timestamp: entry.timestamp,
                content: entry.record)
        }
        if !read.records.isEmpty { lastServed = place }
        let count = read.records.count
        guard read.isAtEnd, assignment.reportedEnd != read.next, count < room else { return count }
        assignment.reportedEnd = read.next
        fetched.ends.append(PartitionEnd(topic: assignment.topic, partition: place.partition, offset: read.next))
        return count + 1
    }
}
