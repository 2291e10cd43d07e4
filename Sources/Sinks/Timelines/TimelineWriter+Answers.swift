import RecordLog
import Tracing

/// The answers of a sink, their spans, and the positions behind them.
extension TimelineWriter {
    /// The positions once everything that was read is written, but for removals that wait for the end.
    var reached: [Partition: SinkPosition] {
        var positions: [Partition: SinkPosition] = [:]
        for (partition, next) in state.next {
            let position = SinkPosition(
                next: next, cluster: state.cluster, before: state.before[partition] ?? kept[partition]?.before,
                choice: settings.choice?.digest)
            positions[partition] = presence.kept(position, in: partition)
        }
        return positions
    }

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

    /// A record after the other, each repeated by itself; the positions when all are durable.
    func writeOneByOne() throws(SinkRunError) -> Bool {
        // Should this be interrupted, the next run has to know how far a later record may have been written.
        if batch.isConflated {
            // Where a removal waits much lies between, and the stamps of what is there tell what is newer.
            let begun = state.next.map { partition, next in
                let kept = kept[partition]
                return (
                    partition,
                    SinkPosition(
                        next: kept?.next ?? Offset(0), begun: presence.holds(partition) ? nil : next,
                        cluster: state.cluster, before: kept?.before, choice: settings.choice?.digest)
                )
            }
            guard try keep(Dictionary(uniqueKeysWithValues: begun)) else { return false }
        }
        var (records, answered, round) = (batch.records, 0, 0)
        while !records.isEmpty {
            guard let answers = try answersOneByOne(to: records) else { return false }
            answered += answers.count
            round += 1
            records = leaveOut(records, answers, round: round)
        }
        guard try whenAvailable({ () throws(SinkError) in try sink.flush() }) != nil else { return false }
        summary.superseded += batch.read - answered
        batch.removeAll()
        return try keep(reached)
    }

    /// Writes records one after the other, each repeated by itself while the sink is unavailable.
    ///
    /// - Returns: `nil` if it was stopped before all of them were answered.
    func answersOneByOne(to records: [SinkRecord]) throws(SinkRunError) -> [SinkAnswer]? {
        let prepared: Void? = try whenAvailable { () throws(SinkError) in try sink.prepare(records) }
        guard prepared != nil else { return nil }
        var answers: [SinkAnswer] = []
        for record in records {
            let answer = try traced(record) { () throws(SinkRunError) in
                try whenAvailable { () throws(SinkError) in try self.answer(to: record) }
            }
            guard let answer else { return nil }
            count(answer, of: record)
            answers.append(answer)
        }
        return answers
    }

    /// Sets aside those of the batch's records that the sink does not take.
    ///
    /// - Parameter round: how often records of the batch were handed over, this time included.
    /// - Returns: the records that are to be written in their place.
    func leaveOut(_ records: [SinkRecord], _ answers: [SinkAnswer], round: Int) -> [SinkRecord] {
        var leftOut: [SinkRecord] = []
        for (record, answer) in zip(records, answers) {
            guard case .leftOut(let bad) = answer else { continue }
            leaveOut(record, bad)
            leftOut.append(record)
        }
        return batch.predecessors(of: leftOut, round: round)
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
