import Foundation
import TestSupport
import Testing

/// The rule of compatibility by which schemas/ are held to the newest release: what is added passes, what breaks for
/// those who knew the older schema is named.
@Suite("Changes of the contract are judged")
struct SchemaChangeTests {
    struct Change: Sendable, CustomTestStringConvertible {
        let what: String
        let direction: String
        let old: String
        let new: String

        init(_ what: String, _ direction: String, _ old: String, _ new: String) {
            self.what = what
            self.direction = direction
            self.old = old
            self.new = new
        }

        var testDescription: String { "\(direction): \(what)" }
    }

    @Test("what those who knew the older schema can live with passes")
    func allowed() async throws {
        let result = try await judge(Self.allowedChanges)
        #expect(result.succeeded, "\(result.standardError)")
        #expect(result.standardOutput == "\(Self.allowedChanges.count) passed, 0 failed\n")
    }

    @Test("what breaks is named, each for itself")
    func refused() async throws {
        let result = try await judge(Self.breakingChanges)
        #expect(result.status == 1)
        for (index, change) in Self.breakingChanges.enumerated()
        where !result.standardError.contains("line \(index + 1): ") {
            Issue.record("passes: \(change.testDescription)")
        }
    }

    @Test("every schema is compatible with itself, and taking any field of an output away is a break")
    func fieldsOfOutputs() async throws {
        var changes: [Change] = []
        for topic in ["timelines", "timeline.reloads", "push"] {
            let url = PackageRoot.url.appending(path: "schemas/\(topic).schema.json")
            let schema = try JSONSerialization.jsonObject(with: Data(contentsOf: url))
            let own = Change("\(topic) as it is", "output", try text(schema), try text(schema))
            #expect(try await judge([own]).succeeded)
            for (path, without) in Self.withoutEachField(schema) {
                changes.append(Change("\(topic) without \(path)", "output", try text(schema), try text(without)))
            }
        }
        #expect(changes.count > 40)
        let result = try await judge(changes)
        for (index, change) in changes.enumerated() where !result.standardError.contains("line \(index + 1): ") {
            Issue.record("passes: \(change.testDescription)")
        }
    }

    private func text(_ schema: Any) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: schema), as: UTF8.self)
    }

    private func judge(_ changes: [Change]) async throws -> ProcessResult {
        let lines = changes.map { #"{"direction": "\#($0.direction)", "old": \#($0.old), "new": \#($0.new)}"# }
        let file = TemporaryDirectory.make("changes").appending(path: "changes.jsonl")
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        return try await ProcessRunner.run(
            PackageRoot.url.appending(path: "Scripts/validate-schemas"), ["--changes", file.path],
            timeout: .seconds(300))
    }

    /// The schema once without each field that an object of a type lists. Parts without a type, such as conditions, are
    /// left alone.
    private static func withoutEachField(_ node: Any, _ path: String = "$") -> [(path: String, schema: Any)] {
        guard let schema = node as? [String: Any] else { return [] }
        var results: [(String, Any)] = []
        for key in schema.keys.sorted() where !["examples", "if", "then", "else", "allOf"].contains(key) {
            for (inner, changed) in withoutEachField(schema[key] as Any, "\(path).\(key)") {
                results.append((inner, schema.merging([key: changed]) { $1 }))
            }
        }
        guard schema["type"] as? String == "object", let fields = schema["properties"] as? [String: Any] else {
            return results
        }
        for field in fields.keys.sorted() {
            var others = fields
            others[field] = nil
            results.append(("\(path).\(field)", schema.merging(["properties": others]) { $1 }))
        }
        return results
    }
}

// MARK: - Cases

extension SchemaChangeTests {
    static let allowedChanges = [
        Change("a field is added", "output", object("a"), object("a", "b")),
        Change("an optional field is added", "input", object("a"), object("a", "b")),
        Change("a field is always there now", "output", object("a"), object("a", required: "a")),
        Change("a field may be missing now", "input", object("a", required: "a"), object("a")),
        Change("a value is added to a list that may grow", "output", grows("x"), grows("x", "y")),
        Change("a value is added", "input", closed("x"), closed("x", "y")),
        Change("numbers are whole now", "output", #"{"type": "number"}"#, #"{"type": "integer"}"#),
        Change("texts are taken, too", "input", #"{"type": "number"}"#, #"{"type": ["number", "string"]}"#),
        Change("a bound is nearer", "output", #"{"maximum": 500}"#, #"{"maximum": 100}"#),
        Change("a bound is farther", "input", #"{"maximum": 100}"#, #"{"maximum": 500}"#),
        Change("a bound is gone", "input", #"{"minimum": 1}"#, "{}"),
        Change("a pattern comes", "output", #"{"type": "string"}"#, #"{"type": "string", "pattern": "^a"}"#),
        Change("words change", "output", #"{"title": "a", "examples": [1]}"#, #"{"title": "b", "x-note": 1}"#),
        Change("a form is added", "input", #"{"anyOf": [{"const": 1}]}"#, #"{"anyOf": [{"const": 2}, {"const": 1}]}"#),
        Change(
            "a form never comes", "output", #"{"anyOf": [{"const": 1}, {"const": 2}]}"#, #"{"anyOf": [{"const": 2}]}"#),
        Change(
            "what was written out is referred to", "output", #"{"properties": {"a": {"type": "string"}}}"#,
            ##"{"properties": {"a": {"$ref": "#/$defs/t"}}, "$defs": {"t": {"type": "string"}}}"##),
        Change("a condition comes", "output", "{}", #"{"if": {"required": ["a"]}, "then": {"required": ["b"]}}"#),
        Change(
            "a condition holds for another phase, too", "output", condition(closed("end")),
            condition(closed("end", "day"))),
        Change(
            "a form is added that cannot be another one", "input",
            #"{"oneOf": [\#(tagged("a"))]}"#, #"{"oneOf": [\#(tagged("a")), \#(tagged("b"))]}"#),
        Change(
            "a field is added to a form", "output", #"{"oneOf": [\#(tagged("a")), \#(tagged("b"))]}"#,
            #"{"oneOf": [\#(tagged("a", more: #""n": {}"#)), \#(tagged("b"))]}"#),
        Change("a number is written otherwise", "input", #"{"enum": [1, true]}"#, #"{"enum": [1.0, true]}"#),
        Change(
            "a further field is named as it was taken", "input", #"{"additionalProperties": {"type": "number"}}"#,
            #"{"additionalProperties": {"type": "number"}, "properties": {"a": {"type": ["number", "null"]}}}"#),
        Change(
            "a further field is named as it was", "output", #"{"additionalProperties": {"type": "number"}}"#,
            #"{"additionalProperties": {"type": "number"}, "properties": {"a": {"type": "integer"}}}"#),
        Change(
            "what stands beside a reference is written out", "output",
            ##"{"$ref": "#/$defs/t", "required": ["b"], "$defs": {"t": {"required": ["a"]}}}"##,
            #"{"required": ["b", "a"]}"#),
    ]

    static let breakingChanges =
        [
            Change("a field is gone", "output", object("a", "b"), object("a")),
            Change("a field is not read any more", "input", object("a", "b"), object("a")),
            Change("a field may be missing", "output", object("a", required: "a"), object("a")),
            Change("a field is required", "input", object("a"), object("a", required: "a")),
            Change("a new field is required", "input", object("a"), object("a", "b", required: "b")),
            Change("a type is narrower", "input", #"{"type": ["string", "number"]}"#, #"{"type": "string"}"#),
            Change("a type is wider", "output", #"{"type": "string"}"#, #"{"type": ["string", "null"]}"#),
            Change("a type is another one", "output", #"{"type": "string"}"#, #"{"type": "number"}"#),
            Change("a type is left open", "output", #"{"type": "string"}"#, "{}"),
            Change("numbers are whole now", "input", #"{"type": "number"}"#, #"{"type": "integer"}"#),
            Change("numbers are not whole any more", "output", #"{"type": "integer"}"#, #"{"type": "number"}"#),
            Change("a value is gone", "output", grows("x", "y"), grows("x")),
            Change("a value of a closed list is gone", "output", closed("x", "y"), closed("x")),
            Change("a value comes to a closed list", "output", closed("x"), closed("x", "y")),
            Change("a closed list may grow", "output", closed("x"), grows("x")),
            Change("a value is not taken any more", "input", closed("x", "y"), closed("x")),
            Change("only some values are taken", "input", #"{"type": "string"}"#, closed("x")),
            Change("a bound is farther", "output", #"{"maximum": 100}"#, #"{"maximum": 500}"#),
            Change("a bound is gone", "output", #"{"minItems": 1}"#, "{}"),
            Change("a bound comes", "input", "{}", #"{"maxLength": 10}"#),
            Change("a pattern comes", "input", #"{"type": "string"}"#, #"{"type": "string", "pattern": "^a"}"#),
            Change("a pattern is another one", "output", #"{"pattern": "^a"}"#, #"{"pattern": "^b"}"#),
            Change("a format is gone", "output", #"{"format": "date-time"}"#, "{}"),
            Change("a default is another one", "input", #"{"default": "PT30M"}"#, #"{"default": "PT15M"}"#),
            Change(
                "further fields are refused", "input", object("a"),
                #"{"additionalProperties": false, \#(fields(["a"]))}"#),
            Change(
                "a form is not taken any more", "input", #"{"anyOf": [{"const": 1}, {"const": 2}]}"#,
                #"{"anyOf": [{"const": 2}]}"#),
            Change(
                "a form comes", "output", #"{"oneOf": [{"const": 1}]}"#, #"{"oneOf": [{"const": 1}, {"const": 2}]}"#),
            Change(
                "elements are of another type", "output", #"{"items": {"type": "string"}}"#,
                #"{"items": {"type": "number"}}"#),
            Change(
                "a field deep inside is gone", "output", #"{"items": {"properties": {"a": \#(object("b"))}}}"#,
                #"{"items": {"properties": {"a": \#(object("c"))}}}"#),
            Change(
                "what is referred to changes", "output",
                ##"{"$ref": "#/$defs/t", "$defs": {"t": {"type": "string"}}}"##,
                ##"{"$ref": "#/$defs/t", "$defs": {"t": {"type": "number"}}}"##),
            Change(
                "a field that was never there may come", "output", #"{"properties": {"a": false}}"#,
                #"{"properties": {"a": true}}"#),
            Change("a condition is gone", "output", condition(closed("end")), "{}"),
            Change("a condition comes", "input", "{}", condition(closed("end"))),
            Change(
                "a condition holds for fewer", "output", condition(closed("end", "day")), condition(closed("end"))),
            Change(
                "what a condition gives is gone", "output", condition(closed("end")),
                condition(closed("end"), then: #"{"required": []}"#)),
            Change("a constraint is gone", "output", #"{"allOf": [{"required": ["a"]}]}"#, #"{"allOf": []}"#),
            Change("fields do not come together any more", "output", #"{"dependentRequired": {"a": ["b"]}}"#, "{}"),
        ] + unknownKeywords + overlooked

    /// Nobody here knows what these keywords say, so whatever they say may not change.
    private static let unknownKeywords = [
        ("patternProperties", #"{"^a": {"type": "string"}}"#, #"{"^a": {"type": "number"}}"#),
        ("prefixItems", #"[{"type": "string"}]"#, #"[{"type": "number"}]"#),
        ("dependentSchemas", #"{"a": {"required": ["b"]}}"#, "{}"),
        ("unevaluatedProperties", "true", "false"), ("minContains", "1", "2"),
        ("contentEncoding", #""base64""#, #""base32""#), ("later", "1", "true"),
    ].flatMap { key, old, new in
        ["input", "output"].flatMap { direction in
            [
                Change("\(key) is another one", direction, #"{"\#(key)": \#(old)}"#, #"{"\#(key)": \#(new)}"#),
                Change("\(key) comes", direction, "{}", #"{"\#(key)": \#(new)}"#),
                Change("\(key) goes", direction, #"{"\#(key)": \#(old)}"#, "{}"),
            ]
        }
    }

    private static let overlooked = [
        Change(
            "what an unknown keyword refers to changes", "output",
            ##"{"patternProperties": {"^a": {"$ref": "#/$defs/t"}}, "$defs": {"t": {"type": "string"}}}"##,
            ##"{"patternProperties": {"^a": {"$ref": "#/$defs/t"}}, "$defs": {"t": {"type": "number"}}}"##),
        Change(
            "what a negation refers to changes", "output",
            ##"{"not": {"$ref": "#/$defs/t"}, "$defs": {"t": {"type": "string"}}}"##,
            ##"{"not": {"$ref": "#/$defs/t"}, "$defs": {"t": {"type": "number"}}}"##),
        Change(
            "a form comes that overlaps", "input", #"{"oneOf": [{"required": ["a"]}]}"#,
            #"{"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}"#),
        Change(
            "a form grows into another one", "input", #"{"oneOf": [\#(tagged("a")), \#(tagged("b"))]}"#,
            #"{"oneOf": [\#(tagged("a")), \#(object("tag"))]}"#),
        Change(
            "a form goes that kept another one apart", "output",
            #"{"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}"#,
            #"{"oneOf": [{"required": ["a"]}]}"#),
        Change(
            "a field is none of the further fields", "output", #"{"additionalProperties": {"type": "number"}}"#,
            #"{"additionalProperties": {"type": "number"}, \#(fields(["a"]))}"#),
        Change(
            "a further field is taken as another one", "input", #"{"additionalProperties": {"type": "number"}}"#,
            #"{"additionalProperties": {"type": "number"}, \#(fields(["a"]))}"#),
        Change("a field is refused", "input", object("a"), #"{"properties": {"a": {"type": "string"}, "b": false}}"#),
        Change(
            "a field is refused, said otherwise", "input", "{}",
            ##"{"properties": {"b": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"allOf": [{"not": {}}]}}}"##),
        Change("true is no number", "input", #"{"enum": [true]}"#, #"{"enum": [1]}"#),
        Change("false is no number", "output", #"{"const": false}"#, #"{"const": 0}"#),
        Change("a default is a number", "input", #"{"default": true}"#, #"{"default": 1}"#),
        Change("an output is an input", "output", #"{"x-direction": "output"}"#, #"{"x-direction": "input"}"#),
        Change(
            "what works is planned", "output", #"{"type": "string"}"#, #"{"type": "string", "x-status": "planned"}"#),
        Change(
            "what a reference's target requires goes, behind another requirement", "output",
            ##"{"$ref": "#/$defs/t", "required": ["b"], "$defs": {"t": {"required": ["a"]}}}"##,
            ##"{"$ref": "#/$defs/t", "required": ["b"], "$defs": {"t": {"required": []}}}"##),
        Change(
            "a type beside a reference hides that of its target", "output",
            ##"{"$ref": "#/$defs/t", "type": "string", "$defs": {"t": {"type": "string", "pattern": "a"}}}"##,
            ##"{"$ref": "#/$defs/t", "type": "string", "$defs": {"t": {"type": "string"}}}"##),
        Change(
            "a field whose name is a keyword's changes", "output", #"{"properties": {"title": {"type": "string"}}}"#,
            #"{"properties": {"title": {"type": "number"}}}"#),
        Change(
            "a condition holds less often, by one field more", "output", condition(closed("end")),
            #"{"if": {"properties": {"phase": {"enum": ["end", "day"]}, "b": {"const": 1}}}, "#
                + #""then": {"required": ["ongoing"]}}"#
        ),
    ]

    private static func tagged(_ tag: String, more: String? = nil) -> String {
        """
        {"type": "object", "required": ["tag"], \
        "properties": {"tag": {"const": "\(tag)"}\(more.map { ", " + $0 } ?? "")}}
        """
    }

    private static func object(_ names: String..., required: String? = nil) -> String {
        let needed = required.map { #", "required": ["\#($0)"]"# } ?? ""
        return #"{"type": "object", \#(fields(names))\#(needed)}"#
    }

    private static func fields(_ names: [String]) -> String {
        #""properties": {\#(names.map { #""\#($0)": {"type": "string"}"# }.joined(separator: ", "))}"#
    }

    private static func closed(_ values: String...) -> String { #"{"enum": \#(values)}"# }

    private static func grows(_ values: String...) -> String {
        #"{"type": "string", "x-extensible-enum": \#(values)}"#
    }

    private static func condition(_ phase: String, then: String = #"{"required": ["ongoing"]}"#) -> String {
        #"{"if": {"properties": {"phase": \#(phase)}}, "then": \#(then)}"#
    }
}
