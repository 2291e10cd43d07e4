import StreamRuntime
import Synchronization

/// How long the tasks of a run were restored, and from how many records. Any thread.
final class RestoreTimes: Sendable {
    private let state = Mutex(State())

    private struct State {
        var began: Duration?
        var ended: Duration?
        var records = 0
    }

    /// Takes in what a stream thread tells.
    func note(_ event: StreamEvent) {
        switch event {
        case .restoring:
            state.withLock { if $0.began == nil { $0.began = WallClock.uptime() } }
        case .running(_, let restored) where restored > 0:
            state.withLock {
                $0.records += restored
                $0.ended = WallClock.uptime()
            }
        default: break
        }
    }

    var records: Int { state.withLock { $0.records } }

    /// From the first task that began to be restored to the last one that ran with what it had been given.
    var seconds: Double {
        state.withLock { state in
            guard let began = state.began, let ended = state.ended else { return 0 }
            return Double((ended - began).milliseconds) / 1000
        }
    }
}
