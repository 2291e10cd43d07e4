package import Timelines

/// A value of the `widget.configurations` topic (M5).
package enum ConfigurationMessage: Hashable, Sendable {
    case usable(WidgetConfiguration)
    case unusable(UnusableConfiguration)

    package var configurationId: String {
        switch self {
        case .usable(let configuration): configuration.configurationId
        case .unusable(let configuration): configuration.configurationId
        }
    }

    /// Empty where it names none.
    package var kind: String {
        switch self {
        case .usable(let configuration): configuration.kind
        case .unusable(let configuration): configuration.kind
        }
    }

    /// Who shows it; the configuration itself where it names nobody.
    package var recipient: String {
        switch self {
        case .usable(let configuration): configuration.recipient
        case .unusable(let configuration): configuration.recipient
        }
    }

    /// Reads a configuration. What is wrong with one that says whose it is makes it unusable, and it gets a timeline
    /// that says so.
    ///
    /// - Parameter kinds: the declared ones: a configuration of one of them gets its defaults and is held to its rules.
    /// - Throws: where it is not a JSON object with a `configurationId`; nobody could be told then.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, kinds: WidgetKinds = WidgetKinds(), with parser: inout JSONParser
    ) throws(MessageProblem) -> ConfigurationMessage {
        let fields = MessageFields(try parser.object(bytes))
        let configurationId = try fields.requiredIdentifier("configurationId")
        let kind = (try? fields.text("kind")).flatMap { kinds[$0] }
        do throws(ConfigurationProblems) {
            return .usable(try WidgetConfiguration(fields, configurationId: configurationId, declared: kind))
        } catch {
            return .unusable(
                UnusableConfiguration(fields, configurationId: configurationId, declared: kind, problems: error))
        }
    }
}

/// A configuration that cannot be used, with all of it that its `error` timeline needs and that could be read.
package struct UnusableConfiguration: Hashable, Sendable {
    package var configurationId: String
    /// Empty where it names none.
    package var kind: String
    package var family: WidgetFamily
    package var recipient: String
    package var sinks: [String]?
    package var parameters: Parameters
    package var problems: ConfigurationProblems

    /// The one that its `error` timeline names.
    package var problem: ConfigurationProblem { problems.first }

    package init(
        configurationId: String, kind: String = "", family: WidgetFamily = .systemMedium, recipient: String? = nil,
        sinks: [String]? = nil, parameters: Parameters = Parameters(), problems: ConfigurationProblems
    ) {
        self.configurationId = configurationId
        self.kind = kind
        self.family = family
        self.recipient = recipient ?? configurationId
        self.sinks = sinks
        self.parameters = parameters
        self.problems = problems
    }

    fileprivate init(
        _ fields: MessageFields, configurationId: String, declared: WidgetKind?, problems: ConfigurationProblems
    ) {
        let parameters = (try? fields.parameters()) ?? Parameters()
        self.init(
            configurationId: configurationId,
            // A number is no kind, but says which one is meant: its recipient is told of the error under that name.
            kind: (try? fields.identifier("kind")) ?? "",
            family: (try? fields.name("family", of: WidgetFamily.self))
                ?? declared?.defaultFamily ?? .systemMedium,
            recipient: try? fields.recipient(),
            sinks: try? fields.sinks(),
            parameters: declared?.parameters(over: parameters) ?? parameters,
            problems: problems)
    }
}

/// A line of a file of configurations, as `produce configurations` sends it on.
package struct ConfigurationLine: Hashable, Sendable {
    /// The record's key.
    package var configurationId: String
    /// `{"configurationId": "…", "deleted": true}`: the record has no value.
    package var isTombstone: Bool

    package static func decode(
        _ bytes: UnsafeRawBufferPointer, with parser: inout JSONParser
    ) throws(MessageProblem) -> ConfigurationLine {
        let fields = MessageFields(try parser.object(bytes))
        return ConfigurationLine(
            configurationId: try fields.requiredIdentifier("configurationId"),
            isTombstone: try fields.bool("deleted") ?? false)
    }
}
