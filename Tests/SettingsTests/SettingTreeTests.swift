import Settings
import Testing

/// A setting with structure: the names of its fields, each checked to be a map.
private let shapes = SettingKey(
    "shapes",
    SettingType<[String]>.tree(allowed: "a map of shapes") { tree throws(SettingTree.Problems) in
        guard case .map(let pairs) = tree.content else {
            if case .null = tree.content { return [] }
            throw SettingTree.Problems([.init(path: [], "must be a map")])
        }
        let problems = pairs.flatMap { name, shape -> [SettingTree.Problem] in
            guard case .map(let fields) = shape.content else { return [.init(path: [name], "must be a map")] }
            return fields.filter { $0.key == "bad" }.map { .init(path: [name, $0.key], "must not be bad") }
        }
        guard problems.isEmpty else { throw SettingTree.Problems(problems) }
        return pairs.map { "\($0.key) = \($0.value)" }
    }, default: [], "Shapes.")
private let sides = SettingKey("sides", .integer(1...9), default: 4, "Sides.")
private let schema = SettingsSchema([shapes, sides])

@Suite("Settings with structure")
struct SettingTreeTests {
    private func read(_ sources: SettingsSources) throws -> [String] { try schema.resolve(sources)[shapes] }

    private func problems(_ sources: SettingsSources) -> [String] {
        do throws(SettingsProblems) {
            _ = try schema.resolve(sources)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test(
        "A nested part of the file is one value, in which quotes decide what is a text",
        arguments: [
            ("shapes: {a: {n: 100}}", #"a = {"n":100}"#), ("shapes: {a: {n: \"100\"}}", #"a = {"n":"100"}"#),
            ("shapes:\n  a:\n    n: -1.50e3\n", #"a = {"n":-1.50e3}"#), ("shapes: {a: {n: []}}", #"a = {"n":[]}"#),
            ("shapes:\n  a:\n    n:\n      - 1\n      - {b: two}\n", #"a = {"n":[1,{"b":"two"}]}"#),
            (
                "shapes: {a: {n: true, m: 'true', o: null, p: ~, q: }}",
                #"a = {"n":true,"m":"true","o":null,"p":null,"q":null}"#
            ),
            ("shapes: {a: {n: 0x1F, m: 007, o: .5, p: +1}}", #"a = {"n":"0x1F","m":"007","o":".5","p":"+1"}"#),
            ("shapes: {a.b: {n: Player 1}}", #"a.b = {"n":"Player 1"}"#),
            ("shapes:\n  a:\n    n: |\n      12\n", #"a = {"n":"12\u000a"}"#),
        ])
    func nested(text: String, value: String) throws {
        #expect(try read(SettingsSources(file: file(text))) == [value])
    }

    @Test("Nothing at all is the default, and the dotted key of another setting stays one")
    func nothing() throws {
        #expect(try read(SettingsSources(file: file("shapes:\nsides: 3"))) == [])
        #expect(try read(SettingsSources()) == [])
        #expect(try read(SettingsSources(environment: ["TIDELINE_SHAPES": ""])) == [])
    }

    @Test("Flags and variables carry JSON, and replace what is weaker as a whole")
    func json() throws {
        var sources = SettingsSources(file: file("shapes: {a: {n: 1}, b: {n: 2}}"))
        sources.environment = [
            "TIDELINE_SHAPES": #"{"c":{"n":[1.0,"x",null,{}],"e":"\ud83d\ude97\ud83d\ude97\\ud83d\/"}}"#
        ]
        #expect(try read(sources) == [#"c = {"n":[1.0,"x",null,{}],"e":"🚗🚗\\ud83d/"}"#])
        sources.flags = [.init(key: "shapes", text: #"{"d": {}}"#, flag: "--set")]
        let settings = try schema.resolve(sources)
        #expect(settings[shapes] == ["d = {}"])
        #expect(settings.nonDefaults == #"shapes = {"d": {}} (--set)"#)
    }

    @Test("All problems are told with their places, those of other settings among them")
    func allProblems() {
        let text = """
            shapes:
              a: {good: 1}
              b: 2
              c:
                good: 1
                bad: 2
            sides: 10
            """
        let sources = SettingsSources(
            flags: [.init(key: "shapes", text: #"{"x": 1, "y": {"bad": 1}}"#, flag: "--set")],
            environment: ["TIDELINE_SHAPES": "{"], file: file(text))
        #expect(
            problems(sources) == [
                "--set: shapes.x: must be a map", "--set: shapes.y.bad: must not be bad",
                "TIDELINE_SHAPES: shapes: not YAML: did not find expected node content while parsing a flow node",
                "tideline.yaml:3: shapes.b: must be a map", "tideline.yaml:6: shapes.c.bad: must not be bad",
                "tideline.yaml:7: sides is '10', allowed is a whole number from 1 to 9",
            ])
    }

    @Test(
        "What is no tree is told with its line",
        arguments: [
            (
                "shapes:\n  a: &x {n: 1}\n  b: *x",
                "tideline.yaml:3: shapes: anchors and aliases are not supported; write the value out"
            ),
            ("shapes:\n  a: {n: 1}\n  a: {n: 2}", "tideline.yaml:3: shapes: a stands at line 2 already"),
            ("shapes:\n  ? [a]\n  : 1", "tideline.yaml:2: shapes: a key is a text"),
            ("shapes: 5", "tideline.yaml:1: shapes: must be a map"),
            ("shapes.a: {n: 1}", "tideline.yaml:1: shapes.a.n is not a setting"),
        ])
    func noTree(text: String, problem: String) {
        #expect(problems(SettingsSources(file: file(text))) == [problem])
    }
}
