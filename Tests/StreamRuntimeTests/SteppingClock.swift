import RecordLog
import Simulation
import StreamRuntime

/// Stands still but for what the test, or a tick for each look at it, lets pass.
struct SteppingClock: StreamClock {
    private let clock: ManualClock
    private let tick: Duration

    init(_ clock: ManualClock, tick: Duration) {
        self.clock = clock
        self.tick = tick
    }

    func wall() -> Instant { clock.now }

    func monotonic() -> Duration {
        clock.advance(by: tick)
        return .milliseconds(clock.now.milliseconds)
    }

    func pause(_ duration: Duration) { clock.advance(by: duration) }
}
