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

    /// Of the clone: Documentation/Rules, and DESIGN.md for the rules of the runtime.
    static func ofProject() throws -> RuleNames {
        let folder = PackageRoot.url.appending(path: "Documentation/Rules")
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }
        let urls = pages.map { folder.appending(path: $0) } + [PackageRoot.url.appending(path: "DESIGN.md")]
        return RuleNames(pages: try urls.map { try String(contentsOf: $0, encoding: .utf8) })
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
