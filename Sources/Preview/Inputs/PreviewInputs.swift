package import Producers
package import Timelines

/// The content of a preview's files: configurations, and what is known of vehicles and calendars.
package struct PreviewInputs: Sendable {
    /// The configurations in the order of the file: the last one of each id, without those that a tombstone removed.
    package var configurations: [WidgetConfiguration]
    package var sources: PreviewSources
    /// What is probably not meant, and parts of calendar files that cannot be used.
    package var warnings: [String]

    /// Reads all files to their ends.
    ///
    /// - Parameters:
    ///   - kinds: the declared ones.
    ///   - at: the instant of the preview, for warnings about what is past then.
    /// - Throws: all that is wrong with all of them. An object that is wrong does not hide those after it.
    package static func read(_ files: PreviewFiles, kinds: WidgetKinds = WidgetKinds(), at: Instant)
        throws(PreviewProblems) -> PreviewInputs
    {
        var problems: [InputProblem] = []
        var configurations = ConfigurationFile(kinds: kinds, at: at)
        configurations.read(files.configuration, problems: &problems)
        var telemetry = TelemetryFile(vehicles: configurations.vehicles)
        if let file = files.telemetry { telemetry.read(file, problems: &problems) }
        var calendars = CalendarFiles()
        if let file = files.events { calendars.read(events: file, problems: &problems) }
        for file in files.calendars { calendars.read(iCalendar: file, problems: &problems) }
        let remarks = configurations.remarks.map(\.description) + calendars.remarks
        guard problems.isEmpty else { throw PreviewProblems(problems: problems, warnings: remarks) }

        var inputs = PreviewInputs(
            configurations: configurations.configurations,
            sources: PreviewSources(vehicles: telemetry.histories(), calendars: calendars.calendars),
            warnings: remarks)
        for configuration in inputs.configurations {
            let id = configuration.configurationId
            let place = configurations.line(of: id).map { "\(files.configuration):\($0)" } ?? files.configuration
            inputs.warnings += inputs.unknownSources(of: configuration, files).map { "\(place): \(id): \($0)" }
        }
        return inputs
    }

    /// Vehicles and calendars that a configuration names and no file has.
    private func unknownSources(of configuration: WidgetConfiguration, _ files: PreviewFiles) -> [String] {
        var warnings: [String] = []
        let needs = TimelineProvider.needs(of: configuration)
        if let need = needs.vehicle, let file = files.telemetry, !sources.knows(vehicle: need.vehicleId) {
            warnings.append("vehicleId: \(file) says nothing of the vehicle \"\(need.vehicleId)\"")
        }
        for calendar in needs.agenda?.calendarIds ?? [] where !sources.knows(calendar: calendar) {
            warnings.append("calendarIds: no file has the calendar \"\(calendar)\"")
        }
        return warnings
    }
}

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
    /// What was found besides, and is probably not meant.
    package var warnings: [String] = []

    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
