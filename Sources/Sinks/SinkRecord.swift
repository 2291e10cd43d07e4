package import RecordLog
import Messages

/// A committed record of the topic `timelines`, for sinks.
package struct SinkRecord: Hashable, Sendable {
    /// UTF-8.
    package var configurationId: String
    /// Nil is a tombstone.
    package var value: [UInt8]?
    package var headers: [Header]
    package var origin: TopicPartition
    package var offset: Offset

    package init(
        configurationId: String, value: [UInt8]?, headers: [Header] = [], origin: TopicPartition, offset: Offset
    ) {
        self.configurationId = configurationId
        self.value = value
        self.headers = headers
        self.origin = origin
        self.offset = offset
    }

    /// The timeline that a sink of this name is to hold; nil where it is to hold none: after a tombstone, and where
    /// the configuration's `sinks` name others (header `ce_sinks`; without the header all sinks are meant).
    package func timeline(for sink: String) -> [UInt8]? {
        let headers = headers.lazy.map { MessageHeader(name: $0.name, value: $0.value) }
        guard let names = CloudEventHeaders.sinks(in: headers) else { return value }
        return names.contains(sink) ? value : nil
    }
}
