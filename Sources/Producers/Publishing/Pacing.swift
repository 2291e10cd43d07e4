package import RecordLog
import Timelines

/// The pace at which a source's records go out.
package enum Pacing: Hashable, Sendable {
    case asFastAsPossible
    /// Data time divided by this. The time between two consecutive records is waited for if the second is later. A step
    /// back counts as none, so a recording that is not in order of time is replayed as it lies.
    case speedup(Double)
    /// Records per second. A record that is more than a second late (a pipe was silent, a broker away) goes at once,
    /// and the schedule moves on from there: nothing is caught up with.
    case rate(Double)
    /// Each record when the time of day reaches its due time, or at once if that has passed.
    case realTime
}

/// The clock by which records are paced. The publishing thread owns it.
package protocol PacingClock: BlockingClock {
    /// The time of day.
    var wall: Instant { get }
}

/// Computes when each record is due on the pacing clock. Times count from the beginning, or from the end of a silence,
/// so that waits which end late add no drift.
struct Pacer {
    private let pacing: Pacing
    private var begin: Duration
    private var count = 0.0
    private var dataTime: Instant?
    private var elapsed = ElapsedTime.zero

    /// The lateness beyond which a rate does not catch up.
    private static let latenessMax = Duration.seconds(1)

    init(_ pacing: Pacing, begin: Duration) {
        switch pacing {
        case .speedup(let factor), .rate(let factor): precondition(factor > 0 && factor.isFinite)
        case .asFastAsPossible, .realTime: break
        }
        self.pacing = pacing
        self.begin = begin
    }

    /// The time on the pacing clock at which the next record may go. Call it once for each record.
    mutating func due(_ record: SourceRecord, _ clock: any PacingClock) -> Duration {
        switch pacing {
        case .asFastAsPossible: return begin
        case .realTime:
            guard let due = record.due else { return begin }
            return clock.now + Duration(due - clock.wall)
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
