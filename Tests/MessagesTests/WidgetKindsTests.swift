import Messages
import Testing
import Timelines

/// Declarations of widget kinds (M6).
@Suite struct WidgetKindsTests {
    private func kinds(_ text: String) throws -> WidgetKinds {
        var parser = JSONParser()
        return try WidgetKinds(try parser.value(text))
    }

    private func problems(_ text: String) throws -> [String] {
        do {
            _ = try kinds(text)
            return []
        } catch let error as WidgetKindProblems {
            return error.problems.map { "\($0.path.joined(separator: ".")): \($0.message)" }
        }
    }

    @Test("every field of a declaration is read")
    func everyField() throws {
        let read = try kinds(
            #"""
            {"GameCharacter": {
                "displayName": "Game Character", "description": "How your character is doing.",
                "supportedFamilies": ["systemSmall", "systemMedium", "systemSmall"], "strategy": {"name": "hourly"},
                "parameters": {
                    "name": {"title": "Name", "type": "string"},
                    "avatar": {"title": "Avatar", "type": "string", "default": "Player 1"},
                    "alliances": {"title": "Alliances", "type": "array", "default": []},
                    "scores": {"title": "Scores", "type": "array", "items": "number", "default": [1, 2.5]},
                    "health": {"title": "Health", "type": "number", "default": 100.0},
                    "isAsleep": {"title": "Asleep", "type": "boolean", "default": null}},
                "reload": {"limit": 24, "burst": 24, "coalesce": "P1D", "scheduled": true}},
             "Bare": {}, "Null": null}
            """#)
        var expected = WidgetKind(kind: "GameCharacter")
        expected.displayName = "Game Character"
        expected.description = "How your character is doing."
        expected.supportedFamilies = [.systemSmall, .systemMedium]
        expected.strategy = .object(Parameters([.init(key: "name", value: .string("hourly"))]))
        expected.parameters = [
            .init(key: "alliances", title: "Alliances", type: .array, defaultValue: .array([])),
            .init(key: "avatar", title: "Avatar", type: .string, defaultValue: .string("Player 1")),
            .init(key: "health", title: "Health", type: .number, defaultValue: .number("100.0")),
            .init(key: "isAsleep", title: "Asleep", type: .boolean),
            .init(key: "name", title: "Name", type: .string),
            .init(
                key: "scores", title: "Scores", type: .array, items: .number,
                defaultValue: .array([.number("1"), .number("2.5")])),
        ]
        expected.reload.limit = 24
        expected.reload.burst = 24
        expected.reload.coalesce = .hours(24)
        expected.reload.scheduled = true
        #expect(read["GameCharacter"] == expected)
        #expect(read["Bare"] == WidgetKind(kind: "Bare") && read["Null"] == WidgetKind(kind: "Null"))
        #expect(read["Other"] == nil)
        #expect(read.all.map(\.kind) == ["Bare", "GameCharacter", "Null"])
        #expect(try WidgetKinds(.null) == WidgetKinds())
    }

    @Test("all that is wrong is told at once, with its path")
    func allProblems() throws {
        let found = try problems(
            #"""
            {"A": {"displayNme": "x", "supportedFamilies": [], "strategy": {"name": "hourly", "hours": 0}},
             "B": {"parameters": {"health": {"title": "Health", "type": "number", "default": "full"}}},
             "C": []}
            """#)
        #expect(
            found == [
                "A.displayNme: is unknown; known are displayName, description, supportedFamilies, strategy, "
                    + "parameters, reload; did you mean displayName?",
                "A.supportedFamilies: must be a list of families that is not empty",
                "A.strategy.hours: must be a whole number from 1 to 744, not 0",
                "B.parameters.health.default: must be a number, as its type says, not a string",
                "C: must be an object",
            ])
    }

    @Test(
        "what is wrong is named with what is allowed",
        arguments: [
            (#""displayName": """#, "displayName: must be a text that is not empty"),
            (#""description": 5"#, "description: must be a text that is not empty"),
            (#""strategy": 5"#, "strategy: must be a strategy's name, or an object {name, …options}"),
            (#""strategy": {"every": "PT1M"}"#, "strategy.name: is missing"),
            (
                #""parameters": {"p": null}"#,
                "parameters.p.title: is missing | "
                    + "parameters.p.type: is missing: must be one of string, number, boolean, array"
            ),
            (
                #""parameters": {"p": {"title": "P", "type": "bool"}}"#,
                "parameters.p.type: must be one of string, number, boolean, array; did you mean boolean?"
            ),
            (
                #""parameters": {"p": {"title": "P", "type": "array", "defalt": 1}}"#,
                "parameters.p.defalt: is unknown; known are title, type, items, default; did you mean default?"
            ),
            (
                #""parameters": {"p": {"title": "P", "type": "array", "items": "text", "default": ["a", 1, null]}}"#,
                "parameters.p.items: must be one of string, number, boolean | "
                    + "parameters.p.default.1: must be a string, as its type says, not a number | "
                    + "parameters.p.default.2: must be a string, as its type says, not null"
            ),
            (
                #""parameters": {"p": {"title": "P", "type": "number", "items": "string"}}"#,
                "parameters.p.items: is only for the type array"
            ),
            (
                #""parameters": {"p": {"title": "P", "type": "array", "items": "number", "default": "1"}}"#,
                "parameters.p.default: must be an array of numbers, as its type says, not a string"
            ),
            (#""parameters": []"#, "parameters: must be an object"),
            (#""reload": {"limit": 0}"#, "reload.limit: must be a whole number from 1 to 86400"),
            (#""reload": {"limit": 1.5}"#, "reload.limit: must be a whole number from 1 to 86400"),
            (#""reload": {"burst": 49}"#, "reload.burst: must be a whole number from 1 to the limit of 48"),
            (
                #""reload": {"limit": 5, "burst": 6}"#,
                "reload.burst: must be a whole number from 1 to the limit of 5"
            ),
            (
                #""reload": {"coalesce": "P1DT1S"}"#,
                "reload.coalesce: must be an ISO 8601 duration from PT0S to P1D, such as PT2S"
            ),
            (#""reload": {"scheduled": "yes"}"#, "reload.scheduled: must be true or false"),
            (
                #""reload": {"brst": 1}"#,
                "reload.brst: is unknown; known are limit, burst, coalesce, scheduled; did you mean burst?"
            ),
        ])
    func problem(fields: String, problem: String) throws {
        let found = try problems(#"{"K": {\#(fields)}}"#).map { String($0.dropFirst(2)) }
        #expect(found.joined(separator: " | ") == problem)
    }
}
