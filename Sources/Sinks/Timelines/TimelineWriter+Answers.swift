import Tracing

/// The answers of a sink, and their spans.
extension TimelineWriter {
    /// Writes records to a transactional sink.
    func answers(to records: [SinkRecord]) throws(SinkError) -> [SinkAnswer] {
        guard let sink = sink as? any BatchSink else {
            var answers: [SinkAnswer] = []
            for record in records {
                answers.append(try traced(record) { () throws(SinkError) in try answer(to: record) })
            }
            return answers
        }
        let answers = try sink.write(records)
        if trace != nil {
            for (record, answer) in zip(records, answers) { traced(record) { note(answer) } }
        }
        return answers
    }

    func answer(to record: SinkRecord) throws(SinkError) -> SinkAnswer {
        let answer: SinkAnswer
        do throws(SinkError) {
            answer = .done(try sink.write(record))
        } catch .unusable(let bad) {
            answer = .leftOut(bad)
        }
        note(answer)
        return answer
    }

    private func note(_ answer: SinkAnswer) {
        if case .done(let outcome) = answer {
            trace?.note(outcome: "\(outcome)")
        } else {
            trace?.note(outcome: "unusable")
        }
    }

    func traced<Failure: Error, Answer>(
        _ record: SinkRecord, _ body: () throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        guard let trace else { return try body() }
        return try trace.process(of: record, body)
    }
}
