import Messages
import Positions
import RecordLog
import Testing
import Timelines

/// What the pipeline has committed, read back.
struct Outputs {
    /// By partition and offset, so in order for each configuration.
    private(set) var timelines: [Published] = []
    private(set) var reloads: [Announced] = []
    private(set) var positions: [Merged] = []
    private(set) var deadLetters: [Record] = []

    /// A record of `timelines`; without a timeline a tombstone.
    struct Published {
        var configurationId: String
        var timeline: TimelineRecord?
        var record: Record
    }

    struct Announced {
        var reload: ReloadNotification
        var record: Record
    }

    /// A record of `timeline.positions.merged`; without a position a tombstone.
    struct Merged {
        var key: String
        var merged: MergedPosition?
        var record: Record
    }

    init() {}

    init(_ records: [Record], _ topics: TopicNames) throws {
        var parser = JSONParser()
        for record in records {
            let key = String(decoding: record.key ?? [], as: UTF8.self)
            switch record.topic {
            case topics.timelines:
                let timeline = try record.value.map { value in
                    try value.withUnsafeBytes { try TimelineRecord.decode($0, with: &parser) }
                }
                timelines.append(Published(configurationId: key, timeline: timeline, record: record))
            case topics.reloads:
                let value = try #require(record.value, "a reload has a value")
                let reload = try value.withUnsafeBytes { try ReloadNotification.decode($0, with: &parser) }
                #expect(reload.recipient == key)
                reloads.append(Announced(reload: reload, record: record))
            case topics.positionsMerged:
                let merged = try record.value.map { value in
                    try value.withUnsafeBytes { try MergedPosition.decode($0, with: &parser) }
                }
                positions.append(Merged(key: key, merged: merged, record: record))
            default:
                deadLetters.append(record)
            }
        }
    }
}

extension Record {
    /// The header's text; nil where there is none.
    func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value.map { String(decoding: $0, as: UTF8.self) }
    }

    var valueText: String? { value.map { String(decoding: $0, as: UTF8.self) } }
    var keyText: String? { key.map { String(decoding: $0, as: UTF8.self) } }
}

/// How tests look at outputs.
extension PipelineFixture {
    /// All that was published for a configuration, tombstones left out.
    func history(_ id: String) -> [TimelineRecord] { published(id).compactMap(\.timeline) }

    func published(_ id: String) -> [Outputs.Published] { outputs.timelines.filter { $0.configurationId == id } }

    /// The newest; fails where there is none, or a tombstone came after it.
    func timeline(_ id: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> TimelineRecord {
        let last = try #require(published(id).last, "nothing was published for \(id)", sourceLocation: sourceLocation)
        return try #require(last.timeline, "the last record of \(id) is a tombstone", sourceLocation: sourceLocation)
    }

    /// The entry in force.
    func entry(_ id: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> TimelineEntry {
        try timeline(id, sourceLocation: sourceLocation).timeline.entries[0]
    }

    func phases(_ id: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
        try timeline(id, sourceLocation: sourceLocation).timeline.entries.map(\.phase.rawValue)
    }

    /// `phase date` of each entry; the date as `HH:MM` where it is of the Monday of these tests, UTC.
    func outline(_ id: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
        try timeline(id, sourceLocation: sourceLocation).timeline.entries.map { entry in
            let title = entry.event.map { " \($0.title)" } ?? ""
            return "\(entry.phase.rawValue) \(short(entry.date))\(title)"
        }
    }

    /// All merged records of a reader and configuration, tombstones included.
    func mergedHistory(_ key: String) -> [Outputs.Merged] { outputs.positions.filter { $0.key == key } }

    /// The newest; fails where there is none, or a tombstone came after it.
    func merged(_ key: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> MergedPosition {
        let last = try #require(
            mergedHistory(key).last, "nothing was merged for \(key)", sourceLocation: sourceLocation)
        return try #require(last.merged, "the last record of \(key) is a tombstone", sourceLocation: sourceLocation)
    }

    func reloads(_ recipient: String) -> [ReloadNotification] {
        outputs.reloads.map(\.reload).filter { $0.recipient == recipient }
    }
}

/// `2026-03-02T08:00:00Z` as `08:00`, another day as `03 08:00`.
func short(_ instant: Instant) -> String {
    let text = instant.rfc3339
    let time = text.dropFirst(11).prefix(8)
    let clock = time.hasSuffix(":00") ? String(time.prefix(5)) : String(time)
    let day = text.dropFirst(8).prefix(2)
    return day == "02" ? clock : "\(day) \(clock)"
}
