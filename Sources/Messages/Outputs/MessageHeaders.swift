package import Timelines

/// A header beside a record's key and value.
package struct MessageHeader: Hashable, Sendable {
    package var name: String
    package var value: [UInt8]?

    package init(name: String, value: [UInt8]?) {
        self.name = name
        self.value = value
    }

    package init(_ name: String, _ text: String) {
        self.init(name: name, value: Array(text.utf8))
    }
}

/// The headers of outputs: CloudEvents 1.0 in the binary mode of its Kafka binding, the only mode that can carry a
/// tombstone.
///
/// The same record always gets the same headers, so that a result can be compared with another run's.
package struct CloudEventHeaders: Sendable {
    // These are the same in every record and are made once.
    private let specVersion = MessageHeader("ce_specversion", "1.0")
    private let contentType = MessageHeader("content-type", "application/json")
    private let timelineType = MessageHeader("ce_type", ContractVersion.eventType("timeline"))
    private let reloadType = MessageHeader("ce_type", ContractVersion.eventType("reload"))
    private let positionsType = MessageHeader("ce_type", ContractVersion.eventType("timeline.positions.merged"))
    private let source: MessageHeader

    /// The extension attribute that names the sinks which write this timeline, separated by commas. If it is absent,
    /// all sinks do.
    package static let sinksName = "ce_sinks"
    package static let traceParentName = "traceparent"
    /// The attribute that names the application.
    package static let sourceName = "ce_source"

    /// - Parameter source: a URI reference that names the application, such as `/tideline`.
    package init(source: String) {
        self.source = MessageHeader(Self.sourceName, source)
    }

    /// - Parameters:
    ///   - sinks: the configuration's; an empty list stands for no sink at all.
    ///   - traceParent: the `traceparent` of the input that led to this timeline.
    package func timeline(
        _ record: TimelineRecord, sinks: [String]? = nil, traceParent: [UInt8]? = nil
    ) -> [MessageHeader] {
        // A revision that is made twice at one instant has the same content, which makes the events duplicates.
        var headers = headers(type: timelineType, time: record.generatedAt, subject: record.configurationId) { id in
            id.append(contentsOf: record.configurationId.utf8)
            Self.append(number: record.revision.rawValue, to: &id)
        }
        headers.append(contentType)
        if let sinks { headers.append(Self.sinks(sinks)) }
        if let traceParent { headers.append(Self.traceParent(traceParent)) }
        return headers
    }

    /// The end of a configuration's timelines: no value, so no content type. It is for every sink.
    package func timelineTombstone(
        configurationId: String, at time: Instant, traceParent: [UInt8]? = nil
    ) -> [MessageHeader] {
        var headers = headers(type: timelineType, time: time, subject: configurationId) { id in
            id.append(contentsOf: "\(configurationId)/deleted".utf8)
        }
        if let traceParent { headers.append(Self.traceParent(traceParent)) }
        return headers
    }

    /// The headers of a reload.
    ///
    /// - Parameter traceParent: the `traceparent` of the input that led to this reload.
    package func reload(_ notification: ReloadNotification, traceParent: [UInt8]? = nil) -> [MessageHeader] {
        // At one instant a recipient may be told of a kind in several records, of one revision too: the first of the
        // configurations tells them apart.
        var headers = headers(type: reloadType, time: notification.issuedAt, subject: notification.recipient) { id in
            id.append(contentsOf: notification.recipient.utf8)
            Self.append(notification.kind, to: &id)
            Self.append(notification.configurationIds[0], to: &id)
            Self.append(number: notification.revision.rawValue, to: &id)
        }
        headers.append(contentType)
        if let traceParent { headers.append(Self.traceParent(traceParent)) }
        return headers
    }

    /// The headers of a reader's merged position.
    ///
    /// - Parameters:
    ///   - key: the record's key.
    ///   - revision: tells the records of one instant apart; `nil` means a tombstone: no value, so no content type.
    ///   - traceParent: the `traceparent` of the input that led to it.
    package func mergedPosition(
        key: String, revision: UInt64?, at time: Instant, traceParent: [UInt8]? = nil
    ) -> [MessageHeader] {
        var headers = headers(type: positionsType, time: time, subject: key) { id in
            id.append(contentsOf: "\(key)/\(revision.map(String.init) ?? "deleted")".utf8)
        }
        if revision != nil { headers.append(contentType) }
        if let traceParent { headers.append(Self.traceParent(traceParent)) }
        return headers
    }

    /// The sinks that a timeline's headers name; `nil` means all sinks.
    package static func sinks(in headers: some Sequence<MessageHeader>) -> [String]? {
        guard let value = headers.first(where: { $0.name == sinksName })?.value else { return nil }
        return String(decoding: value, as: UTF8.self).split(separator: ",").map(String.init)
    }

    private static func append(_ part: String, to id: inout [UInt8]) {
        id.append(UInt8(ascii: "/"))
        id.append(contentsOf: part.utf8)
    }

    private static func append(number: Int64, to id: inout [UInt8]) { append(String(number), to: &id) }

    /// - Parameter writeId: writes the event's id, without the time that makes it unique.
    private func headers(
        type: MessageHeader, time: Instant, subject: String, writeId: (inout [UInt8]) -> Void
    ) -> [MessageHeader] {
        let timeText = time.text
        var eventId: [UInt8] = []
        eventId.reserveCapacity(2 * subject.utf8.count + timeText.count + 64)
        writeId(&eventId)
        eventId.append(UInt8(ascii: "/"))
        eventId.append(contentsOf: timeText)
        var headers: [MessageHeader] = []
        headers.reserveCapacity(9)
        headers.append(specVersion)
        headers.append(MessageHeader(name: "ce_id", value: eventId))
        headers.append(type)
        headers.append(source)
        headers.append(MessageHeader(name: "ce_time", value: timeText))
        headers.append(MessageHeader("ce_subject", subject))
        return headers
    }

    private static func sinks(_ names: [String]) -> MessageHeader {
        MessageHeader(sinksName, names.joined(separator: ","))
    }

    private static func traceParent(_ value: [UInt8]) -> MessageHeader {
        MessageHeader(name: traceParentName, value: value)
    }
}

/// The headers of a dead letter, beside the record's own key, value and headers. Their names are those of Kafka Streams
/// (KIP-1034).
package enum DeadLetterHeaders {
    /// The headers to add after those that the record came with.
    ///
    /// - Parameter size: the length in bytes of a value that was too large to be kept; `nil` if the dead letter has the
    ///   value.
    package static func headers(
        for problem: MessageProblem, topic: String, partition: Int32, offset: Int64, size: Int? = nil
    ) -> [MessageHeader] {
        var headers = [
            MessageHeader(exceptionName, "\(exceptionPrefix)\(problem.kind.rawValue)"),
            MessageHeader(messageName, problem.description),
            MessageHeader(topicName, topic),
            MessageHeader(partitionName, String(partition)),
            MessageHeader(offsetName, String(offset)),
        ]
        if let size { headers.append(MessageHeader(sizeName, String(size))) }
        return headers
    }

    package static let exceptionName = "__streams.errors.exception"
    /// What stands before the kind of the problem in the exception's header.
    package static let exceptionPrefix = "MessageProblem."
    package static let messageName = "__streams.errors.message"
    package static let topicName = "__streams.errors.topic"
    package static let partitionName = "__streams.errors.partition"
    package static let offsetName = "__streams.errors.offset"

    /// The header of a record that was put back where it came from: the partition and offset of its dead letter.
    package static let replayName = "tideline_replay"

    /// The header with the length in bytes of a value that the dead letter does not have.
    package static let sizeName = "tideline.value-size"
}
