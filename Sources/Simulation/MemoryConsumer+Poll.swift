import RecordLog

extension MemoryConsumer {
    /// Returns at once, whatever the time-out.
    ///
    /// A poll in which the listener ran also takes records of the partitions that were kept, throws the first half
    /// away together with all ends, and leaves the positions behind all of them: who does not seek loses records, as
    /// with librdkafka's batch queue (R1).
    func poll(maximum: Int, timeout: Duration) -> ConsumedBatch {
        checkIsOpen()
        precondition(maximum > 0)
        if let fault = cluster.withBroker({ $0.logFaults.next(.poll, .beforeEffect, client: clientId) }) {
            return BatchArena([]).batch(failures: [fault])
        }
        let kept = assignments
        let rebalanced = rebalance()
        let from = assignedPlaces.filter { !rebalanced || kept[$0] != nil }
        var fetched = cluster.withBroker { fetch(from, maximum: maximum, from: &$0) }
        if rebalanced {
            let dropped = (fetched.records.count + 1) / 2
            fetched.records.removeFirst(dropped)
            fetched.ends = []
            cluster.withBroker { broker in
                broker.counters.recordsDropped += dropped
                broker.counters.recordsDelivered -= dropped
            }
        }
        for place in assignedPlaces { assignments[place]!.isFetching = true }
        return BatchArena(fetched.records).batch(ends: fetched.ends, failures: fetched.failures, rebalanced: rebalanced)
    }

    private struct Fetched: Sendable {
        var records: [FetchedRecord] = []
        var ends: [PartitionEnd] = []
        var failures: [LogError] = []
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
        if assignment.position < log.low || assignment.position > log.high {
            // auto.offset.reset is earliest everywhere (R5).
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
