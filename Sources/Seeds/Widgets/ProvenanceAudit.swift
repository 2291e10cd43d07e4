import Messages
import RecordLog
import Simulation
import Timelines

/// Holds every timeline that ever stood against the records that it names: made anew of them, it says the same.
///
/// A timeline names the record of its configuration, and the newest records of its vehicle and of its calendars that it
/// knows (M7). What their partitions hold up to them is all that it may tell of.
struct ProvenanceAudit {
    private var published: [TimelineRecord] = []

    mutating func take(_ record: TimelineRecord) { published.append(record) }

    /// - Parameters:
    ///   - history: what was read.
    ///   - remade: topics that were made again: their offsets do not tell which record of two is meant.
    func judge(
        against history: InputHistory, _ topics: TopicNames, in cluster: MemoryCluster, remade: Set<String>,
        telemetryFuture: ElapsedTime?
    ) -> [Symptom] {
        let known = KnownRecords(history.inputs(topics, cluster))
        for timeline in published where !timeline.sources.contains(where: { remade.contains($0.topic) }) {
            let sources = timeline.sources.map { "\($0.topic) \($0.partition)/\($0.offset)" }.joined(separator: ", ")
            let name = "\(timeline.configurationId) of \(timeline.generatedAt.rfc3339), made of \(sources)"
            guard let records = known.upTo(timeline.sources) else {
                return [Symptom(.neverWas, "\(name): not all of them are there")]
            }
            let oracle = Oracle(records, topics, telemetryFuture: telemetryFuture)
            let text = timeline.contentText
            // A record that could not be read came after those that are named, or not yet.
            let right = [false, true].map { isUnreadable in
                oracle.record(timeline.configurationId, at: timeline.generatedAt, isUnreadable: isUnreadable)?
                    .contentText
            }
            if !right.contains(text) {
                return [Symptom(.neverWas, "\(name): \(text) instead of \(right[0] ?? "nothing")")]
            }
        }
        return []
    }
}

/// Records by their places.
private struct KnownRecords {
    private var records: [TopicPartition: [Offset: Record]] = [:]

    init(_ all: [Record]) {
        for record in all {
            records[TopicPartition(record.topic, record.partition), default: [:]][record.offset] = record
        }
    }

    /// For each source all records of its entity up to it, in their order; `nil` if a source is not there.
    func upTo(_ sources: [SourceOffset]) -> [Record]? {
        var found: [Record] = []
        for source in sources {
            let all = records[TopicPartition(source.topic, Partition(source.partition)), default: [:]]
            guard let named = all[Offset(source.offset)] else { return nil }
            let entity = Self.entity(of: named)
            found += all.values.filter { $0.offset <= named.offset && Self.entity(of: $0) == entity }
                .sorted { $0.offset < $1.offset }
        }
        return found
    }

    /// The calendar of an event, else the key.
    private static func entity(of record: Record) -> String {
        let key = record.key ?? []
        return key.withUnsafeBytes { CalendarRecordKey($0) }.calendarId ?? String(decoding: key, as: UTF8.self)
    }
}
