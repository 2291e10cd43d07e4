import RecordLog

extension SinkContext where Notice: SinkRunNotice {
    /// Repeats what a run that goes on cannot do without, for as long as the brokers are away, ever slower. It tells
    /// the first failure, each of another kind, and when it is over.
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
        var told: LogError.Code?
        var pause = Self.firstPause
        while true {
            do throws(LogError) {
                let answer = try request()
                if told != nil, answer != nil { notice(.brokersBack(after: clock.now - begin)) }
                return answer
            } catch {
                guard error.isRetriable || error.code == .unknownTopicOrPartition else { throw error }
                // Brokers that are away have several words for that, by turns.
                let isNews = (told == .unknownTopicOrPartition) != (error.code == .unknownTopicOrPartition)
                if told == nil || isNews { notice(.awaiting(error)) }
                told = error.code
            }
            guard sleep(pause) else { return nil }
            pause = min(pause * 2, Self.longestPause)
        }
    }

    private static var firstPause: Duration { .milliseconds(100) }
    /// A topic that is made again is read so soon after that.
    private static var longestPause: Duration { .seconds(5) }

    /// Waits, while a stop is seen and progress told.
    ///
    /// - Returns: false if it was stopped first.
    private func sleep(_ duration: Duration) -> Bool {
        let end = clock.now + duration
        repeat {
            if shouldStop() { return false }
            waiting.call()
            clock.wait(for: .milliseconds(100))
        } while clock.now < end
        return true
    }
}
