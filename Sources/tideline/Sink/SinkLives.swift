import RecordLog
import Sinks
import Synchronization

/// Which sinks of a process go on, and when those that have failed begin again. Any thread.
///
/// A sink that fails while others go on begins again after a pause, which grows with each failure in a row. Once it has
/// read for a minute it counts as mended. When no sink goes on, none begins again either: the process ends, and whoever
/// supervises it starts all of them.
final class SinkLives: Sendable {
    /// What follows from a failure.
    enum Verdict: Hashable, Sendable {
        /// The sink begins again after this pause. `isNews` is false if its failure before had the same reason.
        case again(after: Duration, isNews: Bool)
        /// The sink stays ended; others go on.
        case ended
        /// No sink goes on any more.
        case over
    }

    private enum Life { case going, pausing, ended }

    private struct Sink {
        var life = Life.going
        /// The failures in a row.
        var failures = 0
        /// When the first of them was.
        var failedAt = Duration.zero
        /// The reason of the last one.
        var reason: String?
        /// Since when it reads again; `nil` before that.
        var readsSince: Duration?
    }

    private let sinks: Mutex<[Sink]>
    private let beginAgain: Bool
    private let backoff: Backoff
    /// Who has read for so long after a failure is mended.
    static let calm = Duration.seconds(60)

    /// - Parameters:
    ///   - count: the number of sinks. All of them go on at first.
    ///   - beginAgain: false if whoever fails stays ended.
    init(count: Int, beginAgain: Bool) {
        sinks = Mutex(Array(repeating: Sink(), count: count))
        self.beginAgain = beginAgain
        var backoff = Backoff()
        backoff.first = .seconds(5)
        backoff.most = .seconds(300)
        self.backoff = backoff
    }

    /// True once no sink goes on.
    var isOver: Bool { sinks.withLock { sinks in sinks.allSatisfy { $0.life != .going } } }

    /// Runs a sink until it stays ended. Blocks.
    ///
    /// - Parameters:
    ///   - random: draws from 0 up to 1, for the jitter of pauses.
    ///   - shouldStop: asked at least ten times a second during a pause.
    ///   - failed: called with each failure, and what follows from it.
    ///   - begins: called before each attempt but the first.
    ///   - attempt: runs the sink once. It returns when it has ended as it was to.
    /// - Returns: true if the last attempt ended as it was to, and no failure stands: the sink has not failed, or has
    ///   read since. Who was told to end before that has mended nothing.
    @discardableResult
    func run(
        _ sink: Int, clock: any BlockingClock, random: () -> Double, shouldStop: () -> Bool,
        failed: (SinkFailure, Verdict) -> Void, begins: () -> Void, attempt: () throws(SinkFailure) -> Void
    ) -> Bool {
        while true {
            do throws(SinkFailure) {
                try attempt()
                return sinks.withLock { sinks in
                    sinks[sink].life = .ended
                    return sinks[sink].failures == 0 || sinks[sink].readsSince != nil
                }
            } catch {
                let verdict = fail(sink, error, now: clock.now, random: random())
                failed(error, verdict)
                guard case .again(let pause, _) = verdict else { return false }
                guard sleep(pause, clock, until: { shouldStop() || isOver }), begin(sink) else { return false }
            }
            begins()
        }
    }

    /// Takes note that a sink reads its topic.
    ///
    /// - Returns: once after a failure, when the sink is mended: the time from the failure until it read again.
    func noteReading(_ sink: Int, now: Duration) -> Duration? {
        sinks.withLock { sinks in
            guard sinks[sink].failures > 0, sinks[sink].life == .going else { return nil }
            let since = sinks[sink].readsSince ?? now
            sinks[sink].readsSince = since
            guard now - since >= Self.calm else { return nil }
            let away = since - sinks[sink].failedAt
            sinks[sink] = Sink()
            return away
        }
    }

    private func fail(_ index: Int, _ failure: SinkFailure, now: Duration, random: Double) -> Verdict {
        sinks.withLock { sinks in
            let othersGoOn = sinks.indices.contains { $0 != index && sinks[$0].life == .going }
            guard beginAgain, othersGoOn, !failure.isFinal else {
                sinks[index].life = .ended
                return othersGoOn ? .ended : .over
            }
            var sink = sinks[index]
            let isNews = sink.reason != failure.command.message
            if sink.failures == 0 { sink.failedAt = now }
            sink.failures += 1
            (sink.life, sink.reason, sink.readsSince) = (.pausing, failure.command.message, nil)
            sinks[index] = sink
            return .again(after: backoff.delay(after: sink.failures, random: random), isNews: isNews)
        }
    }

    /// - Returns: false if no sink goes on any more.
    private func begin(_ index: Int) -> Bool {
        sinks.withLock { sinks in
            guard sinks.contains(where: { $0.life == .going }) else { return false }
            sinks[index].life = .going
            return true
        }
    }

    /// - Returns: false if it was stopped first.
    private func sleep(_ pause: Duration, _ clock: any BlockingClock, until shouldStop: () -> Bool) -> Bool {
        let end = clock.now + pause
        while clock.now < end {
            if shouldStop() { return false }
            clock.wait(for: min(end - clock.now, .milliseconds(100)))
        }
        return !shouldStop()
    }
}
