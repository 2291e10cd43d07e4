/// Makes timelines: a strategy's draft first, then the rules for every strategy (T1 to T16), one step each.
public enum TimelineProvider {
    /// The timeline of a configuration for `request.at`: a pure function of the request (T1).
    public static func timeline(for request: TimelineRequest) -> Timeline {
        let configuration = request.configuration
        let parameters = parameters(of: configuration)
        guard let calendar = LocalCalendar(configuration.timeZone) else {
            return errorTimeline(.unknownTimeZone(configuration.timeZone), at: request.at, parameters: parameters)
        }
        guard configuration.isMade else { return signedOutTimeline(at: request.at) }
        let nextMidnight = calendar.nextDay(after: request.at).start
        return configuration.strategy.draft(for: request)
            .inOrder()
            .inForce(at: request.at)
            .limited(to: configuration.limit, keepingDayAt: nextMidnight)
            .timeline(for: request, nextMidnight: nextMidnight, in: calendar)
            .finished(with: parameters, in: calendar)
    }

    /// The snapshot that a widget gallery shows: the entry in force alone, with the policy `never`. If there is nothing
    /// to see yet (no vehicle chosen or heard of, a failure, nobody signed in), it is a tick with the first sample. A
    /// configuration that cannot be used stays an error.
    public static func snapshot(for request: TimelineRequest) -> Timeline {
        var snapshot = timeline(for: request)
        snapshot.entries.removeSubrange(1...)
        snapshot.policy = .never
        snapshot.nextUpdate = nil
        snapshot.validUntil = nil
        guard snapshot.entries[0].showsNothingYet else { return snapshot }
        snapshot.entries = [.sample(0, at: request.at)]
        return snapshot.finished(with: parameters(of: request.configuration), in: request.calendar)
    }

    /// WidgetKit's placeholder: what stands in place of a widget of this configuration before anything is known.
    public static func placeholder(for configuration: WidgetConfiguration, at: Instant) -> Timeline {
        let entry = TimelineEntry.placeholder(at: at, vehicleId: configuration.chosenVehicle ?? "0")
        return Timeline(entries: [entry], policy: .never, nextUpdate: nil, validUntil: nil)
            .finished(with: parameters(of: configuration), in: .utc)
    }

    /// The timeline of a configuration that cannot be used (T15). Its message says `key: sentence`.
    package static func errorTimeline(
        _ problem: ConfigurationProblem, at: Instant, parameters: Parameters = Parameters()
    ) -> Timeline {
        let text = "\(problem.key): \(problem.message)"
        let entry = TimelineEntry(.error, at: at, message: .init(text, code: .configurationInvalid))
        return Timeline(entries: [entry], policy: .never, nextUpdate: nil, validUntil: nil)
            .finished(with: parameters, in: .utc)
    }

    /// What has to be known for a configuration's timelines: its strategy's needs, and nothing while nobody is signed
    /// in (T12 and T13).
    public static func needs(of configuration: WidgetConfiguration) -> SourceNeeds {
        configuration.isMade ? configuration.strategy.needs(of: configuration) : SourceNeeds()
    }

    /// The parameters of entries (T8): the configuration's own, with its kind's defaults among them, then the
    /// strategy's.
    private static func parameters(of configuration: WidgetConfiguration) -> Parameters {
        configuration.parameters.merged(over: configuration.strategy.parameterDefaults)
    }

    private static func signedOutTimeline(at: Instant) -> Timeline {
        let entry = TimelineEntry(.signedOut, at: at, message: .init("Sign in to see this widget.", code: .signedOut))
        let due = at + .minutes(15)
        return Timeline(entries: [entry], policy: .after(due), nextUpdate: due, validUntil: due)
            .finished(with: Parameters(), in: .utc)
    }
}

extension WidgetConfiguration {
    /// How many entries a timeline of this configuration has at most (T4).
    public var limit: Int { maximumEntries ?? family.maximumEntries }

    /// True if the strategy makes the timeline: somebody is signed in, or the strategy does not ask.
    fileprivate var isMade: Bool { isSignedIn || type(of: strategy).showsSignedOut }
}

extension TimelineEntry {
    /// True if the entry stands for what is still to come: data, a choice, a sign-in.
    fileprivate var showsNothingYet: Bool {
        switch phase {
        case .placeholder, .selectVehicle, .signedOut: true
        case .error: message?.code != .configurationInvalid
        default: false
        }
    }
}

extension TimelineProvider {
    /// The number of the rules that decide the content of timelines. To be raised by one in each release in which the
    /// same configuration, data and instant may give other content than in the release before: a timeline that differs
    /// for that alone is made anew when it is next due, and costs no reload.
    ///
    /// 0: releases before 0.1.0. 1: `preEvent` and `start` list what is under way, `dayNight` changes at dawn.
    package static let contentRules = 1
}
