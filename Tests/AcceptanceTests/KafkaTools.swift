import Foundation
import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips what needs a tool of Kafka's own, with a line that says so, where the broker of tests comes without them.
    static var needsKafkaTools: Self {
        .enabled("it needs a tool of Apache Kafka's archive, which the broker of these tests comes without") {
            let kind = try await TestBroker.shared().kind
            return kind == .kafka || kind == .kafkaHome
        }
    }
}

extension Application {
    /// Runs a tool of Kafka's own against the application's broker: only in tests that are marked `.needsKafkaTools`.
    func tool(_ tool: String, _ words: [String]) async throws {
        let script = PackageRoot.url.appending(path: "Scripts/test-broker")
        let command = ["tool", tool, "--bootstrap-server", bootstrap]
        let result = try await ProcessRunner.run(script, command + words, timeout: .seconds(120))
        try #require(result.succeeded, "\(result.failure)")
    }

    func tool(_ tool: String, _ words: String...) async throws { try await self.tool(tool, words) }

    /// Gives a topic another setting.
    func set(_ setting: String, to value: String, of topic: String) async throws {
        try await tool(
            "kafka.admin.ConfigCommand", "--alter", "--entity-type", "topics", "--entity-name", topic,
            "--add-config", "\(setting)=\(value)")
    }
}
