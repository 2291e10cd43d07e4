package import RecordLog

/// A transactional sink that sends a commit and takes its answer later: the target commits while the next batch is
/// read.
///
/// Until the answer has come nobody knows of the batch whether it is written. It counts as written once `prepare` or
/// `settle` has returned. If one of them fails, or anything before that, the batch is written again together with what
/// follows it: what turns out to be there by then is `unchanged`.
package protocol DeferredCommitSink: TimelineSink {
    /// Sends what was written and the positions as one transaction. Called when the commit before is answered.
    func commit(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError)

    /// Waits for the answer to the last `commit`; returns at once if there is none to wait for. `prepare` does so, too.
    func settle() throws(SinkError)
}

extension DeferredCommitSink {
    package var isTransactional: Bool { true }

    package func keep(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError) {
        try commit(positions, of: topic)
        try settle()
    }
}
