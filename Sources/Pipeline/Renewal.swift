import Timelines

extension PipelineSettings {
    /// The instant for which a timeline is made whose timer was due at `due` and fires at `now`: its due date, but now
    /// after a pause (STRATEGIES.md 1.12). A run that leaves when it has caught up has a clock that stands, so it makes
    /// everything for now.
    func renewalInstant(due: Int64, now: Int64) -> Instant {
        let isLate = leavesWhenCaughtUp || now - due > pauseMilliseconds
        return Instant(milliseconds: isLate ? now : due)
    }
}

/// Why a timeline is made, and whether its visible change may be announced (STRATEGIES.md 4).
enum Cause: UInt8 {
    /// The source answers a subscription.
    case subscribed = 0
    case statusChanged = 1
    case dataChanged = 2
    /// The timeline's own `nextUpdate` came: whoever shows it comes back by itself.
    case scheduled = 3
    case configurationChanged = 4
    /// The source can be read again, or no longer, or its window has moved on: this makes no timeline, but counts in
    /// the next one (STRATEGIES.md 1.12 and 2, failure). A run that leaves when it has caught up brings every timeline
    /// up to this, too.
    case noted = 5
}
