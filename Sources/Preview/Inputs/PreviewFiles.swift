package import Producers

/// The files of a preview.
package struct PreviewFiles: Hashable, Sendable {
    /// Configurations: one object, an array, or JSON lines. Each file's `-` is standard input.
    package var configuration: String
    /// Records of `vehicle.telemetry`.
    package var telemetry: String?
    /// Records of `calendar.events`.
    package var events: String?
    /// iCalendar files, each the calendar that is named like the file without its extension.
    package var calendars: [String]

    package init(
        configuration: String, telemetry: String? = nil, events: String? = nil, calendars: [String] = []
    ) {
        self.configuration = configuration
        self.telemetry = telemetry
        self.events = events
        self.calendars = calendars
    }

    /// The calendar that an iCalendar file counts as: its name without folder and extension, packed or not.
    package static func calendarId(of file: String) -> String {
        CalendarInput.calendarId(of: file)
    }
}

/// Everything that is wrong with the files, in their order. The command line ends with status 65 and these lines.
package struct PreviewProblems: Error, Hashable, Sendable, CustomStringConvertible {
    package var problems: [InputProblem]
    /// What was found besides, and is probably not meant so.
    package var warnings: [String] = []

    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
