import Synchronization

/// A clock that stands still until it is told to move. Any thread.
package final class ManualClock: Sendable {
    private let milliseconds: Mutex<Int64>

    /// - Parameter milliseconds: since 1970; without it 2026-01-01T00:00:00Z.
    package init(milliseconds: Int64 = 1_767_225_600_000) {
        self.milliseconds = Mutex(milliseconds)
    }

    /// Milliseconds since 1970.
    package var now: Int64 {
        milliseconds.withLock { $0 }
    }

    /// Moves the clock forward by whole milliseconds; the rest is dropped.
    package func advance(by duration: Duration) {
        precondition(duration >= .zero, "the clock never goes back")
        milliseconds.withLock { $0 += duration.wholeMilliseconds }
    }
}

extension Duration {
    var wholeMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
