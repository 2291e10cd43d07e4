import Messages
import RecordLog
import StreamCore
import Timelines

/// Room for a dead letter's reason, its origin and what a record has around it.
private let reasonBytesMax = 4096
/// A longer key of a record that cannot be read is no name.
private let markedIdBytesMax = 4096
/// W3C's `traceparent` has 55 bytes today.
private let traceParentBytesMax = 256

extension TaskContext {
    /// Sends a record that cannot be used to the dead letters, in the same transaction: key, value and headers as they
    /// came, the reason in headers after them. One that would not fit loses its value (R11).
    func deadLetter(_ record: InputRecord, _ problem: MessageProblem, _ settings: PipelineSettings) {
        let topic = topology.sources[Int(record.origin.source)].topic
        let problem = problem.shortened
        noteDeadLetter(record, reason: problem.description)
        traceFailure(type: problem.kind.rawValue, problem.description)
        counters.add(1, to: DeadLetterCounts.name, topic, problem.kind.rawValue)
        let original = headers(of: record)
        let size = record.value?.count ?? 0
        let keySize = record.key?.count ?? 0
        let headersSize = original.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.count ?? 0) + 8 }
        let room = settings.deadLetterBytesMax - reasonBytesMax
        let isTooLarge = size + keySize + headersSize > room
        let reasons = DeadLetterHeaders.headers(
            for: problem, topic: topic, partition: record.origin.partition.rawValue,
            offset: record.origin.offset.rawValue,
            size: isTooLarge ? size : nil)
        // The origin is what counts: headers and key go, too, where they alone are too much.
        let kept = keySize + headersSize > room ? [] : original
        let value = isTooLarge ? UnsafeRawBufferPointer(start: nil, count: 0) : record.value
        emit(
            .deadLetters, key: keySize > room ? nil : record.key, value: value,
            headers: kept + reasons.map { Header($0) })
    }

    /// Notes at the task of a vehicle or a calendar that its newest record could not be read: calls `body` where this
    /// task owns it, else sends word in the same transaction. The record itself stays here: it may be too large to be
    /// sent on.
    func noteUnreadable(
        _ id: String, at node: NodeName<SourceMessage>, _ body: (UnsafeRawBufferPointer, UInt32) -> Void
    ) {
        guard !id.isEmpty, id.utf8.count <= markedIdBytesMax else { return }
        var name = id
        let isOwned = name.withUTF8 { utf8 in
            let entity = UnsafeRawBufferPointer(utf8)
            let hash = Murmur2.hash(entity)
            guard owner(of: hash) == partition else { return false }
            body(entity, hash)
            return true
        }
        if !isOwned { send(SourceMessage.unreadable, to: id, at: node) }
    }

    /// The trace that a record belongs to, for the outputs that follow from it. What is too long is none.
    func traceParent(of record: InputRecord) -> [UInt8]? {
        if let own = tracedParent { return own }
        let trace = headers(of: record).first { $0.name == CloudEventHeaders.traceParentName }?.value
        return trace.flatMap { $0.count <= traceParentBytesMax ? $0 : nil }
    }
}

extension MessageProblem {
    /// A field's path and a message may quote what was sent, however long that is.
    fileprivate var shortened: MessageProblem {
        func shortened(_ text: String) -> String { text.utf8.count <= 1000 ? text : "\(text.prefix(bytes: 960))…" }
        return MessageProblem(kind, field: field.map(shortened), shortened(message))
    }
}

extension Header {
    init(_ header: MessageHeader) {
        self.init(header.name, header.value)
    }
}
