import RecordLog
import StreamCore
import Timelines

/// An instant at which something is due, and the instant at which its timer fires: later, if the work of renewals is
/// spread.
struct Due {
    var at: Instant
    var firesAt: Instant

    /// A date that is not spread.
    init(at: Instant) {
        self.at = at
        firesAt = at
    }
}

extension Due {
    /// The renewal of a timeline that was made at `made`. The hash of its configuration's id decides its share of the
    /// spread. The timer fires before the next renewal would be due: timelines that are made often never lag behind by
    /// one.
    ///
    /// - Parameter hash: Java's murmur2 of the configuration's id.
    init(
        renewal at: Instant, ofHash hash: @autoclosure () -> UInt32, madeAt made: Instant,
        _ settings: PipelineSettings
    ) {
        self.init(at: at)
        if settings.leavesWhenCaughtUp || settings.spread == .zero { return }
        let spread = min(settings.spread, max(.zero, at - made))
        let delay = Double(spread.milliseconds) * Self.share(of: hash())
        firesAt = at + ElapsedTime(milliseconds: Int64(delay))
    }

    /// 0 ..< 1, even over all ids and over those of one task: the hash that decides the task is mixed once more.
    private static func share(of hash: UInt32) -> Double {
        var mixed = UInt64(hash)
        // The finalizer of MurmurHash3, 64 bits.
        mixed = (mixed ^ (mixed >> 33)) &* 0xff51_afd7_ed55_8ccd
        mixed = (mixed ^ (mixed >> 33)) &* 0xc4ce_b9fe_1a85_ec53
        mixed ^= mixed >> 33
        return Double(mixed >> 11) / Double(UInt64(1) << 53)
    }

    /// The instant for which a timeline is made whose timer fires at `now`.
    ///
    /// It is the due date. After a pause (T12), or if the renewal after the due one should have been made by now as
    /// well, it is `now`: what was missed is made once. The clock of a run that leaves when it has caught up stands, so
    /// everything is made for `now`.
    ///
    /// - Parameter next: the date after a renewal at the due date; `nil` if there is none, or none is known.
    func instant(firing now: Instant, _ settings: PipelineSettings, next: () -> Due?) -> Instant {
        let isLate =
            settings.leavesWhenCaughtUp || now - firesAt > settings.pause
            || next().map { $0.firesAt <= now } ?? false
        return isLate ? now : at
    }
}
