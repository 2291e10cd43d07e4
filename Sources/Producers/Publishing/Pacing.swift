import Timelines

/// How fast a source's records go out.
package enum Pacing: Hashable, Sendable {
    case asFastAsPossible
    /// Data time divided by this. What lies between two consecutive records is waited for, where the second is later;
    /// a step back counts as none, so a recording that is not in order of time is replayed as it lies.
    case speedup(Double)
    /// Records per second.
    case rate(Double)
}

/// The clock by which records are paced: it only goes forward, from any zero. Owned by the publishing thread.
package protocol PacingClock: AnyObject {
    var now: Duration { get }
    /// Returns once `now` has risen by at least `duration`.
    func wait(for duration: Duration)
}

/// When each record is due on the pacing clock. Counted from the beginning, so that waits which end late add no drift.
struct Pacer {
    private let pacing: Pacing
    private let begin: Duration
    private var count = 0.0
    private var dataTime: Instant?
    private var elapsed = ElapsedTime.zero

    init(_ pacing: Pacing, begin: Duration) {
        switch pacing {
        case .speedup(let factor), .rate(let factor): precondition(factor > 0 && factor.isFinite)
        case .asFastAsPossible: break
        }
        self.pacing = pacing
        self.begin = begin
    }

    /// When the next record may go; called once for each.
    mutating func due(_ record: SourceRecord) -> Duration {
        switch pacing {
        case .asFastAsPossible: return begin
        case .rate(let rate):
            defer { count += 1 }
            return begin + .seconds(count / rate)
        case .speedup(let factor):
            if let due = record.due {
                if let dataTime, dataTime < due { elapsed = elapsed + (due - dataTime) }
                dataTime = due
            }
            return begin + .seconds(Double(elapsed.milliseconds) / 1000 / factor)
        }
    }
}
