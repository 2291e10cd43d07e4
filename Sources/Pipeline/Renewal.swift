import RecordLog
import StreamCore
import Timelines

/// Something that is due, and when its timer fires: later, where the work of renewals is spread.
struct Due {
    var at: Instant
    var firesAt: Instant

    /// Of what is not spread.
    init(at: Instant) {
        self.at = at
        firesAt = at
    }
}

extension Due {
    /// A renewal of a timeline of this configuration that was made at `made`. Its share of the spread is fixed by the
    /// id, but it fires before the next renewal would be due: whose timelines are made often never lag behind by one.
    init(
        renewal at: Instant, of configurationId: @autoclosure () -> String, madeAt made: Instant,
        _ settings: PipelineSettings
    ) {
        self.init(at: at)
        if settings.leavesWhenCaughtUp || settings.spread == .zero { return }
        let spread = min(settings.spread, max(.zero, at - made))
        let delay = Double(spread.milliseconds) * Self.share(of: configurationId())
        firesAt = at + ElapsedTime(milliseconds: Int64(delay))
    }

    /// 0 ..< 1, evenly over ids, those of one task, too: the hash that decides the task is mixed once more.
    private static func share(of configurationId: String) -> Double {
        var id = configurationId
        var mixed = UInt64(id.withUTF8 { Murmur2.hash(UnsafeRawBufferPointer($0)) })
        // The finalizer of MurmurHash3, 64 bits.
        mixed = (mixed ^ (mixed >> 33)) &* 0xff51_afd7_ed55_8ccd
        mixed = (mixed ^ (mixed >> 33)) &* 0xc4ce_b9fe_1a85_ec53
        mixed ^= mixed >> 33
        return Double(mixed >> 11) / Double(UInt64(1) << 53)
    }

    /// The instant for which a timeline is made whose timer fires at `now`: its due date, but now after a pause
    /// (T12), and where the one after it is to be made by now as well: what was missed is made once. A
    /// run that leaves when it has caught up has a clock that stands, so it makes everything for now.
    ///
    /// - Parameter next: what would be due next after a renewal at the due date; nil: nothing, or that is not known.
    func instant(firing now: Instant, _ settings: PipelineSettings, next: () -> Due?) -> Instant {
        let isLate =
            settings.leavesWhenCaughtUp || now - firesAt > settings.pause
            || next().map { $0.firesAt <= now } ?? false
        return isLate ? now : at
    }
}

extension PipelineSettings {
    /// Whether an instant lies further ahead than clocks differ: it was told before the clock went back.
    func isAhead(_ at: Instant, of now: Instant) -> Bool { at - now > pause }

    /// The instant for which something is told or made that was asked for `at`.
    func notAhead(_ at: Instant, of now: Instant) -> Instant { isAhead(at, of: now) ? now : at }
}

/// Why a timeline is made, and whether its visible change may be announced (L1 to L9).
enum Cause: UInt8 {
    /// The source answers a subscription.
    case subscribed = 0
    case statusChanged = 1
    case dataChanged = 2
    /// The timeline's own `nextUpdate` came: whoever shows it comes back by itself.
    case scheduled = 3
    case configurationChanged = 4
    /// The source can be read again, or no longer, or its window has moved on: this makes no timeline, but counts in
    /// the next one (T12 and 2, failure). A run that leaves when it has caught up brings every timeline
    /// up to this, too.
    case noted = 5
}
