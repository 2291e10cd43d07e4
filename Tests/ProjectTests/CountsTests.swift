import Foundation
import TestSupport
import Testing

/// Scripts/measure-counts judges what callgrind counted by the thresholds in git.
@Suite("Instructions and allocations have thresholds")
struct CountsTests {
    @Test("what is a twentieth over fails; what is a tenth under is said; what is missing is named")
    func judgement() async throws {
        let limits = try thresholds()
        #expect(limits.count == 4 && limits.allSatisfy { $0.value >= 0 })
        let same = try await judge(limits)
        #expect(same.succeeded && !same.standardOutput.contains("OVER"), "\(same)")
        for (name, limit) in limits where name.hasSuffix("timeline") {
            // Beyond the slack, which lets a buffer grow now and then.
            let over = try await judge(limits.merging([name: limit * 1.06 + 11]) { $1 })
            #expect(over.status == 1 && over.standardOutput.contains("OVER"), "\(over)")
        }
        let under = try await judge(limits.mapValues { $0 * 0.5 })
        #expect(under.succeeded && under.standardOutput.contains("the threshold may go down"), "\(under)")
        let missing = try await judge(["instructions/record": 1])
        #expect(missing.status == 1 && missing.standardError.contains("allocations/timeline"), "\(missing)")
    }

    private func thresholds() throws -> [String: Double] {
        let file = PackageRoot.url.appending(path: "Benchmarks/Counts/thresholds")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
        return Dictionary(
            uniqueKeysWithValues: try lines.map { line in
                let words = line.split(separator: " ")
                return (String(words[0]), try #require(Double(words[1])))
            })
    }

    private func judge(_ figures: [String: Double]) async throws -> ProcessResult {
        let file = TemporaryDirectory.make("counts").appending(path: "figures")
        try Data(figures.map { "\($0.key) \($0.value)\n" }.joined().utf8).write(to: file)
        return try await ProcessRunner.run(
            PackageRoot.url.appending(path: "Scripts/measure-counts"), [file.path])
    }
}
