/// One way of making timelines: `status`, `events`, … (T17 to T25, S6). A strategy is its options.
///
/// Adding one is one file that conforms to this, and one line in `TimelineStrategies.all`.
package protocol TimelineStrategy: Hashable, Sendable {
    /// The name that configurations use.
    static var name: String { get }

    /// What people are told about it, and its options as they are declared: nothing else is taken.
    static var reference: StrategyReference { get }

    /// Reads the options; those that are absent take their defaults.
    ///
    /// - Throws: what is wrong, naming the key and what is allowed. All options were checked before.
    init(options: StrategyOptions) throws(ConfigurationProblem)

    /// What the pipeline must know before it can make this timeline, and keep watching for.
    func needs(of configuration: WidgetConfiguration) -> SourceNeeds

    /// The moments at which entries are dated, in any order, and the policy, before the rules for every strategy are
    /// applied.
    func draft(for request: TimelineRequest) -> TimelineDraft

    /// After how long without news a vehicle counts as `Offline`; nil where the strategy has no such option.
    var offlineAfter: CalendarDuration? { get }

    /// Whether the strategy makes its timelines for those who are not signed in, too (T13).
    static var showsSignedOut: Bool { get }

    /// Parameters that count where the configuration and its kind have none of that name (T8).
    var parameterDefaults: Parameters { get }

    /// Why a `tick` of a timeline made at `at` has its date, in words that follow the entry in a preview; nil where it
    /// is none of the strategy's dates, but shows the present.
    func reason(ofTickAt date: Instant, madeAt at: Instant, for configuration: WidgetConfiguration) -> String?

    /// What is allowed, but hardly meant, in a timeline made at `at`: sentences, the key first.
    func warnings(at: Instant) -> [String]
}

extension TimelineStrategy {
    package static var showsSignedOut: Bool { false }
    package var offlineAfter: CalendarDuration? { nil }
    package var parameterDefaults: Parameters { Parameters() }
    package func reason(
        ofTickAt date: Instant, madeAt at: Instant, for configuration: WidgetConfiguration
    ) -> String? { nil }
    package func warnings(at: Instant) -> [String] { [] }

    /// What ticks show: the configuration's vehicle and the window of `events` (T11).
    package func needs(of configuration: WidgetConfiguration) -> SourceNeeds {
        SourceNeeds(
            vehicle: configuration.chosenVehicle.map {
                .init(vehicleId: $0, offlineAfter: offlineAfter?.nominal ?? TimelineRequest.offlineAfterDefault)
            },
            agenda: SourceNeeds.AgendaNeed(ofTicks: configuration))
    }
}

/// The registry of strategies: the one place that names them all.
package enum TimelineStrategies {
    package static let all: [any TimelineStrategy.Type] = [
        StatusStrategy.self,
        EventsStrategy.self,
        FixedIntervalStrategy.self,
        TimesOfDayStrategy.self,
        FetchedStrategy.self,
        DayNightStrategy.self,
        HourlyStrategy.self,
        WithRetryStrategy.self,
        PreviewStrategy.self,
        ScheduleStrategy.self,
    ]

    /// A strategy that is always there.
    package static var standIn: any TimelineStrategy { InnerStrategy(EventsStrategy.self).strategy }

    /// The strategy of this name with these options; `path` is how a reader of the configuration knows it.
    ///
    /// - Throws: all that is wrong: the name (key `path`), options, keys that the strategy does not have.
    package static func strategy(
        named name: String, options: Parameters = Parameters(), path: String = "strategy"
    ) throws(ConfigurationProblems) -> any TimelineStrategy {
        let type = try Registry.entry(named: name, in: all.map { ($0.name, $0) }, key: path)
        let options = StrategyOptions(options, path: path)
        try options.check(type.reference.options, of: "the strategy \(name)")
        do throws(ConfigurationProblem) {
            return try type.init(options: options)
        } catch {
            throw ConfigurationProblems(error)
        }
    }
}

/// Looking a name up among those that there are.
enum Registry {
    /// - Throws: with all the names and the nearest one, where none is the one asked for.
    static func entry<Entry>(
        named name: String, in entries: [(name: String, entry: Entry)], key: String
    ) throws(ConfigurationProblems) -> Entry {
        if let found = entries.first(where: { $0.name == name }) { return found.entry }
        let names = entries.map(\.name)
        let nearest = nearestName(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
        throw ConfigurationProblems(
            ConfigurationProblem(
                key: key, "must be one of \(names.joined(separator: ", ")), not \"\(name.prefix(60))\"\(nearest)"))
    }
}
