import Messages
import Testing
import Timelines

/// The defaults and rules that a declared kind sets for its configurations (M6).
@Suite struct DeclaredKindTests {
    /// A user-configurable widget: a game character.
    private let gameCharacter: WidgetKind = {
        var kind = WidgetKind(kind: "GameCharacter")
        kind.displayName = "Game Character"
        kind.supportedFamilies = [.systemSmall, .systemLarge]
        kind.strategy = .string("hourly")
        kind.parameters = [
            .init(key: "alliances", title: "Alliances", type: .array, defaultValue: .array([])),
            .init(key: "avatar", title: "Avatar", type: .string, defaultValue: .string("Player 1")),
            .init(key: "health", title: "Health", type: .number, defaultValue: .number("100.0")),
            .init(key: "name", title: "Name", type: .string),
        ]
        return kind
    }()

    private func read(_ fields: String, kind: String = "GameCharacter") throws -> ConfigurationMessage {
        var parser = JSONParser()
        let text = #"{"configurationId": "c", "kind": "\#(kind)", \#(fields)}"#
        return try withBytes(text) { bytes in
            try ConfigurationMessage.decode(bytes, kinds: WidgetKinds([gameCharacter]), with: &parser)
        }
    }

    private func usable(_ fields: String, kind: String = "GameCharacter") throws -> WidgetConfiguration {
        switch try read(fields, kind: kind) {
        case .usable(let configuration): return configuration
        case .unusable(let configuration): throw configuration.problem
        }
    }

    @Test("a configuration gets the defaults of its kind where it says nothing itself")
    func defaults() throws {
        let given = try usable(#""parameters": {"name": "Ada", "health": 7.50, "city": "Austin"}"#)
        let expected = Parameters([
            .init(key: "alliances", value: .array([])), .init(key: "avatar", value: .string("Player 1")),
            .init(key: "city", value: .string("Austin")), .init(key: "health", value: .number("7.50")),
            .init(key: "name", value: .string("Ada")),
        ])
        #expect(given.parameters == expected)
        #expect(type(of: given.strategy).name == "hourly")
        let own = try usable(#""parameters": {"name": "Ada"}, "vehicleId": "v", "strategy": {"name": "status"}"#)
        #expect(type(of: own.strategy).name == "status")
        let null = try usable(#""parameters": {"name": "Ada", "health": null, "other": null}, "strategy": null"#)
        #expect(null.parameters["health"] == .number("100.0") && null.parameters["other"] == .null)
        #expect(type(of: null.strategy).name == "hourly")
    }

    @Test("parameters are the configuration's, then the kind's, then the strategy's")
    func order() throws {
        let strategy = #""strategy": {"name": "hourly", "defaults": {"avatar": "Nobody", "city": "Rome", "name": "x"}}"#
        let configuration = try usable(#""parameters": {"name": "Ada"}, \#(strategy)"#)
        let timeline = TimelineProvider.timeline(
            for: TimelineRequest(configuration: configuration, at: instant("2026-03-02T08:00:00Z")))
        let parameters = try #require(timeline.entries.first).parameters
        #expect(parameters["name"] == .string("Ada"))
        #expect(parameters["avatar"] == .string("Player 1"))
        #expect(parameters["city"] == .string("Rome"))
    }

    @Test("without a family it is systemMedium, or the first that the kind supports")
    func family() throws {
        #expect(try usable(#""parameters": {"name": "Ada"}"#).family == .systemSmall)
        #expect(try usable(#""family": "systemLarge", "parameters": {"name": "Ada"}"#).family == .systemLarge)
        #expect(try usable(#""parameters": {}"#, kind: "Other").family == .systemMedium)
        guard case .unusable(let unusable) = try read(#""mode": "slow""#) else {
            Issue.record("usable")
            return
        }
        #expect(unusable.family == .systemSmall)
        #expect(unusable.parameters["avatar"] == .string("Player 1") && unusable.parameters["name"] == nil)
    }

    @Test(
        "what its kind does not allow makes a configuration unusable, with key, kind and what is allowed",
        arguments: [
            (
                #""family": "systemMedium""#,
                #"family: must be one that "Game Character" supports: systemSmall, systemLarge; not systemMedium"#
            ),
            (
                #""parameters": {"health": "full", "name": "Ada"}"#,
                #"parameters.health: must be a number, not a string: it is "Health" of "Game Character""#
            ),
            (
                #""parameters": {"alliances": {}, "name": "Ada"}"#,
                #"parameters.alliances: must be an array of strings, not an object: "#
                    + #"it is "Alliances" of "Game Character""#
            ),
            (
                #""parameters": {"alliances": ["red", "blue", 7], "name": "Ada"}"#,
                #"parameters.alliances[2]: must be a string, not a number: it is "Alliances" of "Game Character""#
            ),
            (
                #""parameters": {"name": null}"#,
                #"parameters.name: is missing: "Name" of "Game Character" has no default and must be a string"#
            ),
        ])
    func problems(fields: String, problem: String) throws {
        guard case .unusable(let read) = try read(fields) else {
            Issue.record("usable: \(fields)")
            return
        }
        #expect("\(read.problem.key): \(read.problem.message)" == problem)
    }

    @Test("a kind that is not declared has no rules")
    func undeclared() throws {
        let configuration = try usable(
            #""family": "accessoryInline", "parameters": {"health": "full", "n": null}"#, kind: "Other")
        let expected = Parameters([
            .init(key: "health", value: .string("full")), .init(key: "n", value: .null),
        ])
        #expect(configuration.parameters == expected)
        #expect(type(of: configuration.strategy).name == "events")
    }
}
