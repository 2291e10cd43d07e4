import RecordLog

extension SinkContext where Notice: SinkRunNotice {
    /// Repeats what a run that goes on cannot do without, for as long as the brokers are away. It tells the first
    /// failure, and when it is over.
    ///
    /// A topic that is missing is waited for as well: while the run reads, that does not end it either.
    ///
    /// - Parameter request: returns `nil` if it was stopped first.
    /// - Returns: the answer; `nil` if it was stopped first.
    /// - Throws: a failure that does not pass by itself.
    func outlasting<Answer>(
        _ request: () throws(LogError) -> Answer?
    ) throws(LogError) -> Answer? {
        let begin = clock.now
        var isTold = false
        while true {
            do throws(LogError) {
                let answer = try request()
                if isTold, answer != nil { notice(.brokersBack(after: clock.now - begin)) }
                return answer
            } catch {
                guard error.isRetriable || error.code == .unknownTopicOrPartition else { throw error }
                if !isTold { notice(.log(error)) }
                isTold = true
                if shouldStop() { return nil }
                waiting.call()
            }
            clock.wait(for: .milliseconds(100))
        }
    }
}
