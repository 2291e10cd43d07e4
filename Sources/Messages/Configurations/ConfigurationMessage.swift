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

    /// The kind; empty if it names none.
    package var kind: String {
        switch self {
        case .usable(let configuration): configuration.kind
        case .unusable(let configuration): configuration.kind
        }
    }

    /// The recipient that shows it; the configuration's own id if it names none.
    package var recipient: String {
        switch self {
        case .usable(let configuration): configuration.recipient
        case .unusable(let configuration): configuration.recipient
        }
    }

    /// Reads a configuration. Problems make a configuration with an id unusable: its timeline shows the error.
    ///
    /// - Parameter kinds: the declared kinds. A configuration of one of them gets its defaults and must follow its
    ///   rules.
    /// - Throws: if it is not a JSON object with a `configurationId`, so that no timeline could show the error.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, kinds: WidgetKinds = WidgetKinds(), with parser: inout JSONParser
    ) throws(MessageProblem) -> ConfigurationMessage {
        try ConfigurationMessage(MessageFields(try parser.object(bytes)), kinds: kinds)
    }

    init(_ fields: MessageFields, kinds: WidgetKinds) throws(MessageProblem) {
        let configurationId = try fields.requiredIdentifier("configurationId")
        let kind = (try? fields.text("kind")).flatMap { kinds[$0] }
        do throws(ConfigurationProblems) {
            self = .usable(try WidgetConfiguration(fields, configurationId: configurationId, declared: kind))
        } catch {
            self = .unusable(
                UnusableConfiguration(fields, configurationId: configurationId, declared: kind, problems: error))
        }
    }
}

/// A configuration that cannot be used, with those of its fields that its `error` timeline needs, as far as they could
/// be read.
package struct UnusableConfiguration: Hashable, Sendable {
    package var configurationId: String
    /// The kind; empty if it names none.
    package var kind: String
    package var family: WidgetFamily
    package var recipient: String
    package var sinks: [String]?
    package var parameters: Parameters
    package var problems: ConfigurationProblems

    /// The problem that its `error` timeline names.
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
            // A number is no kind, but shows which one is meant: the recipient gets the error under that name.
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
    /// True for `{"configurationId": "…", "deleted": true}`: the record has no value.
    package var isTombstone: Bool

    /// - Throws: if the bytes are not a JSON object with a `configurationId`.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, with parser: inout JSONParser
    ) throws(MessageProblem) -> ConfigurationLine {
        let fields = MessageFields(try parser.object(bytes))
        return ConfigurationLine(
            configurationId: try fields.requiredIdentifier("configurationId"),
            isTombstone: try fields.bool("deleted") ?? false)
    }
}
