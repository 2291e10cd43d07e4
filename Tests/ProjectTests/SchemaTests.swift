import Foundation
import TestSupport
import Testing

@Suite("The contract has its schemas")
struct SchemaTests {
    /// The topics of the contract (M2). What dead letters hold is anything, so they have no schema.
    static let topics = [
        "vehicle.telemetry", "calendar.events", "widget.configurations", "timelines", "timeline.reloads",
        "timeline.positions", "timeline.positions.merged",
    ]

    /// Of a setting, and of what is sent over HTTP.
    static let others = ["kinds", "webhook", "push"]

    @Test("every topic has a JSON Schema of draft 2020-12", arguments: topics + others)
    func schema(topic: String) throws {
        let url = PackageRoot.url.appending(path: "schemas/\(topic).schema.json")
        let schema = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any]
        #expect(schema?["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
        #expect(schema?["type"] as? String == "object")
    }

    @Test("an independent validator finds nothing wrong with schemas, examples, asyncapi.yaml and the newest release")
    func schemas() async throws {
        let releases = try FileManager.default.contentsOfDirectory(
            atPath: PackageRoot.url.appending(path: "schemas/releases").path)
        #expect(!releases.isEmpty)
        let result = try await validate([])
        #expect(result.succeeded, "\(result.standardError)")
        // And asyncapi.yaml, openapi.yaml, and the comparison with the release.
        #expect(result.standardOutput.hasSuffix("\((Self.topics + Self.others).count + 3) passed, 0 failed\n"))
    }

    @Test("consumers can live with what later releases may add, of which our own tests take nothing")
    func additions() async throws {
        let added = SchemaCases.additions.map(record)
        let published = try await validate(added, ["--published"])
        #expect(published.succeeded, "\(published.standardError)")
        let strict = try await validate(added)
        #expect(strict.status == 1 && strict.standardOutput == "0 passed, \(added.count) failed\n")
    }

    @Test(
        "the examples are right by the schemas",
        arguments: [
            ("configurations", "widget.configurations"), ("events", "calendar.events"),
            ("telemetry", "vehicle.telemetry"),
        ])
    func examples(file: String, topic: String) async throws {
        let url = PackageRoot.url.appending(path: "Examples/\(file).jsonl")
        let values = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        try #require(!values.isEmpty)
        let result = try await validate(values.map { record(topic, String($0)) })
        #expect(result.succeeded, "\(result.standardError)")
        #expect(result.standardOutput == "\(values.count) passed, 0 failed\n")
    }

    @Test("what keeps to the contract passes")
    func right() async throws {
        let result = try await validate(SchemaCases.right.map(record))
        #expect(result.succeeded, "\(result.standardError)")
        #expect(result.standardOutput == "\(SchemaCases.right.count) passed, 0 failed\n")
    }

    @Test("what breaks the contract fails, each for itself")
    func wrong() async throws {
        let cases = SchemaCases.wrong
        let result = try await validate(cases.map(record))
        #expect(result.status == 1)
        for (index, (topic, value)) in cases.enumerated() where !result.standardError.contains("line \(index + 1): ") {
            Issue.record("\(topic) takes \(value)")
        }
    }

    private func record(_ topic: String, _ value: String) -> String {
        #"{"topic": "\#(topic)", "value": \#(value)}"#
    }

    /// Runs Scripts/validate-schemas on `records`, or on the schemas themselves where there are none.
    private func validate(_ records: [String], _ options: [String] = []) async throws -> ProcessResult {
        var arguments: [String] = []
        if !records.isEmpty {
            let file = TemporaryDirectory.make("records").appending(path: "records.jsonl")
            try Data(records.joined(separator: "\n").utf8).write(to: file)
            arguments = ["--records", file.path]
        }
        // The first run may have to install the validator.
        return try await ProcessRunner.run(
            PackageRoot.url.appending(path: "Scripts/validate-schemas"), arguments + options, timeout: .seconds(300))
    }
}
