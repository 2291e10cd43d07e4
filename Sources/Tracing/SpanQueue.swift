import Synchronization

/// The spans that wait to be sent, so many at most; what comes beyond is dropped and counted. Any thread.
package final class SpanQueue: Sendable {
    private struct State {
        var spans: [Span] = []
        var dropped = 0
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let wakeCount: Int
    private let wake: @Sendable () -> Void

    /// - Parameters:
    ///   - capacity: 1 or more.
    ///   - wakeCount: as soon as so many wait, `wake` is called.
    ///   - wake: called on the thread that appends; must not block.
    package init(
        capacity: Int = 8192, wakeCount: Int = 512, wake: @escaping @Sendable () -> Void = {}
    ) {
        precondition(capacity > 0 && wakeCount > 0)
        self.capacity = capacity
        self.wakeCount = wakeCount
        self.wake = wake
    }

    package func append(_ span: Span) {
        let wakes = state.withLock { state in
            guard state.spans.count < capacity else {
                state.dropped += 1
                return false
            }
            state.spans.append(span)
            return state.spans.count == wakeCount
        }
        if wakes { wake() }
    }

    /// Counts spans that whoever made them did not keep.
    package func drop(_ count: Int) { state.withLock { $0.dropped += count } }

    /// Removes the oldest spans, so many at most.
    package func take(_ maximum: Int) -> [Span] {
        state.withLock { state in
            let taken = Array(state.spans.prefix(maximum))
            state.spans.removeFirst(taken.count)
            return taken
        }
    }

    package var count: Int { state.withLock { $0.spans.count } }

    /// All spans that were dropped since the queue was made.
    package var dropped: Int { state.withLock { $0.dropped } }
}
