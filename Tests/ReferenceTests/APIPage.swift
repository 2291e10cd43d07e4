import Foundation
import Messages
import TestSupport
import Timelines

/// Documentation/API.md: the routes of schemas/openapi.json with an example each.
struct APIPage {
    private typealias Node = [String: Any]

    private let document: Node

    init() throws {
        let url = PackageRoot.url.appending(path: "schemas/openapi.json")
        guard let document = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? Node else {
            throw PageError(description: "schemas/openapi.json is no object")
        }
        self.document = document
    }

    struct PageError: Error, CustomStringConvertible {
        let description: String
    }

    /// The version of the document.
    var version: String? { (document["info"] as? Node)?["version"] as? String }

    var markdown: String {
        let groups = tags.map { tag in (tag: tag, operations: operations.filter { $0.tag == tag.name }) }
        var text = """
            # HTTP API

            \(intro)
            `tideline serve` answers at `serve.listen`, and `GET /openapi.json` gives the OpenAPI 3.1 document that this
            page is written from (`make reference`). The examples want two variables:

            ```console
            $ export TIDELINE=http://127.0.0.1:8080 TOKEN=…
            ```

            A caller needs a bearer token with the scope of the route, or none on a server of loopback without
            tokens. One that is confined to recipients sees their timelines, reloads and configurations; one that is
            confined to readers sees and records their positions; one that is confined to both, those of its readers
            in the timelines of its recipients. A caller that is confined makes configurations under ids that are one
            of its recipients or begin with one and a slash, and writes no telemetry and no events.

            | route | scope | what |
            |---|---|---|

            """
        for operation in groups.flatMap(\.operations) {
            let scope = operation.scope.isEmpty ? "" : "`\(operation.scope)`"
            text += "| `\(operation.method) \(operation.path)` | \(scope) | \(operation.summary) |\n"
        }
        for (tag, operations) in groups {
            text += "\n## \(tag.name): \(tag.description.prefix(1).lowercased() + tag.description.dropFirst())\n"
            for operation in operations { text += "\n" + section(operation) }
        }
        return text
    }

    private var intro: String {
        let description = (document["info"] as? Node)?["description"] as? String ?? ""
        return description
    }

    private var tags: [(name: String, description: String)] {
        (document["tags"] as? [Node] ?? []).compactMap { tag in
            guard let name = tag["name"] as? String, let description = tag["description"] as? String else { return nil }
            return (name, description)
        }
    }

    // MARK: - Operations

    private struct Operation {
        var method: String
        var path: String
        var node: Node
        var parameters: [Node]

        var summary: String { node["summary"] as? String ?? "" }
        var tag: String? { (node["tags"] as? [String])?.first }
        var scope: String {
            let security = node["security"] as? [[String: [String]]] ?? [["bearer": ["read"]]]
            return security.first?["bearer"]?.first ?? ""
        }
    }

    private static let methods = ["get", "put", "patch", "post", "delete"]

    /// By path, then in the order of the methods.
    private var operations: [Operation] {
        let paths = document["paths"] as? [String: Node] ?? [:]
        return paths.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.flatMap { path, item in
            Self.methods.compactMap { method -> Operation? in
                guard let node = item[method] as? Node else { return nil }
                let parameters = (item["parameters"] as? [Node] ?? []) + (node["parameters"] as? [Node] ?? [])
                return Operation(
                    method: method.uppercased(), path: path, node: node, parameters: parameters.map(resolved))
            }
        }
    }

    private func section(_ operation: Operation) -> String {
        var text = "### \(operation.method) \(operation.path)\n\n\(operation.summary)."
        if let description = operation.node["description"] as? String { text += " \(description)" }
        text += "\n"
        let parameters = operation.parameters.filter { $0["in"] as? String != "path" }
        if !parameters.isEmpty { text += "\n" + parameters.map(line).joined(separator: "\n") + "\n" }
        text += "\n" + statuses(of: operation)
        text += "\n```console\n$ \(curl(operation))\n"
        if let answer = answer(of: operation) { text += answer }
        return text + "```\n"
    }

    private func line(_ parameter: Node) -> String {
        let name = parameter["name"] as? String ?? ""
        let place = parameter["in"] as? String == "header" ? " (header)" : ""
        let needed = parameter["required"] as? Bool == true ? " Required." : ""
        let description = parameter["description"] as? String ?? "Only of this."
        return "- `\(name)`\(place): \(description)\(range(of: parameter))\(needed)"
    }

    /// The range and the default of a number, as a sentence after a space.
    private func range(of parameter: Node) -> String {
        guard let schema = parameter["schema"] as? Node, let minimum = schema["minimum"] as? Int else { return "" }
        let maximum = (schema["maximum"] as? Int).map { " … \($0)" } ?? " or more"
        let usual = (schema["default"] as? Int).map { "; \($0) by default" } ?? ""
        return " \(minimum)\(maximum)\(usual)."
    }

    /// The statuses that an operation can answer with, ascending.
    private func statuses(of operation: Operation) -> String {
        let responses = operation.node["responses"] as? Node ?? [:]
        return "Statuses: \(responses.keys.sorted().joined(separator: ", ")).\n"
    }

    // MARK: - Examples

    private static let values = [
        "configurationId": "courier", "recipient": "ana", "readerId": "ana", "calendarId": "rounds",
        "uid": "morning-round",
    ]

    private func curl(_ operation: Operation) -> String {
        var target = operation.path
        for (name, value) in Self.values { target = target.replacingOccurrences(of: "{\(name)}", with: value) }
        let required = operation.parameters.filter { $0["in"] as? String == "query" && $0["required"] as? Bool == true }
        let query = required.compactMap { parameter -> String? in
            guard let name = parameter["name"] as? String else { return nil }
            return "\(name)=\(Self.values[name] ?? "2026-11-20T06:30:00Z")"
        }
        if !query.isEmpty { target += "?" + query.joined(separator: "&") }
        var words = "curl"
        if !operation.scope.isEmpty { words += #" -H "Authorization: Bearer $TOKEN""# }
        if operation.method != "GET" { words += " -X \(operation.method)" }
        let url = query.isEmpty ? "$TIDELINE\(target)" : "\"$TIDELINE\(target)\""
        guard let body = body(of: operation) else { return "\(words) \(url)" }
        return "\(words) \(url) \\\n    -H 'Content-Type: \(body.mediaType)' -d '\(body.text)'"
    }

    private func body(of operation: Operation) -> (mediaType: String, text: String)? {
        guard let content = (operation.node["requestBody"] as? Node)?["content"] as? [String: Node],
            let (mediaType, media) = content.filter({ $0.value["examples"] != nil }).min(by: { $0.key < $1.key }),
            let example = (media["examples"] as? [String: Node])?.min(by: { $0.key < $1.key })?.value["value"]
        else { return nil }
        return (
            mediaType,
            Self.json(example).text.replacingOccurrences(of: "\n", with: "\n    ")
                .trimmingCharacters(in: .whitespacesAndNewlines)
        )
    }

    /// The shortest example of the answer that is good, in lines.
    private func answer(of operation: Operation) -> String? {
        let responses = operation.node["responses"] as? [String: Node] ?? [:]
        let response = ["202", "200"].compactMap { responses[$0] }.first.map(resolved)
        guard let content = response?["content"] as? [String: Node],
            let schema = content["application/json"]?["schema"] as? Node
        else { return nil }
        let examples = examples(of: schema)
        return examples.map { Self.json($0).text }.min { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }

    private func examples(of schema: Node) -> [Any] {
        let schema = resolved(schema)
        if let examples = schema["examples"] as? [Any] { return examples }
        return (schema["anyOf"] as? [Node] ?? []).first.map { examples(of: $0) } ?? []
    }

    private func resolved(_ node: Node) -> Node {
        guard let reference = node["$ref"] as? String else { return node }
        var target: Any? = document
        for part in reference.dropFirst(2).split(separator: "/") { target = (target as? Node)?[String(part)] }
        return target as? Node ?? [:]
    }

    /// JSON for people to read, with keys ascending.
    private static func json(_ value: Any) -> JSONSchema {
        switch value {
        case let object as Node: .object(object.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) })
        case let list as [Any]: .list(list.map { json($0) })
        // Foundation gives true and false as numbers of one byte, and no other number so.
        case let number as NSNumber where String(cString: number.objCType) == "c":
            .value(.bool(number.boolValue))
        case let number as NSNumber: .value(.number("\(number)"))
        case let text as String: .value(.string(text))
        default: .value(.null)
        }
    }
}
