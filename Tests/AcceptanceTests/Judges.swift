import Foundation
import RecordLog
import TestSupport
import Testing

/// Programs that judge what was written and share no code with what wrote it.
enum Judges {
    /// Asks Oracle/oracle.py; its output must come with a good end.
    @discardableResult
    static func oracle(
        _ words: String..., sources: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let oracle = PackageRoot.url.appending(path: "Tests/AcceptanceTests/Oracle/oracle.py")
        let python = PackageRoot.url.appending(path: "Scripts/python")
        let result = try await ProcessRunner.run(python, [oracle.path] + words + sources, timeout: .seconds(300))
        try #require(result.succeeded, "oracle: \(result.failure)", sourceLocation: sourceLocation)
        return result.standardOutput
    }

    /// Has an independent validator hold records against schemas/.
    static func validate(
        _ lines: [Data], named topic: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try #require(!lines.isEmpty, "there is nothing to validate", sourceLocation: sourceLocation)
        let file = TemporaryDirectory.make("records").appending(path: "records.jsonl")
        var text = Data()
        for line in lines { text += Data(#"{"topic":"\#(topic)","value":"#.utf8) + line + Data("}\n".utf8) }
        try text.write(to: file)
        let script = PackageRoot.url.appending(path: "Scripts/validate-schemas")
        let result = try await ProcessRunner.run(script, ["--records", file.path], timeout: .seconds(300))
        let verdict = result.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(result.succeeded, "\(result.failure)", sourceLocation: sourceLocation)
        #expect(verdict == "\(lines.count) passed, 0 failed", sourceLocation: sourceLocation)
    }

    /// Compares a directory of timelines, one in each file.
    static func validate(files: URL, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let values = try TimelineFiles.read(files).values.map { $0 }
        try await validate(values, named: "timelines", sourceLocation: sourceLocation)
    }
}

/// A directory of timelines, one a file.
enum TimelineFiles {
    /// The timelines by the names of their files. Names that begin with a dot are the sink's own.
    static func read(_ directory: URL) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        let visible = names.filter { !$0.hasPrefix(".") }
        return try Dictionary(
            uniqueKeysWithValues: visible.map { ($0, try Data(contentsOf: directory.appending(path: $0))) })
    }

    /// What two runs must agree about: everything but counters, the reloads that are left, the time of making and where
    /// the input came from.
    static func comparable(_ directory: URL) throws -> [String: NSDictionary] {
        try read(directory).mapValues { data in
            var timeline = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            for key in ["revision", "refreshCount", "generatedAt", "budget", "sources"] { timeline[key] = nil }
            return timeline as NSDictionary
        }
    }

    static func expectEqual(_ one: URL, _ other: URL, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let (found, wanted) = (try comparable(one), try comparable(other))
        #expect(!wanted.isEmpty, sourceLocation: sourceLocation)
        #expect(found.keys.sorted() == wanted.keys.sorted(), sourceLocation: sourceLocation)
        for name in wanted.keys.sorted() {
            guard let found = found[name], found != wanted[name] else { continue }
            Issue.record("\(name): \(found), must be \(wanted[name] ?? [:])", sourceLocation: sourceLocation)
        }
    }
}
