import Timelines

/// Times as a board writes them.
struct BoardText {
    let calendar: LocalCalendar

    /// The local time of day: `12:30:05`.
    func time(_ instant: Instant) -> String {
        let time = calendar.time(at: instant)
        return [time.hour, time.minute, time.second].map(Self.two).joined(separator: ":")
    }

    /// The time until an instant: `0:42`, `12:05`, `1:02:03`, from two days on `3 d 4 h`; zero if it has passed.
    static func countdown(from now: Instant, to instant: Instant) -> String {
        // A second that has begun counts: the countdown ends with 0:00 when it is time.
        length(max(0, (instant.milliseconds - now.milliseconds + 999) / 1000))
    }

    /// The time since an instant: `3 s`, `12 min`, `5 h`, `2 d`.
    static func age(of instant: Instant, at now: Instant) -> String {
        let seconds = max(0, (now.milliseconds - instant.milliseconds) / 1000)
        switch seconds {
        case ..<100: return "\(seconds) s"
        case ..<6000: return "\(seconds / 60) min"
        case ..<172_800: return "\(seconds / 3600) h"
        default: return "\(seconds / 86_400) d"
        }
    }

    /// A number of seconds, in the form of `countdown`.
    static func length(_ seconds: Int64) -> String {
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        if seconds >= 172_800 { return "\(seconds / 86_400) d \(seconds / 3600 % 24) h" }
        if hours > 0 { return "\(hours):\(two(Int(minutes))):\(two(Int(seconds % 60)))" }
        return "\(minutes):\(two(Int(seconds % 60)))"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
