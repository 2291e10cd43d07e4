import Foundation
import Producers
import StreamRuntime
import Timelines

/// The clock of timelines: the system's, one that was started at another time and runs on, or one that stands still.
struct WallClock: StreamClock {
    private let offset: Int64
    private let standing: Int64?

    /// - Parameters:
    ///   - start: what the clock shows now; nil: the time.
    ///   - stands: whether it stays there.
    init(start: Instant? = nil, stands: Bool = false) {
        let now = Self.systemTime()
        offset = (start?.milliseconds ?? now) - now
        standing = stands ? start?.milliseconds ?? now : nil
    }

    func wall() -> Int64 { standing ?? Self.systemTime() + offset }

    func monotonic() -> Duration { Self.uptime() }

    static func systemTime() -> Int64 { Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)) }

    static func uptime() -> Duration {
        .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds))
    }
}

/// Waits by sleeping on the calling thread.
final class SleepingClock: PacingClock {
    var now: Duration { WallClock.uptime() }
    var wall: Int64 { WallClock.systemTime() }

    func wait(for duration: Duration) { pause(duration) }
}
