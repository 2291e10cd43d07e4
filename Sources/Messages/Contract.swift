/// The names of the contract's topics (M2). Names are settings; these are the defaults.
package struct TopicNames: Hashable, Sendable {
    package var telemetry: String
    package var calendarEvents: String
    package var configurations: String
    package var timelines: String
    package var reloads: String
    package var positions: String
    package var positionsMerged: String
    package var deadLetters: String

    /// - Parameter prefix: a text that is put before every name as it is.
    package init(prefix: String = "") {
        telemetry = prefix + "vehicle.telemetry"
        calendarEvents = prefix + "calendar.events"
        configurations = prefix + "widget.configurations"
        timelines = prefix + "timelines"
        reloads = prefix + "timeline.reloads"
        positions = prefix + "timeline.positions"
        positionsMerged = prefix + "timeline.positions.merged"
        deadLetters = prefix + "tideline.dead-letters"
    }

    /// The topics that others write.
    package var inputs: [String] { [telemetry, calendarEvents, configurations, positions] }
    /// The topics that Tideline writes.
    package var outputs: [String] { [timelines, reloads, positionsMerged, deadLetters] }
}

/// The versions that others build on, in one place. `schemas/` says the same; the tests hold both to this.
package enum ContractVersion {
    /// The version of this release (Semantic Versioning), as in `tideline --version` and in `info.version` of
    /// `schemas/asyncapi.yaml`.
    package static let release = "0.1.0"

    /// The version of the form of messages: the number at the end of `ce_type` and of each schema's `$id`. It rises
    /// only with a change that breaks readers of the form before. Added fields and phases do not break them.
    package static let format = 1

    /// A schema's `$id`. A name, not an address: nothing is fetched from it.
    package static func schemaId(_ name: String) -> String { "urn:tideline:schema:\(name):\(format)" }

    /// The `ce_type` of an output.
    package static func eventType(_ name: String) -> String { "tideline.\(name).v\(format)" }
}
