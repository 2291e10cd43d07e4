import Messages
import Testing
import Timelines

/// Declarations of widget kinds (DESIGN.md section 3, kinds).
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
                "parameters.p.defalt: is unknown; known are title, type, default; did you mean default?"
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
