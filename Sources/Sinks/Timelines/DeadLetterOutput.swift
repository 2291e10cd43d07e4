import Messages
import RecordLog

/// Sets records aside that a target cannot take: each goes to the topic of dead letters with its key, value and
/// headers, and the reason in headers after them.
///
/// A record that is met again while its position is not kept, such as after a failed commit, is not sent again by the
/// same run; another run may send it again. One thread owns it.
final class DeadLetterOutput {
    private struct Place: Hashable {
        var partition: TopicPartition
        var offset: Offset
    }

    private struct Letter {
        var record: Record
        var problem: MessageProblem
        /// True if the topic does not take its value.
        var isSpared = false

        var place: Place { Place(partition: TopicPartition(record.topic, record.partition), offset: record.offset) }
    }

    private let topic: String?
    private let context: SinkContext<SinkNotice>
    private var producer: (any PlainProducer)?
    private var waiting: [Letter] = []
    private var sent: Set<Place> = []

    /// True if nothing waits to be sent.
    var isEmpty: Bool { waiting.isEmpty }

    /// - Parameter topic: `nil` sends nothing.
    init(topic: String?, _ context: SinkContext<SinkNotice>) {
        self.topic = topic
        self.context = context
    }

    /// - Returns: false if it was added before, and its position is not kept yet.
    func add(_ record: Record, reason: String) -> Bool {
        let letter = Letter(record: record, problem: MessageProblem(.notAllowed, reason))
        let isKnown = sent.contains(letter.place) || waiting.contains { $0.place == letter.place }
        if !isKnown { waiting.append(letter) }
        return !isKnown
    }

    /// Writes what was added. Returns once the brokers have acknowledged it.
    ///
    /// - Throws: `unavailable` if they did not within a moment: ask again. `refused` if they will not.
    func send() throws(SinkError) {
        if let topic, !waiting.isEmpty { try send(to: topic) }
        sent.formUnion(waiting.map(\.place))
        waiting.removeAll()
    }

    private func send(to topic: String) throws(SinkError) {
        do throws(LogError) {
            let producer = try opened()
            for letter in waiting { try write(letter, to: topic, with: producer) }
            try producer.flush(timeout: context.reading.requestTimeout)
        } catch {
            // It keeps what it failed with.
            close()
            throw failure(error, at: topic)
        }
    }

    /// The positions behind everything that was sent are kept.
    func settle() { sent.removeAll() }

    func close() {
        producer?.close()
        producer = nil
    }

    private func opened() throws(LogError) -> any PlainProducer {
        if let producer { return producer }
        let producer = try context.cluster.makePlainProducer(clientId: context.reading.clientId)
        self.producer = producer
        return producer
    }

    private func write(_ letter: Letter, to topic: String, with producer: any PlainProducer) throws(LogError) {
        let (record, size) = (letter.record, letter.record.value?.count ?? 0)
        let reasons = DeadLetterHeaders.headers(
            for: letter.problem, topic: record.topic, partition: record.partition.rawValue,
            offset: record.offset.rawValue, size: letter.isSpared ? size : nil)
        let headers = record.headers + reasons.map { Header($0.name, $0.value) }
        try withBytes(record.key) { (key) throws(LogError) in
            try withBytes(letter.isSpared ? nil : record.value) { (value) throws(LogError) in
                try producer.produce(topic: topic, partition: nil, key: key, value: value, headers: headers)
            }
        }
    }

    private func failure(_ error: LogError, at topic: String) -> SinkError {
        var fault = SinkFault(place: topic, operation: "write a dead letter to", reason: error.description)
        guard error.code == .recordTooLarge else {
            if error.lasts { return .refused(fault) }
            // The target has nothing to do with it.
            fault.brokers = LogError(
                error.code, name: error.name, "cannot write a dead letter to \(topic): \(error.message)",
                isRetriable: true)
            return .unavailable(fault)
        }
        // The next attempt leaves out the values of all that are as large.
        let least = error.record?.bytes ?? 0
        var isSpared = false
        for index in waiting.indices where !waiting[index].isSpared && waiting[index].record.byteCount >= least {
            waiting[index].isSpared = true
            isSpared = true
        }
        return isSpared ? .unavailable(fault) : .refused(fault)
    }
}
