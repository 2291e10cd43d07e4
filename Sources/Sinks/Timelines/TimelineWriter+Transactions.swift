import RecordLog
import Tracing

/// Batches in transactions of a sink: the last one may be sent and not answered while the next one is read.
extension TimelineWriter {
    /// The records and the positions in one transaction, which is repeated as a whole: together with the one before, if
    /// that turns out not to be written.
    ///
    /// A repetition is waited for, so that nothing is read while a target refuses what it is sent. So is the one
    /// before, if there are no records.
    func writeAtOnce() throws(SinkRunError) -> Bool {
        var waits = batch.isEmpty
        let isDone: Void? = try whenAvailable { () throws(SinkError) in
            do throws(SinkError) {
                if !batch.isEmpty { try commit() }
                if waits {
                    try deferring?.settle()
                    answered()
                }
            } catch {
                waits = true
                if let sent { batch.precede(with: sent.batch) }
                sent = nil
                sink.rollBack()
                // Spans say what counts: of this attempt nothing does.
                trace?.end(failure: (type: "unavailable", message: error.description))
                throw error
            }
        }
        return isDone != nil
    }

    /// The sink, if it answers a commit later. Spans tell what became of a record, so whoever traces waits for that.
    private var deferring: (any DeferredCommitSink)? { trace == nil ? sink as? any DeferredCommitSink : nil }

    private func commit() throws(SinkError) {
        var records: [SinkRecord] = []
        var answers: [SinkAnswer] = []
        var (next, round) = (batch.records, 0)
        while !next.isEmpty {
            // However many versions of a configuration are not taken, the target is asked twice.
            try sink.prepare(round == 1 ? batch.chains(of: next) : next)
            answered()
            let more = try self.answers(to: next)
            records += next
            answers += more
            round += 1
            next = leaveOut(next, more, round: round)
        }
        let positions = reached
        try sink.flush()
        try letters.send()
        let began = trace?.now()
        if let deferring {
            try deferring.commit(positions, of: settings.reading.topic)
        } else {
            try sink.keep(positions, of: settings.reading.topic)
        }
        if let trace, let began { trace.step("commit", type: "settle", .client, since: began) }
        sent = SentBatch(batch: batch, records: records, answers: answers, positions: positions)
        batch.removeAll()
        if deferring == nil { answered() }
    }

    /// The batch that was sent is written.
    private func answered() {
        guard let sent else { return }
        for (record, answer) in zip(sent.records, sent.answers) { count(answer, of: record) }
        summary.superseded += sent.batch.read - sent.records.count
        settled(at: sent.positions)
        self.sent = nil
    }
}
