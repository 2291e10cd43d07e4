import Foundation
import TestSupport
import Testing

/// Scripts/repeated-code finds what stands twice; Scripts/repeated-code.allowed says why some of it stays.
@Suite("Code is written once")
struct RepeatedCodeTests {
    @Test("Sources repeat nothing that the list of what stays does not explain")
    func sources() async throws {
        let result = try await check(PackageRoot.url)
        #expect(result.succeeded, "say it once, or why not in Scripts/repeated-code.allowed:\n\(result.standardOutput)")
    }

    @Test("six lines that stand twice are found, exact and under other names, until they are explained")
    func counterexample() async throws {
        let root = TemporaryDirectory.make("repeated")
        let function = """
            func reached(_ places: [Place], from start: Place) -> [Place] {
                var reached = [start]
                while let next = places.first(where: { $0.touches(reached) && !reached.contains($0) }) {
                    reached.append(next)
                    if reached.count == places.count { break }
                }
                return reached.sorted()
            }
            """
        try write(function, to: "A/A.swift", below: root)
        #expect(try await check(root).succeeded)
        try write(function.replacing("places", with: "rows"), to: "B/B.swift", below: root)
        let found = try await check(root)
        #expect(!found.succeeded && found.standardOutput.contains("shape, 6 lines, 2 places"), "\(found)")
        #expect(found.standardOutput.contains("Sources/A/A.swift:1-7\n    Sources/B/B.swift:1-7"), "\(found)")
        try write("// Indented, and said:\nif true {\n\(function)\n}", to: "B/B.swift", below: root)
        let exact = try await check(root).standardOutput
        #expect(exact.contains("exact, 6 lines") && exact.contains("Sources/B/B.swift:3-9"), "\(exact)")

        let name = try #require(exact.split(separator: " ").first)
        try write("\(name)  A, B: a test needs both.\n", to: "../Scripts/repeated-code.allowed", below: root)
        #expect(try await check(root).succeeded)
        try write("\(name)\n", to: "../Scripts/repeated-code.allowed", below: root)
        #expect(try await !check(root).succeeded, "a line without a reason explains nothing")
    }

    @Test("lists and members with their initialiser are not repeated code, nor is a literal's text")
    func shapesOfNothing() async throws {
        let root = TemporaryDirectory.make("repeated")
        for name in ["First", "Second"] {
            let cases = (1...9).map { number in
                #"        case .case\#(number): "\#(name) of \(all["\#(number)", default: "none"])""#
            }
            let text = """
                package struct \(name): Hashable, Sendable {
                    package var left\(name): String
                    package var right\(name): [Int]
                    package var other\(name): Double
                    package init(left\(name): String, right\(name): [Int], other\(name): Double) {
                        self.left\(name) = left\(name)
                        self.right\(name) = right\(name)
                        self.other\(name) = other\(name)
                    }
                    var text: String {
                        switch self {
                \(cases.joined(separator: "\n"))
                        }
                    }
                }
                """
            try write(text, to: "\(name)/\(name).swift", below: root)
        }
        let result = try await check(root)
        #expect(result.succeeded, "\(result.standardOutput)")
    }

    private func check(_ root: URL) async throws -> ProcessResult {
        try await ProcessRunner.run(
            PackageRoot.url.appending(path: "Scripts/repeated-code"), ["--check", "--root", root.path],
            timeout: .seconds(120))
    }

    private func write(_ text: String, to path: String, below root: URL) throws {
        let file = root.appending(path: "Sources").appending(path: path).standardizedFileURL
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
}
