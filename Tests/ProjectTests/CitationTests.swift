import Foundation
import TestSupport
import Testing

/// The rules that the project's pages state, by name: T12, L3, R4.
struct RuleNames: Sendable {
    /// Letter and number.
    let all: Set<String>

    /// - Parameter pages: A rule is stated where its name begins a paragraph in bold, or stands alone in the first
    /// cell of a table's row, in bold or plain.
    init(pages: [String]) {
        var names: Set<String> = []
        for line in pages.flatMap({ $0.split(separator: "\n") }) {
            if let match = line.prefixMatch(of: /\s*(?:\| |\d+\. )?\*{0,2}([A-Z]\d{1,2})(?:\*\*| |\.)/) {
                names.insert(String(match.1))
            }
        }
        all = names
    }

    private static let contractPages = "Documentation/Rules"

    /// Of the clone: Documentation/Rules, and DESIGN.md for the rules of the runtime.
    static func ofProject() throws -> RuleNames {
        let design = PackageRoot.url.appending(path: "DESIGN.md")
        return RuleNames(
            pages: try SourceFile.all(below: contractPages, suffix: ".md").map(\.wholeText)
                + [String(contentsOf: design, encoding: .utf8)])
    }

    /// Of Documentation/Rules alone, the pages that users of the program read; its README.md has no rules, but a list
    /// of ranges.
    static func ofContract() throws -> RuleNames {
        let pages = try SourceFile.all(below: contractPages, suffix: ".md").filter { $0.name != "README.md" }
        return RuleNames(pages: pages.map(\.wholeText))
    }

    /// The names of rules that stand alone in a string of the code, which is how the program prints them.
    static func printed(in file: SourceFile) -> [(line: Int, name: String)] {
        file.lines.flatMap { line in
            line.code.matches(of: /"([A-Z]\d{1,2})"/).map { (line: line.number, name: String($0.1)) }
        }
    }

    /// The rules that the program prints and that no page states.
    func unstated(in file: SourceFile) -> [Violation] {
        Self.printed(in: file).filter { !all.contains($0.name) }.map {
            Violation(path: file.path, line: $0.line, problem: "is printed, but no page states \($0.name)")
        }
    }

    /// The citations in comments that lead nowhere: a rule that no page states, or a page that a clone does not have.
    func violations(in file: SourceFile) -> [Violation] {
        file.lines.flatMap { line -> [Violation] in
            guard let start = line.text.firstRange(of: "//")?.lowerBound else { return [] }
            let comment = line.text[start...]
            let unknown = comment.matches(of: /(^|[^A-Za-z0-9`"])([CLMPRSTV]\d{1,2})(?![A-Za-z0-9:`"])/)
                .map { String($0.2) }.filter { !all.contains($0) }.map { "no page states \($0)" }
            let pages = comment.contains("STRATEGIES.md") ? ["STRATEGIES.md is not part of the project"] : []
            let sections =
                comment.firstMatch(of: /DESIGN\.md (?:section )?\d/).map { _ in ["DESIGN.md has no numbers"] } ?? []
            return (unknown + pages + sections).map { Violation(path: file.path, line: line.number, problem: $0) }
        }
    }
}

@Suite("Each citation of a rule leads to it")
struct CitationTests {
    @Test("what comments of Sources, Tests and Benchmarks cite is stated in a page of the project")
    func citations() throws {
        let rules = try RuleNames.ofProject()
        #expect(rules.all.isSuperset(of: ["T1", "T29", "S6", "L9", "M14", "P12", "C16", "V6", "R1", "R13"]))
        for folder in ["Sources", "Tests", "Benchmarks"] {
            for violation in try SourceFile.all(below: folder).flatMap(rules.violations) where !isThisFile(violation) {
                Issue.record("\(violation)")
            }
        }
    }

    @Test("what explain prints is stated in Documentation/Rules")
    func printed() throws {
        let rules = try RuleNames.ofContract()
        var names: Set<String> = []
        for folder in ["Sources/Inspection/Explaining", "Sources/Timelines/Walk", "Sources/tideline/Inspect"] {
            for file in try SourceFile.all(below: folder) {
                names.formUnion(RuleNames.printed(in: file).map(\.name))
                for violation in rules.unstated(in: file) { Issue.record("\(violation)") }
            }
        }
        #expect(
            names.isSuperset(of: ["L8", "M7", "S6", "T2", "T12"]), "they are not found any more: \(names.sorted())")
    }

    @Test("a printed rule that no page states is found, in code alone")
    func unstated() {
        let rules = RuleNames(pages: ["**T1 Pure.** …"])
        let lines = [
            #"Reason(.date, "now", rules: ["T1", "T99"])"#, #"case "events": "T98""#, #"// "T97""#, #"x = "is T96""#,
        ]
        let file = SourceFile(path: "Sources/A/A.swift", text: lines.joined(separator: "\n"))
        #expect(rules.unstated(in: file).map(\.line) == [1, 2])
    }

    @Test(
        "a citation that leads nowhere is found",
        arguments: ["/// Late (T30).", "let a = 1  // R99", "// T6", "// as DESIGN.md section 3 says"])
    func counterexamples(comment: String) {
        let rules = RuleNames(pages: ["**T1 Pure.** …", "| T2 | `x` |", "1. **R1 Positions.**"])
        #expect(rules.all == ["T1", "T2", "R1"])
        #expect(rules.violations(in: SourceFile(path: "Sources/A/A.swift", text: comment)).count == 1)
        #expect(rules.violations(in: SourceFile(path: "Sources/A/A.swift", text: "// T1, R1; PT15M, `T99`")).isEmpty)
    }

    /// Its counterexamples are no citations.
    private func isThisFile(_ violation: Violation) -> Bool { violation.path.hasSuffix("CitationTests.swift") }
}

extension SourceFile {
    fileprivate var wholeText: String { lines.map(\.text).joined(separator: "\n") }
}
