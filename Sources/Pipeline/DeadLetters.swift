import Messages
import RecordLog
import StreamCore
import Timelines

extension TaskContext {
    /// Sends a record that cannot be used to the dead letters, in the same transaction: key, value and headers as they
    /// came, the reason in headers after them. One that would not fit loses its value (DESIGN.md 2, rule 11).
    func deadLetter(_ record: InputRecord, _ problem: MessageProblem, _ settings: PipelineSettings) {
        let topic = topology.sources[Int(record.origin.source)].topic
        let original = headers(of: record)
        let size = record.value?.count ?? 0
        let carried = size + (record.key?.count ?? 0) + original.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.count ?? 0) }
        let isTooLarge = carried + 2048 > settings.deadLetterBytesMax
        let reasons = DeadLetterHeaders.headers(
            for: problem, topic: topic, partition: record.origin.partition, offset: record.origin.offset,
            size: isTooLarge ? size : nil)
        let headers = original + reasons.map { Header($0) }
        let value = isTooLarge ? UnsafeRawBufferPointer(start: nil, count: 0) : record.value
        emit(Output.deadLetters, key: record.key, value: value, headers: headers)
    }

    /// The trace that a record belongs to, for the outputs that follow from it.
    func traceParent(of record: InputRecord) -> [UInt8]? {
        headers(of: record).first { $0.name == CloudEventHeaders.traceParentName }?.value
    }

    var instant: Instant { Instant(milliseconds: now) }
}

extension PipelineSettings {
    func tooLarge(_ size: Int) -> MessageProblem {
        MessageProblem(.tooLarge, "the value has \(size) bytes, at most \(recordBytesMax) are read")
    }
}

extension Header {
    init(_ header: MessageHeader) {
        self.init(header.name, header.value)
    }
}
