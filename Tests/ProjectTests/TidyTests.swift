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

    @Test("a module's folder opens with its front page: what it is for, what it must not know, where to begin")
    func frontPages() throws {
        let files = try SourceFile.all(below: "Sources")
        for module in try ModuleTable.folders() where !ModuleTable.isForC(module) {
            let path = "Sources/\(module)/\(module == "tideline" ? "Tideline" : module).swift"
            let page = files.first { $0.path == path }?.lines.map(\.text).prefix { $0.hasPrefix("//") } ?? []
            #expect(page.first?.hasPrefix("// \(module): ") == true, "\(path):1: say what the module is for")
            for opening in ["// It must not know ", "// Begin with "] {
                #expect(page.contains { $0.hasPrefix(opening) }, "\(path): a paragraph begins '\(opening)'")
            }
        }
    }

    @Test("no folder of Sources has more than 20 files")
    func folders() throws {
        let folders = Dictionary(grouping: try SourceFile.all(below: "Sources")) { $0.path.dropLast($0.name.count) }
        for (folder, files) in folders.sorted(by: { $0.key < $1.key }) {
            #expect(files.count <= 20, "\(folder) has \(files.count) files: make rooms of it")
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
