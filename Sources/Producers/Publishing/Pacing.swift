package import RecordLog
import Timelines

/// How fast a source's records go out.
package enum Pacing: Hashable, Sendable {
    case asFastAsPossible
    /// Data time divided by this. What lies between two consecutive records is waited for, where the second is later;
    /// a step back counts as none, so a recording that is not in order of time is replayed as it lies.
    case speedup(Double)
    /// Records per second. What comes later than due by more than a second (a pipe was silent, a broker away) goes at
    /// once, and the schedule moves on from there: nothing is caught up with.
    case rate(Double)
    /// Each record when the time of day reaches its due time, at once where that has passed; never before.
    case realTime
}

/// The clock by which records are paced. The publishing thread owns it.
package protocol PacingClock: BlockingClock {
    /// The time of day: milliseconds since 1970.
    var wall: Int64 { get }
}

/// When each record is due on the pacing clock. Counted from the beginning, or from where
/// a silence ended, so that waits which end late add no drift.
struct Pacer {
    private let pacing: Pacing
    private var begin: Duration
    private var count = 0.0
    private var dataTime: Instant?
    private var elapsed = ElapsedTime.zero

    /// What is later than that by a rate is not caught up with.
    private static let latenessMax = Duration.seconds(1)

    init(_ pacing: Pacing, begin: Duration) {
        switch pacing {
        case .speedup(let factor), .rate(let factor): precondition(factor > 0 && factor.isFinite)
        case .asFastAsPossible, .realTime: break
        }
        self.pacing = pacing
        self.begin = begin
    }

    /// When the next record may go; called once for each.
    mutating func due(_ record: SourceRecord, _ clock: any PacingClock) -> Duration {
        switch pacing {
        case .asFastAsPossible: return begin
        case .realTime:
            guard let due = record.due else { return begin }
            return clock.now + .milliseconds(due.milliseconds - clock.wall)
        case .rate(let rate):
            defer { count += 1 }
            let due = begin + .seconds(count / rate)
            let lateness = clock.now - due
            guard lateness > Self.latenessMax else { return due }
            begin += lateness
            return due + lateness
        case .speedup(let factor):
            if let due = record.due {
                if let dataTime, dataTime < due { elapsed = elapsed + (due - dataTime) }
                dataTime = due
            }
            return begin + .seconds(Double(elapsed.milliseconds) / 1000 / factor)
        }
    }
}
