import Foundation
import TestSupport

/// Standard output, each run's in a file of its own.
final class LinesTarget: TargetUnderTest {
    let guarantee = SinkGuarantee.lines
    let address = "stdout"
    private let folder = TemporaryDirectory.make("lines")
    private var runs = 0

    private func file(_ run: Int) -> String { folder.appending(path: "\(run).jsonl").path }

    func launcher() -> [String] {
        runs += 1
        return ["/bin/sh", "-c", "exec \"$@\" > '\(file(runs))'", "sh"]
    }

    private func lines(_ run: Int) -> [Substring] {
        ((try? String(contentsOfFile: file(run), encoding: .utf8)) ?? "").split(separator: "\n")
    }

    func progress() -> Int { (0...runs).reduce(0) { $0 + lines($1).count } }

    /// The lines of the last run count: who reads it has nothing of those before.
    func contents() throws -> [String: Data] {
        var newest: [String: Data] = [:]
        for line in lines(runs) {
            guard let id = line.firstMatch(of: /^{"configurationId":"([^"]*)"/)?.1 else { continue }
            newest[String(id)] = line.hasSuffix(#""deleted":true}"#) ? nil : Data(line.utf8)
        }
        return newest
    }
}
