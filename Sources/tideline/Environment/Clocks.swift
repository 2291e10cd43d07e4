import Foundation
import Producers
import StreamRuntime
import Timelines

/// The clock of timelines: the system's, one that was started at another time and runs on, or one that stands still.
struct WallClock: StreamClock {
    private let offset: ElapsedTime
    private let standing: Instant?

    /// - Parameters:
    ///   - start: the instant that the clock shows now; `nil` stands for the time of day.
    ///   - stands: true if the clock stands still.
    init(start: Instant? = nil, stands: Bool = false) {
        let now = Self.systemTime()
        offset = (start ?? now) - now
        standing = stands ? start ?? now : nil
    }

    func wall() -> Instant { standing ?? Self.systemTime() + offset }

    func monotonic() -> Duration { Self.uptime() }

    static func systemTime() -> Instant {
        Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }

    static func uptime() -> Duration {
        .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds))
    }
}

extension SleepingClock: PacingClock {
    var wall: Instant { WallClock.systemTime() }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero.
    var milliseconds: Int {
        Int(ElapsedTime(self).milliseconds)
    }

    /// The duration for people: `0.4 s`, `12 s`, `3 min 5 s`, `2 h 1 min`.
    var shortText: String {
        let tenths = Int((self / .milliseconds(100)).rounded())
        let seconds = Int((self / .seconds(1)).rounded())
        switch seconds {
        case ..<10: return "\(tenths / 10).\(abs(tenths % 10)) s"
        case ..<120: return "\(seconds) s"
        case ..<7200: return "\(seconds / 60) min \(seconds % 60) s"
        default: return "\(seconds / 3600) h \(seconds / 60 % 60) min"
        }
    }
}

extension Instant {
    /// The time of day by the system's clock.
    static func now() -> Instant { WallClock.systemTime() }
}
