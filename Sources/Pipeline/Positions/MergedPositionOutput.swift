import Messages
import Positions
import RecordLog
import StreamCore

/// Writes merged positions to their topic: the value as JSON, the headers of CloudEvents.
struct MergedPositionOutput: ~Copyable {
    private let headers: CloudEventHeaders
    private var json = JSONWriter()

    init(_ settings: PipelineSettings) {
        headers = CloudEventHeaders(source: settings.eventSource)
    }

    /// - Parameters:
    ///   - merged: `nil` means that nothing is left: a tombstone.
    ///   - key: the record's key.
    ///   - revision: tells the records of one instant apart.
    mutating func emit(
        _ merged: MergedPosition?, _ key: String, revision: UInt64, traceParent: [UInt8]?, _ context: TaskContext
    ) {
        let trace = context.traceParent(ofSending: .positionsMerged, key: key, because: traceParent)
        let headers = headers.mergedPosition(
            key: key, revision: merged == nil ? nil : revision, at: context.now, traceParent: trace
        )
        .map { Header($0) }
        json.removeAll()
        merged?.write(to: &json)
        var key = key
        key.withUTF8 { key in
            json.withUnsafeBytes { value in
                context.emit(
                    .positionsMerged, key: UnsafeRawBufferPointer(key), value: merged == nil ? nil : value,
                    headers: headers)
            }
        }
    }
}
