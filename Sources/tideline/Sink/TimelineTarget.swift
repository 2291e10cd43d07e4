import Sinks

/// Where timelines go, as `--to` and the settings name it.
enum TimelineTarget: Hashable, Sendable {
    /// A place that keeps them.
    case kept(SinkTarget)
    /// Somebody who is sent them by HTTP.
    case sent(TimelineAddress)

    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    private static let forms = SinkTarget.forms + ["https://…"]
    static let allowed = forms.dropLast().joined(separator: ", ") + " or " + forms[forms.count - 1]

    init(_ text: String) throws(Problem) {
        do {
            if let address = try TimelineAddress(ifHTTP: text) {
                self = .sent(address)
            } else {
                self = .kept(try SinkTarget(text))
            }
        } catch {
            throw Problem(description: "\(error)")
        }
    }

    /// The targets that can be asked for what they hold, and why no other is meant.
    static let speaking = "files:, ics:, sqlite:, postgres: or redis:, for no other target says what it holds,"

    /// True if it can be asked for what it holds.
    var saysWhatItHolds: Bool {
        switch self {
        case .kept(.files), .kept(.calendars), .kept(.sqlite), .kept(.postgres), .kept(.redis): true
        case .kept(.kafka), .kept(.stdout), .kept(.reloads), .sent: false
        }
    }

    /// The name by which a configuration's `sinks` choose a sink that the settings do not name.
    var name: String {
        switch self {
        case .kept(let target): target.name
        case .sent: "http"
        }
    }
}
