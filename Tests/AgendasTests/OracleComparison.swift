import Agendas
import Foundation
import TestSupport
import Testing
import Timelines

/// Holds what we expand from calendar files against what PyPI's recurring-ical-events does: every occurrence in all
/// years that a file covers.
struct OracleComparison {
    /// An occurrence as both say it: uid, start, end, title.
    typealias Line = [String]

    /// What the oracle says of one file.
    struct Answer: Decodable {
        var file: String
        var zone: String?
        var from: String?
        var to: String?
        var occurrences: [Line]?
        /// By UID, what it can't expand, and why.
        var unreadable: [String: String]?
        /// Why it can't read the file.
        var error: String?
    }

    struct Result {
        var name: String
        var compared = 0
        /// What the oracle has and we have not.
        var missing: [Line] = []
        /// What we have and the oracle has not.
        var extra: [Line] = []
        var unreadable: [String] = []
        var problems: [String] = []

        var summary: String {
            let count = "\(name): \(compared) occurrences, \(missing.count) missing, \(extra.count) more"
            return unreadable.isEmpty ? count : count + ", unreadable for the oracle: \(unreadable.count)"
        }
    }

    /// Holds our occurrences against answers of the oracle that a file keeps.
    static func compare(answers: URL) throws -> [Result] {
        try String(contentsOf: answers, encoding: .utf8).split(separator: "\n").map { line in
            let answer = try JSONDecoder().decode(Answer.self, from: Data(line.utf8))
            return try compare(URL(filePath: answer.file), answer)
        }
    }

    static func compare(_ files: [URL]) async throws -> [Result] {
        let python = PackageRoot.url.appending(path: "Scripts/python")
        let script = PackageRoot.url.appending(path: "Tests/AgendasTests/Oracle/occurrences.py")
        let run = try await ProcessRunner.run(python, [script.path] + files.map(\.path), timeout: .seconds(900))
        try #require(run.succeeded, "\(run.standardError)")
        let lines = run.standardOutput.split(separator: "\n")
        try #require(lines.count == files.count)
        return try zip(files, lines).map { file, line in
            try compare(file, JSONDecoder().decode(Answer.self, from: Data(line.utf8)))
        }
    }

    private static func compare(_ file: URL, _ answer: Answer) throws -> Result {
        let found = ICalendar.events(in: try Data(contentsOf: file), calendarId: "c")
        var result = Result(name: file.deletingPathExtension().lastPathComponent)
        result.problems = found.problems.map(\.description)
        if let error = answer.error { result.unreadable.append(error) }
        guard let from = answer.from, let to = answer.to else { return result }
        let view = try zone(answer.zone ?? "UTC")
        let agenda = found.agenda(from: at(from), to: at(to), in: view)
        result.problems += agenda.problems.map { "\($0.uid): \($0.reason)" }
        let unreadable = answer.unreadable ?? [:]
        result.unreadable = unreadable.keys.sorted().map { "\($0): \(unreadable[$0] ?? "")" }
        let ours = agenda.occurrences.filter { unreadable[$0.uid] == nil }.map(line)
        result.missing = answer.occurrences ?? []
        result.compared = result.missing.count
        (result.missing, result.extra) = difference(answer.occurrences ?? [], ours)
        return result
    }

    private static func line(_ occurrence: Occurrence) -> Line {
        // The oracle does not name what has no name.
        let uid = occurrence.uid.hasPrefix("unnamed-") ? "" : occurrence.uid
        let ends = occurrence.extent.split(separator: "/").map { $0.count > 10 ? "\($0.prefix(19))Z" : "\($0)" }
        return [uid, ends[0], ends[1], occurrence.title]
    }

    /// What only the first has, and what only the second has; each as often as it has it more.
    private static func difference(_ first: [Line], _ second: [Line]) -> ([Line], [Line]) {
        var counts: [Line: Int] = [:]
        for line in first { counts[line, default: 0] += 1 }
        for line in second { counts[line, default: 0] -= 1 }
        func lines(_ isWanted: (Int) -> Bool) -> [Line] {
            counts.filter { isWanted($0.value) }
                .flatMap { Array(repeating: $0.key, count: abs($0.value)) }
                .sorted { $0.lexicographicallyPrecedes($1) }
        }
        return (lines { $0 > 0 }, lines { $0 < 0 })
    }
}
