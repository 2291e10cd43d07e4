// ReferenceTests: what is written from the declarations of strategies, schedules and their options is up to date: the
// schema of configurations and the reference page. `make reference` writes both.

import Foundation
import Messages
import Settings
import TestSupport
import Testing

@testable import tideline

@Suite("What is generated is up to date")
struct ReferenceTests {
    @Test("the schema of configurations says what strategies and schedules declare")
    func schema() throws {
        let file = GeneratedFile(path: "schemas/widget.configurations.schema.json")
        #expect(try file.difference(from: ConfigurationSchema.schema.text) == nil)
    }

    @Test("the schema of kinds says what their reader takes")
    func kinds() throws {
        let file = GeneratedFile(path: "schemas/kinds.schema.json")
        #expect(try file.difference(from: KindsSchema.schema.text) == nil)
    }

    @Test("the page of settings has them all")
    func settings() throws {
        let page =
            """
            # Settings

            Settings come from flags, then environment variables, then a YAML file (`--config FILE`), then defaults.
            Any of them can be given as `--set NAME=VALUE`, or in the environment: `TIDELINE_` and the name in
            capitals, with `_` for each dot. In the file a name is a path: `commit: {interval: {ms: 200}}`, or
            `commit.interval.ms: 200`. All that is wrong is said at once, with its place and what is allowed. This page
            is written from the declarations in `Sources/tideline/Settings` (`make reference`).

            \(Keys.schema.markdownTable)

            How kinds are declared is shown at the end of [Strategies](Strategies.md).

            """
        #expect(try GeneratedFile(path: "Documentation/Settings.md").difference(from: page) == nil)
    }

    @Test(
        "a replication factor below 1 stands for the broker's default", arguments: [("-1", nil), ("0", nil), ("3", 3)])
    func internalReplication(text: String, expected: Int32?) throws {
        let sources = SettingsSources(flags: [.init(key: "internal.replication", text: text, flag: "--set")])
        #expect(try Keys.schema.resolve(sources).internalReplication == expected)
    }

    @Test("the OpenAPI document has the schemas of topics as they are, and this release's version")
    func document() async throws {
        let result = try await ProcessRunner.run(
            PackageRoot.url.appending(path: "Scripts/python"),
            [PackageRoot.url.appending(path: "Scripts/bundle_openapi.py").path], timeout: .seconds(300))
        try #require(result.succeeded, "\(result.standardError)")
        #expect(try GeneratedFile(path: "schemas/openapi.json").difference(from: result.standardOutput) == nil)
        let page = try APIPage()
        #expect(page.version == ContractVersion.release)
        #expect(try GeneratedFile(path: "Documentation/API.md").difference(from: page.markdown) == nil)
    }

    @Test("the page of strategies shows what its examples make")
    func strategies() throws {
        let page = try StrategyPage().markdown
        #expect(try GeneratedFile(path: "Documentation/Strategies.md").difference(from: page) == nil)
    }
}
