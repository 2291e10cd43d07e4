/// One way of making timelines (T17 to T25). A strategy is a value: what distinguishes two of a kind is what they
/// store.
///
/// A strategy of your own says which entries there may be, and when the next timeline is due. The provider then applies
/// the rules for every strategy (T1 to T16): order, the entry in force, the limit of the family, identifiers.
///
/// ```swift
/// struct OnTheHour: TimelineStrategy {
///     static let name = "onTheHour"
///
///     func draft(for request: TimelineRequest) -> TimelineDraft {
///         let hours = PeriodicTimelineSchedule(from: Date(timeIntervalSince1970: 0), by: 3600)
///         return TimelineDraft(ticksOf: hours, for: request)
///     }
/// }
/// ```
public protocol TimelineStrategy: Hashable, Sendable {
    /// The name by which configurations and people know the strategy.
    static var name: String { get }

    /// True if the strategy makes its timelines for recipients that are not signed in, too (T13). The default is false.
    static var showsSignedOut: Bool { get }

    /// The moments of the entries, in any order, and the reload policy for a timeline made at `request.at`.
    ///
    /// The draft is a pure function of the request: the same request gives the same draft (T1).
    func draft(for request: TimelineRequest) -> TimelineDraft

    /// What has to be known before a timeline of this configuration can be made, and what to watch for afterwards.
    ///
    /// By default that is what ticks show: the configuration's vehicle, and the events of today and tomorrow (T11).
    func needs(of configuration: WidgetConfiguration) -> SourceNeeds

    /// How long a vehicle may be silent until it counts as `Offline`. By default it is `nil`, which leaves it at half
    /// an hour.
    var offlineAfter: CalendarDuration? { get }

    /// Parameters for entries of configurations that have none of the same key themselves (T8). By default there are
    /// none.
    var parameterDefaults: Parameters { get }
}

extension TimelineStrategy {
    public static var showsSignedOut: Bool { false }
    public var offlineAfter: CalendarDuration? { nil }
    public var parameterDefaults: Parameters { Parameters() }

    public func needs(of configuration: WidgetConfiguration) -> SourceNeeds {
        SourceNeeds(
            vehicle: configuration.chosenVehicle.map {
                .init(vehicleId: $0, offlineAfter: offlineAfter?.nominal ?? TimelineRequest.offlineAfterDefault)
            },
            agenda: SourceNeeds.AgendaNeed(ofTicks: configuration))
    }
}

/// A strategy that comes with the program: configurations choose it by its name and set its options.
///
/// Adding one is one file that conforms to this, and one line in `TimelineStrategies.all`.
package protocol ConfigurableStrategy: TimelineStrategy {
    /// What people are told about the strategy, with the declarations of its options. Other options are refused.
    static var reference: StrategyReference { get }

    /// Reads the options; those that are absent take their defaults.
    ///
    /// - Throws: the first option that is wrong, with its key and what is allowed. All options were checked before.
    init(options: StrategyOptions) throws(ConfigurationProblem)

    /// Why a `tick` of a timeline made at `at` has its date, in words that follow the entry in a preview. `nil` means
    /// that the date is none of the strategy's own: the tick shows what is known.
    func reason(ofTickAt date: Instant, madeAt at: Instant, for configuration: WidgetConfiguration) -> String?

    /// What is allowed, but hardly meant, in a timeline made at `at`: sentences that begin with the option's key.
    func warnings(at: Instant) -> [String]
}

extension ConfigurableStrategy {
    package func reason(
        ofTickAt date: Instant, madeAt at: Instant, for configuration: WidgetConfiguration
    ) -> String? { nil }

    package func warnings(at: Instant) -> [String] { [] }
}

/// The registry of strategies: the one place that names them all.
public enum TimelineStrategies {
    package static let all: [any ConfigurableStrategy.Type] = [
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

    /// The strategy of a configuration whose own cannot be read.
    package static var standIn: any TimelineStrategy { InnerStrategy(EventsStrategy.self).strategy }

    /// The strategy of this name with these options, as Documentation/Strategies.md lists them.
    ///
    /// - Throws: everything that is wrong, each with its key: the name (key `strategy`), options that are not allowed,
    ///   keys that the strategy does not have.
    public static func strategy(
        named name: String, options: Parameters = Parameters()
    ) throws(ConfigurationProblems) -> any TimelineStrategy {
        try strategy(named: name, options: options, path: "strategy")
    }

    /// The strategy of this name with these options; `path` is how a reader of the configuration knows it.
    ///
    /// - Throws: as `strategy(named:options:)`, with `path` in place of `strategy`.
    package static func strategy(
        named name: String, options: Parameters, path: String
    ) throws(ConfigurationProblems) -> any ConfigurableStrategy {
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
    /// - Throws: all the names and the nearest one, if none is the one that is asked for.
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
