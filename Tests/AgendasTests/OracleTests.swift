import Foundation
import TestBroker
import Testing

/// `TIDELINE_CALENDARS=FOLDER swift test --filter otherCalendars` compares all `.ics` files below a folder, or answers
/// that the oracle gave before where it names a `.jsonl` file, and prints each difference.
@Test(
    "Calendars of a folder that the environment names give the oracle's occurrences: differences are printed",
    .enabled(if: ProcessInfo.processInfo.environment["TIDELINE_CALENDARS"] != nil))
func otherCalendars() async throws {
    let source = URL(filePath: try #require(ProcessInfo.processInfo.environment["TIDELINE_CALENDARS"]))
    let files = FileManager.default.enumerator(at: source, includingPropertiesForKeys: nil)?
        .compactMap { $0 as? URL }.filter { $0.pathExtension == "ics" }.sorted { $0.path < $1.path }
    let isKept = source.pathExtension == "jsonl"
    let results = try isKept
        ? OracleComparison.compare(answers: source) : await OracleComparison.compare(try #require(files))
    for result in results {
        print(result.summary)
        for line in result.missing.prefix(8) { print("  - \(line)") }
        for line in result.extra.prefix(8) { print("  + \(line)") }
        for line in result.unreadable.prefix(4) { print("  ? \(line)") }
        for problem in result.problems.prefix(6) { print("  ! \(problem)") }
    }
}
