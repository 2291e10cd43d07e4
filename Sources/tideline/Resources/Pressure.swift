import Settings
import Synchronization

/// Says when something is nearly used up, and when it is no more: it ends a tenth below where it begins, so that it
/// does not begin and end again and again.
struct Pressure: Sendable {
    enum Change: Equatable, Sendable {
        case began
        case ended(after: Duration)
    }

    /// When it began; `nil` where it has not.
    private(set) var since: Duration?
    /// The part that is left of the threshold when it ends.
    private static let release = 0.9

    /// - Parameters:
    ///   - used: how much of `limit` is used now.
    ///   - threshold: the part of the limit above which it begins, from 0 to 1.
    /// - Returns: what has changed; `nil` where nothing has.
    mutating func see(_ used: Int, of limit: Int, threshold: Double, now: Duration) -> Change? {
        let mark = Double(limit) * threshold
        guard let began = since else {
            if Double(used) < mark { return nil }
            since = now
            return .began
        }
        if Double(used) >= mark * Self.release { return nil }
        since = nil
        return .ended(after: now - began)
    }
}
