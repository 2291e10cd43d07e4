import TestSupport
import Timelines

/// What a test's walk knows: the states of one vehicle, each from its own observation on, and a calendar's occurrences.
struct WalkSources: TimelineSources {
    var vehicles: [Vehicle] = []
    var occurrences: [Occurrence] = []

    func vehicle(_ vehicleId: String, at instant: Instant) -> Vehicle? {
        vehicles.last { $0.vehicleId == vehicleId && $0.observedAt.map { $0 <= instant } ?? true }
    }

    func nextArrival(of vehicleId: String, after instant: Instant) -> Instant? {
        vehicles.lazy.filter { $0.vehicleId == vehicleId }.compactMap(\.observedAt).first { $0 > instant }
    }

    func occurrences(of calendarId: String, in window: AgendaWindow) -> [Occurrence] {
        occurrences.filter { $0.calendarId == calendarId }
    }
}

/// A step as `time cause revision/refreshCount`, with a `!` where its change is visible.
func line(_ step: TimelineWalk.Step) -> String {
    let cause =
        switch step.cause {
        case .configuration: "configuration"
        case .firstHeardOf: "heard"
        case .statusChange(let before, let after): "\(before.rawValue)-\(after.rawValue)"
        case .silence(let length): "silent \(length.milliseconds / 60_000)m"
        case .sensitivity: "sensitivity"
        case .renewal: "renewal"
        }
    return "\(step.at.rfc3339) \(cause) \(step.revision)/\(step.refreshCount)\(step.isVisibleChange ? "!" : "")"
}

/// The steps of one day, 20 November 2026, with the day left out.
func walked(
    _ configuration: WidgetConfiguration, _ sources: WalkSources, _ from: String, _ until: String
) -> [String] {
    TimelineWalk(
        of: configuration, from: at("2026-11-20T\(from)Z"), until: at("2026-11-20T\(until)Z"), sources: sources
    ).map { line($0).replacing("2026-11-20T", with: "") }
}
