import Foundation
import TestSupport

/// Documentation/Messages.md: what people get wrong, with the message and the status that the program gave to a test.
struct MessagesPage {
    private var text = Self.introduction
    /// The rows so far.
    private(set) var count = 0

    private static let introduction = """
        # Messages

        What people get wrong, what Tideline says then, and the exit status: 64 for usage and settings, 65 for input, 69
        for a broker or topics that are not there, 70 for a failure that no other number names. A test makes each of
        these mistakes with the program and writes this page (`make reference`). Messages go to standard error; the
        usage lines that follow a mistake on the command line are left out here. `…` stands for what differs from broker
        to broker, or from time to time.

        """

    mutating func begin(_ title: String, _ introduction: String, columns: String = "mistake | typed | said | status") {
        let rule = columns.split(separator: "|").map { _ in "---" }.joined(separator: "|")
        text += "\n## \(title)\n\n\(introduction)\n\n| \(columns) |\n|\(rule)|\n"
    }

    mutating func add(_ mistake: Mistake, _ result: ProcessResult, hiding replacements: [(String, String)]) {
        let variables = mistake.environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value) " }.joined()
        let typed = variables + (["tideline"] + mistake.words).joined(separator: " ")
        let output = mistake.status == 0 ? result.standardOutput : result.standardError
        add([
            mistake.title, Self.code([typed]), Self.code(Self.message(output, hiding: replacements)),
            String(result.status),
        ])
    }

    mutating func add(_ record: MistakenRecord, _ answer: MistakenRecord.Answer) {
        let value = record.value.map { Self.code([$0]) } ?? "no value"
        switch answer {
        case .deadLetter(let reason):
            add([record.title, "`\(record.topic)`", value, "dead letter: " + Self.code([reason])])
        case .errorTimeline(let message):
            add([record.title, "`\(record.topic)`", value, "`error` timeline: " + Self.code([message])])
        }
    }

    private mutating func add(_ cells: [String]) {
        text += "| \(cells.joined(separator: " | ")) |\n"
        count += 1
    }

    var markdown: String { text }

    /// The lines that are the program's own word on the mistake: no help, no log, nothing that is the broker's wording,
    /// or about other applications there.
    private static func message(_ output: String, hiding replacements: [(String, String)]) -> [String] {
        output.split(separator: "\n").map(String.init)
            .prefix { !$0.hasPrefix("OVERVIEW: ") && !$0.hasPrefix("Usage: ") }
            .filter { $0.prefixMatch(of: /\d{4}-\d\d-\d\dT/) == nil }
            // Which other applications there are is up to the tests before.
            .filter { !$0.hasPrefix("warning: the application '") }
            .map { line in
                replacements.reduce(line) { $0.replacing($1.0, with: $1.1) }
                    .replacing(/(topic \S+): .* (\([A-Z_]+\))$/) { "\($0.1): … \($0.2)" }
                    .replacing(/Asked \d+ times/) { _ in "Asked … times" }
            }
    }

    /// Lines in a cell, as they are.
    private static func code(_ lines: [String]) -> String {
        lines.filter { !$0.isEmpty }.map { line in
            let escaped = line.replacing("|", with: "\\|")
            return escaped.contains("`") ? "`` \(escaped) ``" : "`\(escaped)`"
        }.joined(separator: "<br>")
    }
}
