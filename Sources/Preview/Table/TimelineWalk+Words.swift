internal import Timelines

extension TimelineReloadPolicy {
    var name: String {
        switch self {
        case .atEnd: "atEnd"
        case .after: "after"
        case .never: "never"
        }
    }
}

/// The words about a timeline in a table and on a page.
extension TimelineWalk.Step {
    /// Says if a reload announces the timeline, and why not, given the one before it.
    func change(after previous: TimelineWalk.Step?) -> String {
        if isVisibleChange { return "visible change: reload" }
        let wasDue = cause == .renewal || (previous?.timeline.nextUpdate).map { $0 <= at } ?? false
        return wasDue ? "no reload: it was due then anyway" : "no visible change"
    }

    /// "next update Fri 2026-11-20 07:30 +01:00"
    func nextUpdate(_ local: LocalText) -> String {
        timeline.nextUpdate.map { "next update \(local.full($0))" } ?? "no next update"
    }

    /// The sentences below a walk that explain its words.
    static let legend = [
        "A revision counts contents: the same content keeps it.",
        "A reload is sent for a visible change before the due date.",
    ]
}
