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

/// What people are told about a strategy or a schedule. The reference page and the schema are written from it.
package struct StrategyReference: Sendable {
    /// What the strategy is for, in one sentence.
    package var summary: String
    /// Which entries the strategy makes, and when the next timeline is due: whole sentences, as Markdown.
    package var discussion: String
    /// The declarations of the options.
    package var options: [any OptionDeclaration]
    /// How the strategy differs from the well-known example of WidgetKit, and which options give the example's
    /// behaviour.
    package var difference: String?
    package var example: Example?

    package init(
        summary: String, discussion: String, options: [any OptionDeclaration] = [], difference: String? = nil,
        example: Example? = nil
    ) {
        self.summary = summary
        self.discussion = discussion
        self.options = options
        self.difference = difference
        self.example = example
    }

    /// A configuration with all that its timeline is made of. The page shows the timeline, and the tests make it.
    package struct Example: Sendable {
        /// The configuration in JSON, as it is published to `widget.configurations`.
        package var configuration: String
        /// The instant for which the timeline is made, in RFC 3339.
        package var at: String
        /// Telemetry in JSON lines, as they are published to `vehicle.telemetry`.
        package var telemetry: String
        /// Events in JSON lines, as they are published to `calendar.events`.
        package var events: String
        /// Kinds as the settings declare them, in JSON; empty for none.
        package var kinds: String

        package init(
            _ configuration: String, at: String, telemetry: String = "", events: String = "", kinds: String = ""
        ) {
            self.configuration = configuration
            self.at = at
            self.telemetry = telemetry
            self.events = events
            self.kinds = kinds
        }
    }
}
