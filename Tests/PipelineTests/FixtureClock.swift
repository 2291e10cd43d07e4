import Foundation
import Simulation
import StreamRuntime
import Synchronization
import TestSupport
import Timelines

/// The clock of timelines stands until a test moves it. What deadlines count by is another: in memory it moves with
/// every step, on the broker it is the machine's.
final class FixtureClock: StreamClock {
    private let time: Mutex<Instant>
    private let steps: ManualClock?

    init(_ start: Instant, steps: ManualClock?) {
        time = Mutex(start)
        self.steps = steps
    }

    var now: Instant {
        get { wall() }
        set { time.withLock { $0 = newValue } }
    }

    func wall() -> Instant { time.withLock { $0 } }

    func pause(_ duration: Duration) {
        if let steps { steps.advance(by: duration) } else { StreamRuntime.pause(duration) }
    }

    func monotonic() -> Duration {
        if let steps { return .milliseconds(steps.now.milliseconds) }
        return .nanoseconds(Int64(DispatchTime.now().uptimeNanoseconds))
    }
}
