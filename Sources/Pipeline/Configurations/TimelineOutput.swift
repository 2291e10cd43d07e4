import Messages
import RecordLog
import StreamCore
import Timelines

/// Writes timelines to their topic: the value as JSON, the headers of CloudEvents.
struct TimelineOutput: ~Copyable {
    private let headers: CloudEventHeaders
    /// The record that was encoded last.
    private var json = JSONWriter()

    init(_ settings: PipelineSettings) {
        headers = CloudEventHeaders(source: settings.eventSource)
    }

    /// Encodes a record, to be emitted.
    ///
    /// - Returns: the size in bytes of the value and the names that its key and headers repeat.
    mutating func encode(_ record: TimelineRecord, sinks: [String]?) -> Int {
        json.removeAll()
        record.write(to: &json)
        // Key, id and subject. Short ones have their room beside the largest value.
        let names = record.configurationId.utf8.count * 3 + (sinks ?? []).reduce(0) { $0 + $1.utf8.count + 1 }
        return json.count + max(0, names - Self.namesRoom)
    }

    private static let namesRoom = 2048

    /// Emits the record that was encoded last.
    func emit(_ record: TimelineRecord, sinks: [String]?, traceParent: [UInt8]?, _ context: TaskContext) {
        let trace = context.traceParent(ofSending: .timelines, key: record.configurationId, because: traceParent)
        let headers = headers.timeline(record, sinks: sinks, traceParent: trace)
        var configurationId = record.configurationId
        configurationId.withUTF8 { key in
            json.withUnsafeBytes { value in
                context.emit(
                    .timelines, key: UnsafeRawBufferPointer(key), value: value, headers: headers.map { Header($0) })
            }
        }
    }

    /// Takes the timeline of a deleted configuration away.
    func emitTombstone(
        _ configurationId: String, key: UnsafeRawBufferPointer, traceParent: [UInt8]?, _ context: TaskContext
    ) {
        let trace = context.traceParent(ofSending: .timelines, key: configurationId, because: traceParent)
        let headers = headers.timelineTombstone(
            configurationId: configurationId, at: context.now, traceParent: trace)
        context.emit(.timelines, key: key, value: nil, headers: headers.map { Header($0) })
    }
}

/// Timelines that are made, one by one, for whoever follows them.
extension TimelineMaker.Made {
    /// `timeline.made`: which timeline was made, why, for which instant, and what it shows then.
    func note(of message: ConfigurationMessage, cause: Cause, at: Instant) -> ActivityNote {
        let timeline = record.timeline
        var fields: [ActivityNote.Field] = [
            .init("at", at.rfc3339), .init("cause", cause.name), .init("configurationId", record.configurationId),
            .init("entries", String(timeline.entries.count)), .init("kind", record.kind),
        ]
        if let due = timeline.nextUpdate { fields.append(.init("nextUpdate", due.rfc3339)) }
        if let entry = timeline.entries.first { fields.append(.init("phase", entry.phase.rawValue)) }
        fields.append(.init("revision", String(record.revision.rawValue)))
        if case .usable(let configuration) = message {
            fields.append(.init("strategy", type(of: configuration.strategy).name))
        }
        return ActivityNote("timeline.made", fields)
    }
}
