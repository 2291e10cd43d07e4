import Testing

@Suite("Imports follow the arrows of DESIGN.md")
struct ArrowsTests {
    @Test("no file imports against the arrows, nor anything from outside the toolchain")
    func sources() throws {
        let files = try SourceFile.all(below: "Sources")
        try #require(!files.isEmpty)
        for violation in files.flatMap(ModuleTable.violations) {
            Issue.record("\(violation)")
        }
    }

    @Test("each folder of Sources has a row in the table, and each row is read as it is meant")
    func rows() throws {
        for folder in try ModuleTable.folders() {
            #expect(ModuleTable.allowed(for: folder) != nil, "Sources/\(folder) has no row in DESIGN.md")
        }
        let page = """
            | module | may import | what |
            |---|---|---|
            | Clock | | time |
            | Signs, Wire | CZlib; Clock | two at once |
            | program | all | the rest |

            | other | table | here |
            """
        #expect(
            ModuleTable.arrows(in: page) == [
                "Clock": [], "Signs": ["CZlib"], "Wire": ["Clock"], "program": ["Clock", "Signs", "Wire"],
            ])
    }

    @Test(
        "an import against the arrows is found, however it is written",
        arguments: [
            ("Timelines", "import Agendas"),
            ("StreamCore", "package import RdKafka"),
            ("Pipeline", "import StreamRuntime"),
            ("StreamRuntime", "@preconcurrency import CRdKafka"),
            ("Simulation", "import struct RdKafka.Handle"),
            ("Messages", "@testable import Pipeline"),
            ("Sinks", "import NIOCore"),
            ("Nowhere", ""),
        ])
    func againstTheArrows(module: String, text: String) {
        let file = SourceFile(path: "Sources/\(module)/Counterexample.swift", text: text)
        #expect(ModuleTable.violations(in: file).count == 1)
    }

    @Test(
        "an import along the arrows is allowed, over several of them too",
        arguments: [
            ("Settings", "import CYaml"),
            ("Pipeline", "package import Timelines"),
            ("Simulation", "import RecordLog"),
            ("tideline", "import StreamCore"),
            ("Settings", "import Foundation"),
            ("Timelines", "// import Agendas"),
        ])
    func alongTheArrows(module: String, text: String) {
        let file = SourceFile(path: "Sources/\(module)/Example.swift", text: text)
        #expect(ModuleTable.violations(in: file).isEmpty)
    }
}
