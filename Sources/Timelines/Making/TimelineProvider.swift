/// Makes timelines: a strategy's draft, then the rules for every strategy (STRATEGIES.md 1), one step each.
package enum TimelineProvider {
    /// The timeline of a configuration at `request.at`: a pure function of the request (rule 1).
    package static func timeline(for request: TimelineRequest) -> Timeline {
        let configuration = request.configuration
        let parameters = configuration.parameters.merged(over: configuration.strategy.parameterDefaults)
        guard let calendar = LocalCalendar(configuration.timeZone) else {
            return errorTimeline(.unknownTimeZone(configuration.timeZone), at: request.at, parameters: parameters)
        }
        guard configuration.isMade else { return signedOutTimeline(at: request.at) }
        let nextMidnight = calendar.nextDay(after: request.at).start
        return configuration.strategy.draft(for: request)
            .inOrder()
            .inForce(at: request.at) { request.tick() }
            .limited(to: configuration.limit, keepingDayAt: nextMidnight)
            .timeline(at: request.at, nextMidnight: nextMidnight, in: calendar)
            .withRelevance(in: calendar)
            .withIdentifiers()
            .withParameters(parameters)
    }

    /// What is shown for a configuration that cannot be used (rule 15): the message says `key: sentence`.
    package static func errorTimeline(
        _ problem: ConfigurationProblem, at: Instant, parameters: Parameters = Parameters()
    ) -> Timeline {
        let text = "\(problem.key): \(problem.message)"
        let entry = TimelineEntry(.error, at: at, message: .init(text, code: .configurationInvalid))
        return Timeline(entries: [entry], policy: .never, nextUpdate: nil, validUntil: nil)
            .withRelevance(in: .utc)
            .withIdentifiers()
            .withParameters(parameters)
    }

    /// What a configuration must subscribe to: its strategy's needs, and nothing while signed out (rules 12 and 13).
    package static func needs(of configuration: WidgetConfiguration) -> SourceNeeds {
        configuration.isMade ? configuration.strategy.needs(of: configuration) : SourceNeeds()
    }

    private static func signedOutTimeline(at: Instant) -> Timeline {
        let entry = TimelineEntry(.signedOut, at: at, message: .init("Sign in to see this widget.", code: .signedOut))
        let due = at + .minutes(15)
        return Timeline(entries: [entry], policy: .after(due), nextUpdate: due, validUntil: due).withIdentifiers()
    }
}

extension WidgetConfiguration {
    /// How many entries its timelines have at most (STRATEGIES.md 1.4).
    package var limit: Int { maximumEntries ?? family.maximumEntries }

    /// Whether its strategy speaks at all: signed in, or one that does not ask.
    fileprivate var isMade: Bool { isSignedIn || type(of: strategy).showsSignedOut }
}

extension TimelineRequest {
    /// The configuration's local time; UTC where its zone is not known here.
    package var calendar: LocalCalendar { LocalCalendar(configuration.timeZone) ?? .utc }
}

extension ConfigurationProblem {
    /// For readers of configurations and for the provider alike.
    package static func unknownTimeZone(_ name: String) -> ConfigurationProblem {
        ConfigurationProblem(
            key: "timeZone", "must be a time zone of the IANA database, such as Europe/Berlin, not \"\(name)\"")
    }
}
