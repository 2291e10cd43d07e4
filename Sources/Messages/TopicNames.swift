/// The topics of the contract (M2). Names are settings; these are the defaults.
package struct TopicNames: Hashable, Sendable {
    package var telemetry: String
    package var calendarEvents: String
    package var configurations: String
    package var timelines: String
    package var reloads: String
    package var positions: String
    package var deadLetters: String

    /// - Parameter prefix: put before every name as it is.
    package init(prefix: String = "") {
        telemetry = prefix + "vehicle.telemetry"
        calendarEvents = prefix + "calendar.events"
        configurations = prefix + "widget.configurations"
        timelines = prefix + "timelines"
        reloads = prefix + "timeline.reloads"
        positions = prefix + "timeline.positions"
        deadLetters = prefix + "tideline.dead-letters"
    }

    package var inputs: [String] { [telemetry, calendarEvents, configurations, positions] }
    package var outputs: [String] { [timelines, reloads, deadLetters] }
}
