package import Messages
package import RecordLog

/// A record of the topic of dead letters: what came, where it came from, and why it was set aside (M10).
package struct DeadLetter: Hashable, Sendable {
    package let record: Record
    /// The kind of the problem, such as `unreadable`; `unknown` if the headers name none.
    package let reason: String
    /// The problem in words, secrets masked.
    package let message: String
    /// The place of the record that was set aside; `nil` if the headers do not name it.
    package let origin: SourceOffset?
    /// The length in bytes of a value that was too large to be kept; `nil` if the dead letter has the value.
    package let lostBytes: Int?
    /// The headers that the record came with.
    package let originalHeaders: [Header]

    package static let unknownReason = "unknown"

    package init(_ record: Record) {
        self.record = record
        // What the record came with may name another problem, of another system: the last one is ours.
        let begin = record.headers.lastIndex { $0.name == DeadLetterHeaders.exceptionName } ?? record.headers.endIndex
        originalHeaders = Array(record.headers[..<begin])
        let added = record.headers[begin...]
        func text(_ name: String) -> String? {
            added.first { $0.name == name }?.value.flatMap { String(validating: $0, as: UTF8.self) }
        }
        let exception = text(DeadLetterHeaders.exceptionName) ?? Self.unknownReason
        let prefix = DeadLetterHeaders.exceptionPrefix
        reason = exception.hasPrefix(prefix) ? String(exception.dropFirst(prefix.count)) : exception
        message = SecretMask.masked(text: text(DeadLetterHeaders.messageName) ?? "")
        lostBytes = text(DeadLetterHeaders.sizeName).flatMap { Int($0) }
        if let topic = text(DeadLetterHeaders.topicName),
            let partition = text(DeadLetterHeaders.partitionName).flatMap({ Int32($0) }),
            let offset = text(DeadLetterHeaders.offsetName).flatMap({ Int64($0) })
        {
            origin = SourceOffset(topic: topic, partition: partition, offset: offset)
        } else {
            origin = nil
        }
    }

    /// The name by which the verbs know the dead letter.
    package var id: DeadLetterId { DeadLetterId(partition: record.partition, offset: record.offset) }

    /// The key as text; a key that is not UTF-8 has replacement characters.
    package var keyText: String? { record.key.map { String(decoding: $0, as: UTF8.self) } }

    /// Why the record cannot be put back where it came from; `nil` means that it can.
    package var hindrance: String? {
        if origin == nil { return "its headers do not say where it came from" }
        return lostBytes.map { "its value of \($0) bytes was too large to be kept" }
    }

    /// The headers of the record when it is put back: those that it came with, and the name of the dead letter.
    package var replayHeaders: [Header] {
        originalHeaders.filter { $0.name != DeadLetterHeaders.replayName }
            + [Header(DeadLetterHeaders.replayName, id.text)]
    }

    /// The dead letter as a row of a list.
    package func row(_ state: OperationMarks.State) -> InspectedRow {
        var row = InspectedRow()
        row.add("id", id.text)
        row.add("at", record.timestamp == .noTimestamp ? nil : record.timestamp)
        row.add("reason", reason)
        row.add("message", message)
        row.add("from", origin?.text)
        row.add("key", keyText)
        row.add("bytes", lostBytes ?? record.value?.count)
        row.add("state", state.name)
        return row
    }
}

/// The partition and offset of a dead letter: `2/17`.
package struct DeadLetterId: Hashable, Comparable, Sendable {
    package var partition: Partition
    package var offset: Offset

    package init(partition: Partition, offset: Offset) {
        self.partition = partition
        self.offset = offset
    }

    /// - Returns: `nil` if the text is no `PARTITION/OFFSET`.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let partition = Int32(parts[0]), let offset = Int64(parts[1]), partition >= 0,
            offset >= 0
        else { return nil }
        self.init(partition: Partition(partition), offset: Offset(offset))
    }

    package var text: String { "\(partition)/\(offset)" }

    package static func < (left: Self, right: Self) -> Bool {
        (left.partition, left.offset) < (right.partition, right.offset)
    }
}
