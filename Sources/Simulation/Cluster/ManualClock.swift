package import RecordLog
import Synchronization

/// A clock that stands still until `advance(by:)`. Any thread may use it.
package final class ManualClock: Sendable {
    private let instant: Mutex<Instant>

    /// - Parameter start: what the clock shows at first; without it 2026-01-01T00:00:00Z.
    package init(_ start: Instant = Instant(milliseconds: 1_767_225_600_000)) {
        instant = Mutex(start)
    }

    package var now: Instant { instant.withLock { $0 } }

    /// Moves the clock forward by whole milliseconds; the rest is dropped.
    package func advance(by duration: Duration) {
        precondition(duration >= .zero, "the clock never goes back")
        instant.withLock { $0 = $0 + ElapsedTime(duration) }
    }
}
