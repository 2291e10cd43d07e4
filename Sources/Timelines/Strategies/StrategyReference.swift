/// What people are told about a strategy or a schedule. The reference page and the schema are written from it.
package struct StrategyReference: Sendable {
    /// What it is for, in one sentence.
    package var summary: String
    /// Which entries it makes, and when it is made again: whole sentences, as Markdown.
    package var discussion: String
    package var options: [any OptionDeclaration]
    /// Where it differs from the well-known example of WidgetKit, and what gives the example's behaviour.
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
        /// JSON, as it is published to `widget.configurations`.
        package var configuration: String
        /// RFC 3339
        package var at: String
        /// JSON lines, as they are published to `vehicle.telemetry`.
        package var telemetry: String
        /// JSON lines, as they are published to `calendar.events`.
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
