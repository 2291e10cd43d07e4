import Foundation
import TestSupport
import Testing

@Suite("The sources keep to the project's habits")
struct TidyTests {
    @Test("no file of Sources breaks a rule", arguments: TidyRule.all)
    func sources(rule: TidyRule) throws {
        let files = try SourceFile.all(below: "Sources")
        try #require(!files.isEmpty)
        for violation in files.flatMap(rule.violations) {
            Issue.record("\(violation)")
        }
    }

    @Test(
        "no test file breaks a rule of length",
        arguments: [
            TidyRule.maximumFileLength, .maximumLineLength, .maximumFunctionLength,
        ])
    func tests(rule: TidyRule) throws {
        for violation in try SourceFile.all(below: "Tests").flatMap(rule.violations) {
            Issue.record("\(violation)")
        }
    }

    @Test("a rule finds the file that breaks it, and names the line", arguments: TidyRule.all)
    func counterexample(rule: TidyRule) {
        let file = SourceFile(path: "Sources/StreamCore/Counterexample.swift", text: rule.counterexample)
        #expect(rule.violations(file).count == 1)
    }

    @Test("a module's folder opens with a file named like it, whose first line says what the module is for")
    func firstFiles() throws {
        let files = try SourceFile.all(below: "Sources")
        for module in try ModuleTable.folders() where !ModuleTable.isForC(module) {
            let names = module == "tideline" ? ["main.swift", "Tideline.swift"] : ["\(module).swift"]
            let first = files.first { $0.module == module && names.contains($0.name) }
            let line = first?.lines.first?.text ?? ""
            let saysWhatFor = line.hasPrefix("//") && line.count >= 30
            #expect(saysWhatFor, "Sources/\(module)/\(names[0]):1: begin with a comment that says what it is for")
        }
    }

    @Test("a folder for a C library holds a module map or a small shim, nothing else")
    func foldersForC() throws {
        for module in try ModuleTable.folders() where ModuleTable.isForC(module) {
            let folder = PackageRoot.url.appending(path: "Sources/\(module)")
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
                let kind = URL(filePath: path).pathExtension
                #expect(["modulemap", "h", "hpp", "c", "cpp", ""].contains(kind), "Sources/\(module)/\(path)")
            }
        }
    }
}
