import RecordLog

/// Repeats requests to a sink while it is unavailable, ever slower, for as long as that lasts.
struct SinkPatience {
    private let settings: SinkSettings
    private let clock: any BlockingClock
    private let shouldStop: () -> Bool
    private let notice: (SinkNotice) -> Void
    private let waiting: WaitingHook

    init(_ settings: SinkSettings, _ context: SinkContext<SinkNotice>) {
        self.settings = settings
        clock = context.clock
        shouldStop = context.shouldStop
        notice = context.notice
        waiting = context.waiting
    }

    /// - Returns: `nil` if it was stopped before the sink answered.
    /// - Throws: what the sink threw that waiting does not mend.
    func whenAvailable<Answer>(_ request: () throws(SinkError) -> Answer) throws(SinkRunError) -> Answer? {
        var delay = settings.retryDelay
        var since: Duration?
        while true {
            do throws(SinkError) {
                let answer = try request()
                if let since { notice(.resumed(after: clock.now - since)) }
                return answer
            } catch {
                guard error.isRetriable else { throw .sink(error) }
                since = since ?? clock.now
                notice(.holding(error, retryIn: delay))
            }
            let end = clock.now + delay
            while clock.now < end {
                if shouldStop() { return nil }
                waiting.call()
                clock.wait(for: min(end - clock.now, .milliseconds(100)))
            }
            delay = min(delay * 2, settings.retryDelayMax)
        }
    }
}
