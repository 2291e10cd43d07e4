import Foundation
import TestSupport
import Testing

extension Application {
    /// Runs a tool of Kafka's own against the application's broker.
    ///
    /// - Returns: false where the broker of tests is not Kafka's, which has no such tool.
    func tool(_ tool: String, _ words: [String]) async throws -> Bool {
        let script = PackageRoot.url.appending(path: "Scripts/test-broker")
        let command = ["tool", tool, "--bootstrap-server", bootstrap]
        let result = try await ProcessRunner.run(script, command + words, timeout: .seconds(120))
        if result.status == 69 && result.standardError.contains("only Apache Kafka has its tools") {
            show("not tested: \(result.standardError)")
            return false
        }
        try #require(result.succeeded, "\(result.failure)")
        return true
    }

    func tool(_ tool: String, _ words: String...) async throws -> Bool { try await self.tool(tool, words) }

    /// Gives a topic another setting.
    ///
    /// - Returns: as `tool`.
    func set(_ setting: String, to value: String, of topic: String) async throws -> Bool {
        try await tool(
            "kafka.admin.ConfigCommand", "--alter", "--entity-type", "topics", "--entity-name", topic,
            "--add-config", "\(setting)=\(value)")
    }
}
