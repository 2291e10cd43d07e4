import Foundation
import TestSupport
import Testing

@Test("Odd files in the style of each writer give the oracle's occurrences, but for what differences.json explains")
func oddCalendars() async throws {
    let folder = PackageRoot.url.appending(path: "Tests/AgendasTests/Corpus")
    try await expectOracle(calendars(in: folder), atLeast: 600)
}

@Test("Recorded calendars give the oracle's occurrences in every year that they cover")
func recordedCalendars() async throws {
    guard let folder = SharedData.url("data/calendars") else { return }
    try await expectOracle(calendars(in: folder), atLeast: 11_000)
}

private func expectOracle(_ files: [URL], atLeast count: Int) async throws {
    let list = PackageRoot.url.appending(path: "Tests/AgendasTests/Oracle/differences.json")
    let known = try JSONDecoder().decode([String: Difference].self, from: Data(contentsOf: list))
    let results = try await OracleComparison.compare(files)
    #expect(results.count == files.count)
    #expect(results.map(\.compared).reduce(0, +) >= count)
    for result in results {
        let expected = known[result.name] ?? Difference()
        let found = Difference(
            missing: result.missing.count, more: result.extra.count, unreadable: result.unreadable.count,
            rule: expected.rule)
        #expect(found == expected, "\(result.summary): \(result.missing) \(result.extra) \(result.unreadable)")
        if let rule = expected.rule { print("\(result.summary). \(rule)") }
    }
}

/// How what we have differs from what the oracle has, and why.
private struct Difference: Decodable, Equatable {
    var missing = 0
    var more = 0
    var unreadable = 0
    var rule: String?

    init(missing: Int = 0, more: Int = 0, unreadable: Int = 0, rule: String? = nil) {
        self.missing = missing
        self.more = more
        self.unreadable = unreadable
        self.rule = rule
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        missing = try values.decodeIfPresent(Int.self, forKey: .missing) ?? 0
        more = try values.decodeIfPresent(Int.self, forKey: .more) ?? 0
        unreadable = try values.decodeIfPresent(Int.self, forKey: .unreadable) ?? 0
        rule = try values.decode(String.self, forKey: .rule)
    }

    private enum CodingKeys: CodingKey {
        case missing, more, unreadable, rule
    }
}

private func calendars(in folder: URL) throws -> [URL] {
    let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return try #require(found).compactMap { $0 as? URL }
        .filter { $0.pathExtension == "ics" }.sorted { $0.path < $1.path }
}

/// `TIDELINE_CALENDARS=FOLDER swift test --filter otherCalendars` compares all `.ics` files below a folder, or answers
/// that the oracle gave before where it names a `.jsonl` file, and prints each difference.
@Test(
    "Calendars of a folder that the environment names give the oracle's occurrences: differences are printed",
    .enabled(if: ProcessInfo.processInfo.environment["TIDELINE_CALENDARS"] != nil))
func otherCalendars() async throws {
    let source = URL(filePath: try #require(ProcessInfo.processInfo.environment["TIDELINE_CALENDARS"]))
    let results =
        source.pathExtension == "jsonl"
        ? try OracleComparison.compare(answers: source) : try await OracleComparison.compare(calendars(in: source))
    for result in results {
        print(result.summary)
        for line in result.missing.prefix(8) { print("  - \(line)") }
        for line in result.extra.prefix(8) { print("  + \(line)") }
        for line in result.unreadable.prefix(4) { print("  ? \(line)") }
        for problem in result.problems.prefix(6) { print("  ! \(problem)") }
    }
}
