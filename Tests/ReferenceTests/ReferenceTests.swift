// ReferenceTests: what is written from the declarations of strategies, schedules and their options is up to date: the
// schema of configurations and the reference page. `make reference` writes both.

import Messages
import Testing

@Suite("What is generated is up to date")
struct ReferenceTests {
    @Test("the schema of configurations says what strategies and schedules declare")
    func schema() throws {
        try GeneratedFile(path: "schemas/widget.configurations.schema.json").expect(ConfigurationSchema.schema.text)
    }

    @Test("the page of strategies shows what its examples make")
    func strategies() throws {
        try GeneratedFile(path: "Documentation/Strategies.md").expect(try StrategyPage().markdown)
    }
}
