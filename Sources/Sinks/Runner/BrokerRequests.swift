import RecordLog

/// Requests to the brokers that may be repeated. Each attempt is short, so that whoever stops the run, and whoever
/// looks at its health, waits for seconds alone while the brokers are away. Owned by the run's thread.
struct BrokerRequests {
    /// How long one attempt may take. A request may be two of them within.
    let attempt: Duration
    /// How long a request that has to succeed is repeated.
    let patience: Duration
    let clock: any SinkClock
    let shouldStop: () -> Bool

    /// Repeats the request while it fails for now.
    ///
    /// - Throws: the latest failure, when it does not pass by itself, the patience is over, or the run is to stop: then
    ///   `shouldStop` says so.
    func persistently<Answer>(
        _ request: (_ timeout: Duration) throws(LogError) -> Answer
    ) throws(LogError) -> Answer {
        let end = clock.now + patience
        while true {
            do throws(LogError) {
                return try request(attempt)
            } catch {
                guard error.isRetriable, clock.now < end, !shouldStop() else { throw error }
            }
            clock.wait(for: .milliseconds(100))
        }
    }
}
