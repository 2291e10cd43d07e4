import Foundation
import TestSupport

/// One file below Sources, or text that stands for one.
struct SourceFile: Sendable {
    /// From the package's root on: `Sources/RdKafka/Consumer.swift`.
    let path: String
    let lines: [Line]

    struct Line: Sendable {
        /// From 1.
        let number: Int
        let text: String
        /// Without comment. A string that holds `//` is cut as well, which can hide a violation but never make one.
        let code: String

        /// Whether `code` has `word` in it, not as the end of a longer one.
        func uses(_ word: String) -> Bool {
            code.ranges(of: word).contains { range in
                guard let before = code[..<range.lowerBound].last, word.first?.isLetter == true else { return true }
                return !(before.isLetter || before.isNumber || before == "_")
            }
        }
    }

    init(path: String, text: String) {
        self.path = path
        let texts = text.split(separator: "\n", omittingEmptySubsequences: false)
        lines = texts.enumerated().map { index, line in
            let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
            return Line(number: index + 1, text: String(line), code: String(code))
        }
    }

    /// The folder below Sources or Tests: `RdKafka`.
    var module: String {
        String(path.split(separator: "/").dropFirst().first ?? "")
    }

    var name: String {
        String(path.split(separator: "/").last ?? "")
    }

    /// All files with `suffix` below `folder` of the package, by path.
    static func all(below folder: String, suffix: String = ".swift") throws -> [SourceFile] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: PackageRoot.url.appending(path: folder).path)
        return try paths.filter { $0.hasSuffix(suffix) }.sorted().map { path in
            let url = PackageRoot.url.appending(path: "\(folder)/\(path)")
            return SourceFile(path: "\(folder)/\(path)", text: try String(contentsOf: url, encoding: .utf8))
        }
    }
}

/// Where a rule is broken, and how.
struct Violation: Hashable, CustomStringConvertible {
    let path: String
    let line: Int
    let problem: String

    var description: String { "\(path):\(line): \(problem)" }
}
