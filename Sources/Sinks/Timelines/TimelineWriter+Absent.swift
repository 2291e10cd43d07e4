import RecordLog

/// How a target loses what its topic does not have. Somebody has to ask for that, and to agree to it: nothing in a
/// topic tells whether it is whole, and what it lacks may be right.
extension TimelineWriter {
    /// Refuses a target that another topic has filled.
    ///
    /// - Returns: false if it was stopped before the target answered.
    /// - Throws: `refused` if the target holds timelines and no position of the topic.
    func checkOrigin(_ positions: [Partition: SinkPosition]) throws(SinkRunError) -> Bool {
        guard settings.removesAbsent, positions.isEmpty else { return true }
        guard let held = try heldConfigurations() else { return false }
        guard held.isEmpty else { throw refusal("the target holds timelines, and none was read from this topic") }
        return true
    }

    /// Takes note of whether the sink is to hold something of the record's configuration. A record that turns out to be
    /// no timeline leaves what was there.
    ///
    /// - Returns: true if the record is to be written now. A removal is not: what another partition has may be newer,
    ///   and what was removed long ago may be there again.
    func note(presenceOf record: SinkRecord) -> Bool {
        guard settings.removesAbsent else { return true }
        if record.timeline(for: sink.name) != nil {
            presence.insert(record.configurationId, in: record.origin.partition)
            return true
        }
        presence.remove(record)
        summary.superseded += batch.withdraw(record.configurationId, of: record.origin.partition)
        return false
    }

    /// Removes what the target holds of configurations that the topic does not have, once somebody agrees to it. Called
    /// when all of the topic is read and written.
    ///
    /// - Returns: false if it was stopped before that.
    /// - Throws: `refused` if the target has taken no timeline of the topic, which is rather another topic than the one
    ///   that is meant, if the topic was made again meanwhile, if the target does not say what it holds, and if nobody
    ///   agrees.
    func removeAbsent() throws(SinkRunError) -> Bool {
        guard !presence.wasMadeAnew else {
            throw refusal("it was made again, or lost records, while it was read; run this again when it is whole")
        }
        guard presence.hasTaken, !presence.isEmpty else {
            throw refusal("it has no timeline for the sink '\(sink.name)'; empty the target by hand")
        }
        guard let held = try heldConfigurations() else { return false }
        let absent = held.filter { !presence.contains($0) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        if !absent.isEmpty {
            let count = AbsentTimelines(topic: settings.reading.topic, absent: absent.count, held: held.count)
            guard agreesToRemove(count) else { throw refusal("nobody agrees to remove \(count)") }
        }
        for start in stride(from: 0, to: absent.count, by: settings.reading.batchMaximum) {
            let part = absent[start..<min(start + settings.reading.batchMaximum, absent.count)]
            for (index, id) in zip(part.indices, part) {
                // No record says so, and none has such an offset.
                _ = batch.add(
                    SinkRecord(
                        configurationId: id, value: nil, origin: TopicPartition(settings.reading.topic, 0),
                        offset: Offset(Int64(index - absent.count))))
            }
            guard try write() else { return false }
        }
        guard try settle() else { return false }
        presence.settle()
        return true
    }

    /// - Throws: `refused` if the target has refused removals.
    func checkRemovals() throws(SinkRunError) {
        guard presence.leftCount > 0 else { return }
        throw refusal("the target refuses to remove \(presence.leftCount) of them; the log names each, with its reason")
    }

    /// - Returns: the ids of the configurations whose timelines the target holds; `nil` if it was stopped before the
    ///   target had named all.
    /// - Throws: `refused` if the target does not say what it holds.
    private func heldConfigurations() throws(SinkRunError) -> [String]? {
        var wasStopped = false
        let answer = try whenAvailable { () throws(SinkError) -> [String]? in
            try sink.configurations {
                if !wasStopped { wasStopped = !goesOn() }
                return !wasStopped
            }
        }
        guard let said = answer, !wasStopped else { return nil }
        guard let ids = said else { throw refusal("the target does not say what it holds") }
        return ids
    }

    private func refusal(_ reason: String) -> SinkRunError {
        .sink(
            .refused(
                SinkFault(place: settings.reading.topic, operation: "remove what is absent from", reason: reason)))
    }
}

/// The number of timelines that a target holds and its topic does not have.
package struct AbsentTimelines: Hashable, Sendable, CustomStringConvertible {
    package var topic: String
    package var absent: Int
    /// All that the target holds.
    package var held: Int

    package init(topic: String, absent: Int, held: Int) {
        self.topic = topic
        self.absent = absent
        self.held = held
    }

    package var description: String { "\(absent) of \(held) timelines that \(topic) does not have" }
}
