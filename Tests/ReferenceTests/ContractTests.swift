import Agendas
import Foundation
import Messages
import Positions
import TestSupport
import Testing
import Timelines

@testable import tideline

/// schemas/ and the program say the same of versions, topics and messages.
@Suite("The contract is what the program keeps to")
struct ContractTests {
    @Test("one version: of the program, of asyncapi.yaml, and at the end of each $id and ce_type")
    func versions() async throws {
        let document = try await AsyncAPI.read()
        #expect(document.info.version == ContractVersion.release)
        #expect(Tideline.version == "tideline \(ContractVersion.release)")
        let types = document.components.schemas["cloudEvent"]?.properties["ce_type"]?.values
        #expect(types == ["timeline", "reload", "timeline.positions.merged"].map(ContractVersion.eventType))
        let posted = document.components.schemas["webhookHeaders"]?.properties["ce-type"]?.values
        #expect(posted == [ContractVersion.eventType("reload")])
        for name in try SchemaFile.names() {
            #expect(try SchemaFile(name).id == ContractVersion.schemaId(name), "\(name)")
        }
    }

    @Test("until a version has its tag, schemas/releases has its schemas as they are")
    func release() async throws {
        let tag = "refs/tags/v\(ContractVersion.release)"
        let git = try await ProcessRunner.run(
            URL(filePath: "/usr/bin/env"), ["git", "rev-parse", "--verify", "--quiet", tag], directory: PackageRoot.url)
        guard !git.succeeded else { return }
        let folder = PackageRoot.url.appending(path: "schemas")
        let released = folder.appending(path: "releases/\(ContractVersion.release)")
        let names = try SchemaFile.names().map { $0 + ".schema.json" } + ["asyncapi.yaml"]
        #expect(try FileManager.default.contentsOfDirectory(atPath: released.path).sorted() == names.sorted())
        for name in names {
            let (now, then) = (folder.appending(path: name), released.appending(path: name))
            #expect(try Data(contentsOf: now) == Data(contentsOf: then), "\(name): 'make release-schemas' copies it")
        }
    }

    @Test("asyncapi.yaml has the topics that 'tideline topics' makes, with the settings that it gives them")
    func topics() async throws {
        let channels = try await AsyncAPI.read().channels.values.filter { $0.bindings?.kafka != nil }
        let topics = TopicNames()
        let plan = TopicPlan(topics: topics, partitions: 4)
        #expect(channels.compactMap(\.address).sorted() == (topics.inputs + topics.outputs).sorted())
        for channel in channels {
            let name = try #require(channel.address)
            let made = plan.settings(of: name).map { "\($0.key)=\($0.value)" }
            let said = channel.bindings?.kafka?.topicConfiguration.map { "\($0.key)=\($0.value.text)" }
            #expect(said?.sorted() == made.sorted(), "\(name)")
        }
    }

    @Test("whoever reads an output is told to read committed records")
    func isolation() async throws {
        let channels = try await AsyncAPI.read().channels
        for name in ["timelines", "timelineReloads", "timelinePositionsMerged", "deadLetters"] {
            #expect(channels[name]?.consumer?["isolation.level"] == "read_committed", "\(name)")
            #expect(channels[name]?.consumer?["auto.offset.reset"] == "earliest", "\(name)")
        }
    }

    // MARK: - Examples

    @Test("examples of inputs are read by the program")
    func inputs() throws {
        var parser = JSONParser()
        var telemetry = TelemetryReader()
        for example in try examples("vehicle.telemetry") {
            try example.withUnsafeBytes { bytes in _ = try telemetry.read(bytes) }
        }
        for example in try examples("calendar.events") {
            let batch = try example.withUnsafeBytes { bytes in
                try CalendarEventMessage.decode(bytes, key: nil, with: &parser)
            }
            #expect(batch.events.count == 1 && batch.problems.isEmpty)
        }
        for example in try examples("widget.configurations") {
            let message = try example.withUnsafeBytes { bytes in
                try ConfigurationMessage.decode(bytes, with: &parser)
            }
            guard case .usable = message else {
                Issue.record("\(message)")
                continue
            }
        }
        for example in try examples("timeline.positions") {
            let record = try example.withUnsafeBytes { bytes in try PositionRecord.decode(bytes, with: &parser) }
            #expect(record.readerId == "ana")
        }
        for example in try examples("kinds") {
            let value = try example.withUnsafeBytes { bytes in try parser.value(bytes) }
            let kinds = try WidgetKinds(value)
            #expect(!kinds.all.isEmpty)
        }
    }

    @Test("examples of outputs are what the program would write")
    func outputs() throws {
        var parser = JSONParser()
        for example in try examples("timelines") {
            let record = try example.withUnsafeBytes { bytes in try TimelineRecord.decode(bytes, with: &parser) }
            try expectSame(example) { record.write(to: &$0) }
        }
        for example in try examples("timeline.reloads") + examples("webhook") {
            let reload = try example.withUnsafeBytes { bytes in
                try ReloadNotification.decode(bytes, with: &parser)
            }
            try expectSame(example) { reload.write(to: &$0) }
        }
    }

    @Test("the example of a merged position is what the program would write")
    func mergedPositions() throws {
        var parser = JSONParser()
        for example in try examples("timeline.positions.merged") {
            let merged = try example.withUnsafeBytes { bytes in try MergedPosition.decode(bytes, with: &parser) }
            try expectSame(example) { merged.write(to: &$0) }
        }
    }

    private func examples(_ name: String) throws -> [[UInt8]] {
        let examples = try SchemaFile(name).examples
        #expect(!examples.isEmpty, "\(name) has no examples")
        return examples
    }

    private func expectSame(_ example: [UInt8], write: (inout JSONWriter) -> Void) throws {
        var json = JSONWriter()
        write(&json)
        let written = try JSONSerialization.jsonObject(with: Data(json.bytes)) as? NSDictionary
        let shown = try JSONSerialization.jsonObject(with: Data(example)) as? NSDictionary
        #expect(written != nil && written == shown, "written: \(String(decoding: json.bytes, as: UTF8.self))")
    }
}

/// One file of schemas/.
struct SchemaFile {
    let id: String
    /// Each as JSON.
    let examples: [[UInt8]]

    init(_ name: String) throws {
        let url = PackageRoot.url.appending(path: "schemas/\(name).schema.json")
        let schema = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
        id = try #require(schema["$id"] as? String)
        examples = try (schema["examples"] as? [Any] ?? []).map {
            Array(try JSONSerialization.data(withJSONObject: $0))
        }
    }

    /// The names, ascending.
    static func names() throws -> [String] {
        let suffix = ".schema.json"
        let folder = PackageRoot.url.appending(path: "schemas").path
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        return files.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }.sorted()
    }
}

/// The parts of schemas/asyncapi.yaml that tests need.
struct AsyncAPI: Decodable {
    var info: Info
    var channels: [String: Channel]
    var components: Components

    struct Info: Decodable {
        var version: String
    }

    struct Channel: Decodable {
        var address: String?
        var bindings: Bindings?
        var consumer: [String: String]?

        enum CodingKeys: String, CodingKey {
            case address, bindings
            case consumer = "x-consumer"
        }
    }

    struct Bindings: Decodable {
        var kafka: Kafka?

        struct Kafka: Decodable {
            var topicConfiguration: [String: Value]
        }
    }

    /// A setting of a topic; cleanup policies are a list.
    struct Value: Decodable {
        var text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                text = String(number)
            } else {
                text = try container.decode([String].self).joined(separator: ",")
            }
        }
    }

    struct Components: Decodable {
        var schemas: [String: Headers]
    }

    struct Headers: Decodable {
        var properties: [String: Property]
    }

    struct Property: Decodable {
        /// The values of `enum` or `const`.
        var values: [String]?

        private enum CodingKeys: String, CodingKey {
            case `enum`, const
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let only = try container.decodeIfPresent(String.self, forKey: .const)
            values = try container.decodeIfPresent([String].self, forKey: .enum) ?? only.map { [$0] }
        }
    }

    /// Through Python: another reader of YAML than the program's.
    static func read() async throws -> AsyncAPI {
        let program = "import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)"
        let result = try await ProcessRunner.run(
            PackageRoot.url.appending(path: "Scripts/python"),
            ["-c", program, PackageRoot.url.appending(path: "schemas/asyncapi.yaml").path], timeout: .seconds(300))
        try #require(result.succeeded, "\(result.standardError)")
        return try JSONDecoder().decode(AsyncAPI.self, from: Data(result.standardOutput.utf8))
    }
}
