package import RecordLog
package import StreamCore

/// What the internal topics and the outputs say at the start, before any thread runs: by their newest records alone, so
/// that it costs little (R18). What lies deeper is looked at when the tasks are taken over.
package struct StateCheck {
    private let cluster: any Cluster
    private let clientId: String
    private let requests: PatientRequests
    /// How many offsets before its end each partition is read from.
    private let depth: Int64

    /// - Parameter requests: how long each topic is asked for and waited for, and when that ends early.
    package init(_ cluster: any Cluster, clientId: String, requests: PatientRequests, depth: Int64 = 200) {
        self.cluster = cluster
        self.clientId = clientId
        self.requests = requests
        self.depth = depth
    }

    /// The newest record of positions of each task's changelog that says what it is, as far as it was found.
    ///
    /// Blocks for the patience of the requests at most, beside a single one.
    ///
    /// - Throws: if one cannot be read: a refusal by name; if a partition was not read to its end in that time.
    package func headers(
        of changelog: String, partitions: Int32, _ topology: Topology
    ) throws(StreamFailure) -> [Partition: StateHeader] {
        var headers: [Partition: StateHeader] = [:]
        var failure: StreamFailure?
        try readNewest(of: changelog, partitions: partitions) { record, _ in
            guard failure == nil, let key = record.key, key.count == 1, key[0] == 0, let value = record.value else {
                return
            }
            do throws(CorruptBytes) {
                let positions = TaskPositions()
                var reader = ByteReader(value)
                try positions.restore(of: topology.sources, from: &reader)
                headers[record.partition] = positions.header
            } catch {
                failure = .unreadable(TopicPartition(changelog, record.partition), record.offset, error)
            }
        }
        if let failure { throw failure }
        return headers
    }

    /// A record of an output with the one who wrote it.
    package struct Writer: Hashable, Sendable {
        package var name: String
        package var place: TopicPartition
        package var offset: Offset
    }

    /// Those whose records are among the newest of a topic, ascending by name, each with its newest record.
    ///
    /// - Parameter header: the header that names who wrote a record.
    package func writers(
        of topic: String, partitions: Int32, header: String
    ) throws(StreamFailure) -> [Writer] {
        var writers: [String: Writer] = [:]
        try readNewest(of: topic, partitions: partitions) { record, headers in
            guard let value = headers().last(where: { $0.name == header })?.value else { return }
            let name = String(decoding: value, as: UTF8.self)
            writers[name] = Writer(
                name: name, place: TopicPartition(topic, record.partition), offset: record.offset)
        }
        return writers.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Each place with its beginning and its end of committed records. The topic exists; but for a moment after it was
    /// made, or after a broker has come back, some brokers do not know it yet.
    private func extents(
        of places: [TopicPartition], _ admin: any Admin
    ) throws(LogError) -> [(TopicPartition, Watermarks)] {
        let graceEnd = requests.clock.now + Self.grace
        let answer = try requests.persistently { (timeout) throws(LogError) in
            do throws(LogError) {
                return try extentsOnce(of: places, admin, timeout: timeout)
            } catch {
                var error = error
                if error.code == .unknownTopicOrPartition && requests.clock.now < graceEnd { error.isRetriable = true }
                throw error
            }
        }
        guard let answer else { throw Self.stopped }
        return answer
    }

    private static let grace = Duration.seconds(5)

    private func extentsOnce(
        of places: [TopicPartition], _ admin: any Admin, timeout: Duration
    ) throws(LogError) -> [(TopicPartition, Watermarks)] {
        let lows = try admin.startOffsets(of: places, timeout: timeout)
        let highs = try admin.endOffsets(of: places, isolation: .readCommitted, timeout: timeout)
        return places.compactMap { place in
            guard let low = lows[place], let high = highs[place] else { return nil }
            return (place, Watermarks(low: low, high: high))
        }
    }

    /// The mean size of the newest records' keys and values, as far as they were read.
    ///
    /// - Returns: the mean in bytes, `nil` if no record was read; and why not all were read, as `readNewest` throws it.
    package func recordBytes(of topic: String, partitions: Int32) -> (mean: Int?, failure: StreamFailure?) {
        var (count, bytes) = (0, 0)
        var failure: StreamFailure?
        do throws(StreamFailure) {
            try readNewest(of: topic, partitions: partitions) { record, _ in
                count += 1
                bytes += (record.key?.count ?? 0) + (record.value?.count ?? 0)
            }
        } catch {
            failure = error
        }
        return (count > 0 ? bytes / count : nil, failure)
    }

    private static let stopped = LogError(
        .timedOut, name: "_TIMED_OUT", "told to end while no broker answered")

    /// Reads the newest records of each partition of a topic: as many offsets before its end as this check looks at.
    ///
    /// - Parameter body: called with each record; it lives no longer than the call.
    /// - Throws: if a partition was not read to its end in the patience of the requests.
    package func readNewest(
        of topic: String, partitions: Int32, _ body: (RecordView, _ headers: () -> [Header]) -> Void
    ) throws(StreamFailure) {
        do throws(LogError) {
            let consumer = try cluster.makeConsumer(group: nil, isolation: .readCommitted, clientId: clientId)
            defer { consumer.close() }
            var waiting: [Partition: Offset] = [:]
            var places: [(TopicPartition, StartOffset)] = []
            let admin = try cluster.makeAdmin()
            defer { admin.close() }
            let all = (0..<Partition(partitions)).map { TopicPartition(topic, $0) }
            for (place, kept) in try extents(of: all, admin) where kept.high > kept.low {
                waiting[place.partition] = kept.high
                places.append((place, .at(max(kept.low, Offset(kept.high.rawValue - depth)))))
            }
            if places.isEmpty { return }
            try consumer.incrementalAssign(places)
            let end = requests.clock.now + requests.patience
            while !waiting.isEmpty && requests.clock.now < end {
                if requests.shouldStop() { throw Self.stopped }
                let batch = consumer.poll(maximum: 10_000, timeout: .milliseconds(100))
                for failure in batch.failures where failure.lasts { throw failure }
                for record in batch.records {
                    body(record) { batch.headers(of: record) }
                    // A partition that is written to all the while may never be at its end.
                    if let high = waiting[record.partition], record.offset.next >= high {
                        waiting[record.partition] = nil
                    }
                }
                for end in batch.ends { waiting[end.partition] = nil }
                if batch.records.isEmpty && batch.ends.isEmpty { requests.clock.wait(for: .milliseconds(1)) }
            }
            guard let first = waiting.keys.min() else { return }
            // To start on what was not read would be to pass over what it says.
            throw LogError(
                .timedOut, name: "_TIMED_OUT",
                "\(TopicPartition(topic, first)) was not read to its end within \(requests.patience)", isRetriable: true
            )
        } catch {
            let time = "no broker answered for \(requests.patience.components.seconds) s. "
            throw StreamFailure("cannot look at \(topic): \(error.isRetriable ? time : "")\(error)")
        }
    }
}

extension MisfitPolicy {
    /// Judges all that was found of an application's state, and who else writes its outputs.
    ///
    /// - Returns: the refusal; `nil` if the application may start.
    package func refusal(
        of headers: [Partition: StateHeader], changelog: String, partitions: Int32, terms: StateTerms,
        writers: [StateCheck.Writer]
    ) -> StreamFailure? {
        for (partition, header) in headers.sorted(by: { $0.key < $1.key }) {
            let place = TopicPartition(changelog, partition)
            if let refusal = refusal(of: header, at: place, partitions: partitions, terms: terms) { return refusal }
        }
        if acceptsChangedSettings { return nil }
        let known = Set(terms.writers + headers.values.flatMap(\.writers))
        guard let other = writers.first(where: { !known.contains($0.name) }) else { return nil }
        return StreamFailure(
            refused: "\(other.place.topic) is written by \(other.name), too (\(other.place), offset \(other.offset)),"
                + " and this is \(terms.writers.first ?? "")",
            remedy: "Give each application outputs of its own (--topic-prefix), or, if the other one is no more, start"
                + " once with --set settings.changed=accept")
    }
}
