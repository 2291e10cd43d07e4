/// A clock by which a thread waits. It only goes forward, from any zero. The waiting thread owns it.
package protocol BlockingClock: AnyObject {
    var now: Duration { get }
    /// Returns once `now` has risen by at least `duration`.
    func wait(for duration: Duration)
}

/// Requests to the brokers that may be repeated. Each attempt is short, so that a stop is seen, and health is told,
/// every few seconds while the brokers are away. Blocks; one thread owns it.
package struct PatientRequests {
    /// The time-out of one attempt. An implementation may need two exchanges with the brokers for one request.
    package let attempt: Duration
    /// How long a request that has to succeed is repeated.
    package let patience: Duration
    package let clock: any BlockingClock
    /// Asked after every attempt that failed.
    package let shouldStop: () -> Bool

    package init(
        attempt: Duration = .seconds(5), patience: Duration = .seconds(30), clock: any BlockingClock,
        shouldStop: @escaping () -> Bool
    ) {
        self.attempt = attempt
        self.patience = patience
        self.clock = clock
        self.shouldStop = shouldStop
    }

    /// Repeats the request while its failure is retriable.
    ///
    /// - Returns: the answer; `nil` if it was stopped first.
    /// - Throws: a failure that does not pass by itself at once, and the latest failure when the patience is over.
    package func persistently<Answer>(
        _ request: (_ timeout: Duration) throws(LogError) -> Answer
    ) throws(LogError) -> Answer? {
        let end = clock.now + patience
        while true {
            do throws(LogError) {
                return try request(attempt)
            } catch {
                guard error.isRetriable else { throw error }
                if shouldStop() { return nil }
                guard clock.now < end else { throw error }
            }
            clock.wait(for: .milliseconds(100))
        }
    }

    /// Looks up topics that should exist. For a moment after a topic was made, some brokers do not know it yet: so
    /// topics that are missing are looked up again for `grace`.
    ///
    /// - Parameters:
    ///   - lookUp: asks for all of them once, with `persistently`.
    ///   - missing: called once, when topics are looked up again, with their names.
    /// - Returns: the topics that exist, by name; `nil` if it was stopped first.
    package func existing<Failure: Error>(
        _ names: [String], grace: Duration = .seconds(5),
        missing: (_ names: [String]) -> Void = { _ in },
        lookUp: () throws(Failure) -> [String: TopicDescription]?
    ) throws(Failure) -> [String: TopicDescription]? {
        let end = clock.now + grace
        var isFirst = true
        while let found = try lookUp() {
            let absent = names.filter { found[$0] == nil }
            if absent.isEmpty || clock.now >= end { return found }
            if isFirst { missing(absent) }
            isFirst = false
            if shouldStop() { return nil }
            clock.wait(for: .milliseconds(100))
        }
        return nil
    }
}
