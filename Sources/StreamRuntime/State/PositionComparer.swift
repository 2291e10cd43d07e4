import RecordLog
import StreamCore

/// Compares the record before a position with the one that the topic has at its place now, so that a topic that was
/// deleted and made again, or another cluster's, is noticed (R18).
///
/// It has a consumer of its own and never waits: questions are asked, and `poll` brings the answers when they have
/// come. Owned by the stream's thread.
final class PositionComparer {
    private let consumer: any Consumer
    private var questions: [TopicPartition: Question] = [:]

    private struct Question {
        var known: Fingerprint
        var askedAt: Duration
    }

    enum Answer: Hashable {
        case same
        case other(found: Fingerprint)
        /// The record was removed since, or compacted away.
        case gone
        /// Nobody answered in time.
        case unanswered
    }

    /// After so long without an answer reading goes on: there is none where a broker is away, or another holds it up.
    static let patience: Duration = .seconds(30)

    init(_ cluster: any Cluster, clientId: String) throws(LogError) {
        // The record was committed when it was read: nothing that is open now says anything about it.
        consumer = try cluster.makeConsumer(group: nil, isolation: .readUncommitted, clientId: clientId)
    }

    func close() { consumer.close() }

    func isAsked(_ place: TopicPartition) -> Bool { questions[place] != nil }

    /// Asks in one go. What is asked already is not asked again.
    func ask(_ places: [(TopicPartition, Fingerprint)], now: Duration) throws(LogError) {
        let new = places.filter { questions[$0.0] == nil }
        if new.isEmpty { return }
        try consumer.incrementalAssign(new.map { ($0.0, .at($0.1.offset)) })
        for (place, known) in new { questions[place] = Question(known: known, askedAt: now) }
    }

    /// Takes back what was asked of these.
    func forget(_ places: [TopicPartition]) throws(LogError) {
        let asked = places.filter { questions[$0] != nil }
        if asked.isEmpty { return }
        for place in asked { questions[place] = nil }
        try consumer.incrementalUnassign(asked)
    }

    /// - Returns: the answers that have come, each once, ascending by partition.
    func poll(now: Duration) throws(LogError) -> (answers: [(TopicPartition, Answer)], failures: [LogError]) {
        if questions.isEmpty { return ([], []) }
        let batch = consumer.poll(maximum: 1000, timeout: .zero)
        var answers: [TopicPartition: Answer] = [:]
        for record in batch.records {
            let place = TopicPartition(consumer.topics[Int(record.topic)], record.partition)
            guard let question = questions[place], answers[place] == nil else { continue }
            if record.offset < question.known.offset { continue }
            guard record.offset == question.known.offset else {
                answers[place] = .gone
                continue
            }
            let found = Fingerprint(record)
            answers[place] = found == question.known ? .same : .other(found: found)
        }
        for end in batch.ends {
            let place = TopicPartition(consumer.topics[Int(end.topic)], end.partition)
            if questions[place] != nil && answers[place] == nil { answers[place] = .gone }
        }
        for (place, question) in questions where answers[place] == nil && now - question.askedAt > Self.patience {
            answers[place] = .unanswered
        }
        let answered = answers.sorted { $0.key < $1.key }
        try forget(answered.map(\.key))
        return (answered.map { ($0.key, $0.value) }, batch.failures)
    }
}
