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

    /// Repeats a request while the target is unavailable, ever slower, for as long as that lasts; at once if the target
    /// has refused one record of several.
    ///
    /// - Returns: `nil` if it was stopped before the target answered.
    package func repeatedly<Answer>(_ request: () throws(SinkError) -> Answer) throws(SinkError) -> Answer? {
        var delay = delay
        var since: Duration?
        while true {
            do throws(SinkError) {
                let answer = try request()
                if let since { notice(.resumed(after: clock.now - since)) }
                return answer
            } catch {
                if case .recordRefused = error {
                    if shouldStop() { return nil }
                    continue
                }
                guard error.isRetriable else {
                    // It is there again, and says what it holds.
                    if case .setBack = error, let since { notice(.resumed(after: clock.now - since)) }
                    throw error
                }
                since = since ?? clock.now
                notice(.holding(error, retryIn: delay))
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
}
