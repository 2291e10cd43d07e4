package import RecordLog

/// Requests to a target that are repeated while it is unavailable. One thread owns it.
package struct HeldRequests {
    private let delay: Duration
    private let delayMax: Duration
    private let clock: any BlockingClock
    private let shouldStop: () -> Bool
    private let notice: (SinkNotice) -> Void
    private let waiting: WaitingHook

    /// - Parameters:
    ///   - shouldStop: asked at least ten times a second while the target is waited for.
    ///   - notice: called with each failure, and when the target is there again.
    package init(
        _ settings: SinkSettings, clock: any BlockingClock, shouldStop: @escaping () -> Bool,
        notice: @escaping (SinkNotice) -> Void
    ) {
        delay = settings.retryDelay
        delayMax = settings.retryDelayMax
        self.clock = clock
        self.shouldStop = shouldStop
        self.notice = notice
        waiting = WaitingHook()
    }

    init(_ settings: SinkSettings, _ context: SinkContext<SinkNotice>) {
        delay = settings.retryDelay
        delayMax = settings.retryDelayMax
        clock = context.clock
        shouldStop = context.shouldStop
        notice = context.notice
        waiting = context.waiting
    }

    /// Since when something is waited for in a request.
    private struct Obstacles {
        var target: Duration?
        /// The brokers of the topic that is read, which take the dead letters.
        var brokers: Duration?
    }

    /// Repeats a request while the target is unavailable, ever slower, for as long as that lasts; at once if the target
    /// has refused one record of several. Brokers that do not take dead letters are waited for in the same way, and
    /// told once.
    ///
    /// - Returns: `nil` if it was stopped before the target answered.
    package func repeatedly<Answer>(_ request: () throws(SinkError) -> Answer) throws(SinkError) -> Answer? {
        var delay = delay
        var obstacles = Obstacles()
        while true {
            do throws(SinkError) {
                let answer = try request()
                tellEnd(of: obstacles)
                return answer
            } catch {
                if case .recordRefused = error {
                    if shouldStop() { return nil }
                    continue
                }
                guard error.isRetriable else {
                    // It is there again, and says what it holds.
                    if case .setBack = error { tellEnd(of: obstacles) }
                    throw error
                }
                tell(error, retryIn: delay, &obstacles)
            }
            let end = clock.now + delay
            while clock.now < end {
                if shouldStop() { return nil }
                waiting.call()
                clock.wait(for: min(end - clock.now, .milliseconds(100)))
            }
            delay = min(delay * 2, delayMax)
        }
    }

    private func tell(_ error: SinkError, retryIn delay: Duration, _ obstacles: inout Obstacles) {
        guard let cause = error.ofBrokers else {
            obstacles.target = obstacles.target ?? clock.now
            return notice(.holding(error, retryIn: delay))
        }
        guard obstacles.brokers == nil else { return }
        obstacles.brokers = clock.now
        notice(.awaiting(cause))
    }

    private func tellEnd(of obstacles: Obstacles) {
        if let since = obstacles.target { notice(.resumed(after: clock.now - since)) }
        if let since = obstacles.brokers { notice(.brokersBack(after: clock.now - since)) }
    }
}
