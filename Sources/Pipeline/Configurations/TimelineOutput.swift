import Messages
import RecordLog
import StreamCore

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
    /// - Returns: the size of the value in bytes.
    mutating func encode(_ record: TimelineRecord) -> Int {
        json.removeAll()
        record.write(to: &json)
        return json.count
    }

    /// Emits the record that was encoded last.
    func emit(_ record: TimelineRecord, sinks: [String]?, traceParent: [UInt8]?, _ context: TaskContext) {
        let headers = headers.timeline(record, sinks: sinks, traceParent: traceParent)
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
        let headers = headers.timelineTombstone(
            configurationId: configurationId, at: context.now, traceParent: traceParent)
        context.emit(.timelines, key: key, value: nil, headers: headers.map { Header($0) })
    }
}
