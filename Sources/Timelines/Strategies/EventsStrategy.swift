/// The strategy `events`: what comes, begins and ends in the next local days (T20).
package struct EventsStrategy: ConfigurableStrategy {
    package static let name = "events"

    private enum Options {
        static let preEventLead = StrategyOption(
            "preEventLead", .lead, without: "the configuration's", "How long before its start an event is announced.")
        static let days = StrategyOption("days", .integer(1...31), default: 2, "Local days, today included.")
        static let dayEntries = StrategyOption(
            "dayEntries", .bool, default: true,
            "Whether local midnights get entries, so that nothing called tomorrow stays on screen.")
    }

    package static let reference = StrategyReference(
        summary: "What comes, begins and ends in the next local days.",
        discussion: """
            Of each occurrence in the window of local days a `preEvent` before its start, a `start` and an `end`; \
            at each local midnight without an entry of its own a `day` entry. All of them list what else is under way \
            in `ongoing`, at most 20 occurrences; `end`, `day`, and the `start` of an occurrence of no length list it \
            even where it is nothing, and carry what starts `next`. The next timeline is due at the next local \
            midnight. All-day occurrences are announced only where the event has a `preEventLead` of its own, which \
            beats the configuration's.
            """,
        options: [Options.preEventLead, Options.days, Options.dayEntries],
        difference: """
            The well-known example makes three entries per event, half an hour before it, at its start and at its \
            end, with the policy `atEnd`. Here the policy is `after` the next local midnight, and midnights have \
            entries; `"dayEntries": false` gives the example's three entries and `atEnd`, as long as the end comes \
            before the next midnight. Where entries had to go to stay within the limit, the next timeline is due \
            when the first of them would be seen; `maximumEntries` raises the limit.
            """,
        example: .init(
            """
            {"configurationId": "desk", "kind": "NextMeeting", "timeZone": "Europe/Berlin", \
            "calendarIds": ["team"], "strategy": "events"}
            """, at: "2026-11-20T08:00:00Z",
            events: """
                {"calendarId": "team", "uid": "standup", "title": "Standup", "start": "2026-11-20T09:00:00Z", \
                "end": "2026-11-20T09:15:00Z"}
                {"calendarId": "team", "uid": "review", "title": "Review", "start": "2026-11-20T13:00:00Z", \
                "end": "2026-11-20T14:00:00Z", "location": "Room 2"}
                """))

    /// The lead of events that have none of their own; `nil` stands for the configuration's.
    package var preEventLead: CalendarDuration?
    /// The number of local days, 1 to 31, today included.
    package var days: Int
    /// True if local midnights get entries, so that "tomorrow" never stays on screen.
    package var dayEntries: Bool

    package init(options: StrategyOptions) throws(ConfigurationProblem) {
        preEventLead = try options.read(Options.preEventLead)
        days = try options.read(Options.days)
        dayEntries = try options.read(Options.dayEntries)
    }

    package func needs(of configuration: WidgetConfiguration) -> SourceNeeds {
        let vehicle = configuration.chosenVehicle.map {
            SourceNeeds.VehicleNeed(vehicleId: $0, offlineAfter: TimelineRequest.offlineAfterDefault)
        }
        guard !configuration.calendarIds.isEmpty else { return SourceNeeds(vehicle: vehicle) }
        return SourceNeeds(vehicle: vehicle, agenda: agenda(of: configuration))
    }

    package func draft(for request: TimelineRequest) -> TimelineDraft {
        let window = agenda(of: request.configuration).window(at: request.at, in: request.calendar)
        let agenda = EventsAgenda(
            window: window, occurrences: window.placed(request.occurrences),
            chosenVehicle: request.configuration.chosenVehicle, vehicle: request.vehicleView().map(Indirect.init))
        let moments = agenda.occurrenceMoments()
        let days = dayEntries ? agenda.dayMoments(besides: moments) : []
        var draft = TimelineDraft(
            moments + days, policy: dayEntries ? .after(window.nextMidnight) : .atEnd, occurrences: agenda.occurrences,
            entry: agenda.entry(at:))
        draft.latestUpdate = window.nextMidnight
        return draft
    }

    private func agenda(of configuration: WidgetConfiguration) -> SourceNeeds.AgendaNeed {
        SourceNeeds.AgendaNeed(
            calendarIds: configuration.calendarIds, days: days,
            preEventLead: preEventLead ?? configuration.preEventLead)
    }
}
