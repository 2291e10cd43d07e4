import TestSupport
import TidelineClient

/// A clock that stands still until a test moves it.
final class ManualClock: ClientClock {
    private struct State {
        var now: Instant
        var sleepers: [Int: (due: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var next = 0
    }

    private let state: Locked<State>

    init(_ now: Instant = at("08:00")) {
        state = Locked(State(now: now))
    }

    var now: Instant { state.withLock { $0.now } }

    /// How many tasks wait for the clock.
    var waiting: Int { state.withLock { $0.sleepers.count } }

    /// When the next one of them is due, from now.
    var nextDue: ElapsedTime? {
        state.withLock { state in state.sleepers.values.map(\.due).min().map { $0 - state.now } }
    }

    func sleep(for time: ElapsedTime) async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // A task that was cancelled before is never among those that wait.
                let result: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if time <= .zero { return .success(()) }
                    state.sleepers[number] = (state.now + time, continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            wake(number)
        }
    }

    private func wake(_ number: Int) {
        state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation.resume(throwing: CancellationError())
    }

    /// Moves the clock and wakes whoever is due; a negative time sets it back.
    func advance(by time: ElapsedTime) {
        let due = state.withLock { state in
            state.now = state.now + time
            let due = state.sleepers.filter { $0.value.due <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }
}
