import Foundation
import HTTPClient
import Messages
import RecordLog
import Simulation
import Sinks
import TestSupport
import Testing
import Timelines

/// What sinks send and write, held against schemas/ by a validator that shares no code with them; and what the page for
/// consumers says of it.
@Suite("What is sent keeps to the contract")
struct SentFormTests {
    private let stage = ReloadStage()

    @Test("a webhook's body and headers are those of schemas/")
    func webhook() async throws {
        stage.reload("répondeur 1", ["a", "b"], reason: .statusChanged)
        stage.reload("r", ["c"])
        try stage.post()
        let requests = stage.service.requests.map(\.request)
        try #require(requests.count == 2)
        try await validate(requests.map { ("webhook", String(decoding: $0.body, as: UTF8.self)) })
        try await validate(requests.map { ("asyncapi/webhookHeaders", try Self.json($0.headers)) })
    }

    @Test("a push's payload and headers are those of schemas/")
    func push() async throws {
        stage.configure("a", token: "aa01", environment: "sandbox")
        stage.reload("r", ["a"], reason: .requested)
        try await stage.push()
        let requests = stage.service.requests.map(\.request)
        try #require(requests.count == 1)
        try await validate(requests.map { ("push", String(decoding: $0.body, as: UTF8.self)) })
        try await validate(requests.map { ("asyncapi/pushHeaders", try Self.json($0.headers)) })
    }

    @Test("headers of records are those of schemas/")
    func recordHeaders() async throws {
        let made = CloudEventHeaders(source: "/app")
        let tombstone = made.timelineTombstone(
            configurationId: "c", at: Instant(milliseconds: 1), traceParent: Array("00-\(trace)-01".utf8))
        stage.reload("r", ["a"])
        stage.cluster.appendKeyed(ReloadStage.reloads, key: "r", value: "no reload", headers: [Header("x", "y")])
        stage.configure("a", token: "aa01")
        try await stage.push()
        let reload = try #require(stage.cluster.records(ReloadStage.reloads).first).headers
        let letter = try #require(stage.deadLetters.first).headers
        try await validate([
            ("asyncapi/cloudEvent", try Self.json(tombstone.map { ($0.name, $0.value ?? []) })),
            ("asyncapi/cloudEvent", try Self.json(reload.map { ($0.name, $0.value ?? []) })),
            ("asyncapi/deadLetterHeaders", try Self.json(letter.map { ($0.name, $0.value ?? []) })),
        ])
    }

    @Test("the page for consumers names files as the sink does")
    func fileNames() async throws {
        let page = PackageRoot.url.appending(path: "Documentation/Consuming.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let block = try #require(
            text.components(separatedBy: "```python\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
                .first { $0.contains("def file_name") })
        let ids = [
            "", "Car", "car", "..", "a.b", ".a", "a/b", "%41", "ä b", "🚐", "~", "A1_-.x",
            String(repeating: "Ж", count: 40), String(repeating: "a", count: 200), String(repeating: "a", count: 201),
        ]
        let program = """
            \(block)
            import json, sys
            ids = json.load(open(sys.argv[1]))
            print("\\n".join(file_name(id, keeps) for keeps in (True, False) for id in ids))
            """
        let directory = try TemporaryDirectory()
        try directory.write(String(decoding: try JSONEncoder().encode(ids), as: UTF8.self), to: "ids.json")
        let result = try await ProcessRunner.run(
            PackageRoot.url.appending(path: "Scripts/python"), ["-c", program, directory.path + "/ids.json"],
            timeout: .seconds(300))
        try #require(result.succeeded, "\(result.standardError)")
        let names = [true, false].flatMap { keeps in ids.map { TimelineFileName.of($0, keepsCapitals: keeps) } }
        #expect(result.standardOutput.split(separator: "\n").map(String.init) == names)
    }

    private let trace = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331"

    // MARK: - The validator

    private static func json(_ headers: [HTTPHeader]) throws -> String {
        try json(headers.map { ($0.name, Array($0.value.utf8)) })
    }

    private static func json(_ headers: [(String, [UInt8])]) throws -> String {
        let texts = headers.map { ($0.0, String(decoding: $0.1, as: UTF8.self)) }
        let data = try JSONEncoder().encode(Dictionary(texts) { "\($0), and \($1)" })
        return String(decoding: data, as: UTF8.self)
    }

    private func validate(
        _ values: [(topic: String, value: String)], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let lines = values.map { #"{"topic": "\#($0.topic)", "value": \#($0.value)}"# }
        let directory = try TemporaryDirectory()
        try directory.write(lines.joined(separator: "\n"), to: "records.jsonl")
        let result = try await ProcessRunner.run(
            PackageRoot.url.appending(path: "Scripts/validate-schemas"),
            ["--records", directory.path + "/records.jsonl"], timeout: .seconds(300))
        #expect(result.succeeded, "\(result.standardError)", sourceLocation: sourceLocation)
        #expect(result.standardOutput == "\(values.count) passed, 0 failed\n", sourceLocation: sourceLocation)
    }
}
