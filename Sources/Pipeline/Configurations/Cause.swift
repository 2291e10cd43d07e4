import Messages
import StreamCore

/// Why a timeline is made, and whether its visible change may be announced (L1 to L9).
enum Cause: UInt8 {
    /// The source answers a subscription.
    case subscribed = 0
    case statusChanged = 1
    case dataChanged = 2
    /// The `nextUpdate` of the timeline came: its recipient comes back by itself.
    case scheduled = 3
    case configurationChanged = 4
    /// The source can be read again, or no longer, or its window has moved on. This makes no timeline, but counts in
    /// the next one (T12). A run that leaves when it has caught up brings every timeline up to this, too.
    case noted = 5
}

extension Cause {
    /// The reason of the reload that announces the change; `nil` if a recipient does not have to be told.
    var reason: ReloadNotification.Reason? {
        switch self {
        case .configurationChanged: .configurationChanged
        case .statusChanged: .statusChanged
        case .dataChanged, .subscribed, .noted: .dataChanged
        case .scheduled: nil
        }
    }

    /// The name of the cause in notes: the reason of a reload where it has one.
    var name: String {
        switch self {
        case .subscribed: "subscribed"
        case .scheduled: "scheduled"
        case .noted: "noted"
        case .statusChanged: "statusChanged"
        case .dataChanged: "dataChanged"
        case .configurationChanged: "configurationChanged"
        }
    }

    /// True if its reason is stronger than that of another cause. A cause without a reason is the weakest.
    func isStronger(than other: Cause) -> Bool {
        guard let reason else { return false }
        guard let otherReason = other.reason else { return true }
        return otherReason < reason
    }

    /// True if the timeline is made because time went on, not because data changed.
    var isOfTime: Bool { self == .scheduled || self == .noted }

    init(from reader: inout ByteReader) throws(CorruptBytes) {
        let number = try reader.byte()
        guard let cause = Cause(rawValue: number) else { throw CorruptBytes("unknown cause \(number)") }
        self = cause
    }
}
