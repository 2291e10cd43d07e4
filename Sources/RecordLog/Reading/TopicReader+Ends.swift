/// Reading up to an end.
extension TopicReader {
    /// True if everything before the ends was read.
    package func hasReached(_ ends: [Partition: Offset]) -> Bool {
        ends.allSatisfy { partition, end in next[partition].map { $0 >= end } ?? false }
    }

    /// Reads until every partition has reached its end.
    ///
    /// - Parameters:
    ///   - patience: the reading fails when no position has moved for so long, unless a transaction that kept the end
    ///     back was ended meanwhile, and when it is `notAuthorised`; `nil` waits for as long as an outage lasts.
    ///   - failed: called with each failure that is not fatal.
    ///   - progress: called after every poll with the number of records read.
    ///   - each: called with each record.
    /// - Returns: false if it was stopped first, which is asked before every poll.
    /// - Throws: the failure that ends the reading; when the patience is over the latest one, or `timedOut`.
    package func read(
        to ends: [Partition: Offset], maximum: Int, timeout: Duration, patience: Duration? = nil,
        failed: (LogError) -> Void, progress: (_ records: Int) -> Void = { _ in },
        each: (_ view: RecordView, _ batch: borrowing ConsumedBatch) -> Void
    ) throws(LogError) -> Bool {
        var (latest, refusal): (LogError?, LogError?)
        var records = 0
        var moved = requests.clock.now
        var committed: [Partition: Offset] = [:]
        while !hasReached(ends) {
            if requests.shouldStop() { return false }
            let before = next
            records += try poll(
                maximum: maximum, timeout: timeout,
                failed: { failure in
                    latest = failure
                    if failure.code == .notAuthorised { refusal = failure }
                    failed(failure)
                }, each: each)
            progress(records)
            if next != before { moved = requests.clock.now }
            guard let patience else { continue }
            if let refusal { throw refusal }
            guard requests.clock.now - moved >= patience, !hasReached(ends) else { continue }
            if let latest { throw latest }
            // Whoever kept the end back may have been ended just now: then what lies behind comes.
            let known = committed
            committed = try self.ends(.readCommitted)
            guard committed != known, !hasReached(committed) else {
                throw LogError(.timedOut, name: "_TIMED_OUT", "the end of \(topic) does not come")
            }
            moved = requests.clock.now
        }
        return true
    }
}
