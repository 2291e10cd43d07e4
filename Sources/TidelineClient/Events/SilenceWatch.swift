internal import Positions

/// Ends a connection on which nothing is heard.
final class SilenceWatch: Sendable {
    private struct State: Sendable {
        var heardAt: Instant
        var hasFired = false
    }

    /// A class of its own, so that the task does not keep the watch alive.
    private final class Shared: Sendable {
        let state: LockedValue<State>

        init(heardAt: Instant) {
            state = LockedValue(State(heardAt: heardAt))
        }
    }

    private let clock: any ClientClock
    private let shared: Shared
    private let task: Task<Void, Never>

    /// Calls `end` once, as soon as nothing was heard for `silenceMax`.
    init(_ clock: any ClientClock, _ silenceMax: ElapsedTime, end: @escaping @Sendable () -> Void) {
        let shared = Shared(heardAt: clock.now)
        self.clock = clock
        self.shared = shared
        task = Task {
            while true {
                let wait = shared.state.withLock { $0.heardAt } + silenceMax - clock.now
                guard wait > .zero else { break }
                do { try await clock.sleep(for: wait) } catch { return }
            }
            shared.state.withLock { $0.hasFired = true }
            end()
        }
    }

    deinit {
        task.cancel()
    }

    /// True if the connection was ended for its silence.
    var hasFired: Bool { shared.state.withLock { $0.hasFired } }

    /// Says that something was heard now.
    func heard() {
        let now = clock.now
        shared.state.withLock { $0.heardAt = now }
    }

    /// Ends the watch.
    func stop() { task.cancel() }
}
