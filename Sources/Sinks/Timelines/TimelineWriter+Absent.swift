import RecordLog
import Timelines

/// How a target loses what its topic does not have. Somebody has to ask for that: nothing in a topic tells whether it
/// is whole, and what it lacks may be right.
extension TimelineWriter {
    /// Takes note of whether the sink is to hold something of the record's configuration. A record that turns out to be
    /// no timeline leaves what was there.
    func note(presenceOf record: SinkRecord) {
        guard settings.removesAbsent else { return }
        present[record.configurationId] = record.timeline(for: sink.name) == nil ? nil : true
    }

    /// Removes what the target holds of configurations that the topic does not have. Called when all of the topic is
    /// read and written.
    ///
    /// - Returns: false if it was stopped before that.
    /// - Throws: `refused` if the topic has no timeline at all, which is rather another topic than the one that is
    ///   meant, and if the target does not say what it holds.
    func removeAbsent() throws(SinkRunError) -> Bool {
        let topic = settings.reading.topic
        guard !present.isEmpty else {
            throw .sink(
                .refused(
                    SinkFault(
                        place: topic, operation: "remove what is absent from",
                        reason: "it has no timeline for the sink '\(sink.name)'; empty the target by hand")))
        }
        let answer = try whenAvailable { () throws(SinkError) -> [String] in
            if let ids = try sink.configurations() { return ids }
            let reason = "it does not say what it holds"
            throw SinkError.refused(
                SinkFault(place: sink.name, operation: "remove what is absent from", reason: reason))
        }
        guard let held = answer else { return false }
        let absent = held.filter { present[$0] == nil }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for start in stride(from: 0, to: absent.count, by: settings.reading.batchMaximum) {
            let part = absent[start..<min(start + settings.reading.batchMaximum, absent.count)]
            for (number, id) in part.enumerated() {
                // No record says so, and none has such an offset.
                _ = batch.add(
                    SinkRecord(
                        configurationId: id, value: nil, origin: TopicPartition(topic, 0),
                        offset: Offset(Int64(number - part.count))))
            }
            guard try write() else { return false }
        }
        return true
    }
}
