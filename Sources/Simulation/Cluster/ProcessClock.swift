package import RecordLog
import StreamRuntime
import Synchronization

/// The clock of one process: a wall clock that may be wrong, and a monotonic one that follows the cluster's.
///
/// At first the wall clock shows the cluster's time. `jump(by:)` sets it forward or back, and a skew that is there from
/// the start is a jump before the first look.
package final class ProcessClock: StreamClock {
    private let cluster: MemoryCluster
    private let state = Mutex(State())

    private struct State {
        var offset = ElapsedTime(.zero)
        var tick: Duration = .zero
    }

    init(_ cluster: MemoryCluster) {
        self.cluster = cluster
    }

    package func wall() -> Instant {
        cluster.now + state.withLock { $0.offset }
    }

    package func monotonic() -> Duration {
        cluster.clock.advance(by: state.withLock { $0.tick })
        return .milliseconds(cluster.now.milliseconds)
    }

    package func pause(_ duration: Duration) { cluster.clock.advance(by: duration) }

    /// The time that passes whenever the process looks at its monotonic clock, so that a loop over failing calls comes
    /// to its deadline.
    package var tick: Duration {
        get { state.withLock { $0.tick } }
        set { state.withLock { $0.tick = newValue } }
    }

    /// How much the wall clock is before the cluster's.
    package var offset: Duration { state.withLock { Duration($0.offset) } }

    /// Sets the wall clock forward, or back if the duration is negative, in whole milliseconds. Counted as a jump.
    package func jump(by duration: Duration) {
        state.withLock { $0.offset = $0.offset + ElapsedTime(duration) }
        cluster.note(.clockJump)
    }

    /// Lets the wall clock differ from the cluster's by so much. Counted as skew.
    package func skew(by duration: Duration) {
        state.withLock { $0.offset = ElapsedTime(duration) }
        cluster.note(.clockSkew)
    }
}
