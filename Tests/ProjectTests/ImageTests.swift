import Foundation
import TestSupport
import Testing

/// What the image is built from, held against the package without a Docker engine.
@Suite("The image's Dockerfile fits the package")
struct ImageTests {
    @Test("all folders that Package.swift names reach the image's build, for the manifest is read as a whole")
    func context() throws {
        let root = PackageRoot.url
        let ignored = BuildContext(try text(".dockerignore"))
        let folders = try Manifest(try text("Package.swift")).folders
        #expect(folders.contains("Sources/tideline") && folders.contains("Benchmarks/Timelines"))
        for folder in folders {
            #expect(FileManager.default.fileExists(atPath: root.appending(path: folder).path), "\(folder)")
            #expect(ignored.contains(folder), ".dockerignore leaves \(folder) out, Package.swift names it")
        }
        for needed in ["Package.swift", "Makefile", "Scripts/setup"] {
            #expect(ignored.contains(needed), ".dockerignore leaves \(needed) out")
        }
        #expect(!ignored.contains(".build") && !ignored.contains(".git"))
    }

    @Test("a folder that is left out is found, and so is one that is left out again")
    func counterexamples() throws {
        let manifest = """
            .target(name: "TestSupport", path: "Tests/TestSupport"),
            .executableTarget(name: "x-benchmark", path: "Benchmarks/X"),
            module("Timelines"), tests("TimelinesTests", []), .systemLibrary(name: "CIcal"), .target(name: "CCurl"),
            """
        #expect(
            try Manifest(manifest).folders.sorted() == [
                "Benchmarks/X", "Sources/CCurl", "Sources/CIcal", "Sources/Timelines", "Tests/TestSupport",
                "Tests/TimelinesTests",
            ])
        #expect(!BuildContext("*\n!Sources\n").contains("Benchmarks/X"))
        #expect(BuildContext("*\n!Sources\n").contains("Sources/CIcal"))
        #expect(!BuildContext("*\n!Tests\nTests/Broker\n").contains("Tests/Broker/x"))
    }

    @Test("the toolchain is the same everywhere: the manifest's, the image's, and the oldest that Scripts/setup takes")
    func toolchain() throws {
        let manifest = try #require(try text("Package.swift").firstMatch(of: /swift-tools-version: ([0-9.]+)/)).1
        let image = try #require(try text("Dockerfile").firstMatch(of: /FROM swift:([0-9.]+)-bookworm AS build/)).1
        let setup = try #require(try text("Scripts/setup").firstMatch(of: /minimum_swift=([0-9.]+)/)).1
        #expect(image == manifest && setup == manifest)
    }

    @Test("the image's version is the program's")
    func version() async throws {
        let result = try await ProcessRunner.run(TidelineExecutable.url, ["--version"])
        let version = try #require(result.standardOutput.firstMatch(of: /tideline ([0-9.]+)/)).1
        #expect(try text("Dockerfile").contains("ARG VERSION=\(version)\n"))
        let composition = try text("docker-compose.yml")
        let named = composition.matches(of: /\$\{IMAGE_TAG:-([^}]*)\}/)
        #expect(named.count > 1 && named.allSatisfy { $0.1 == version }, "\(named.map(\.1))")
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: PackageRoot.url.appending(path: path), encoding: .utf8)
    }
}

/// The folders of a manifest's targets.
private struct Manifest {
    let folders: [String]

    /// Targets as this package writes them: by `.target` and its kin, or by its own `module` and `tests`.
    init(_ text: String) throws {
        let code = text.split(separator: "\n").filter { !$0.contains("func ") && !$0.contains("// ") }
            .joined(separator: "\n")
        var folders: [String] = []
        for match in code.matches(of: #/module\(\s*"(\w+)"/#) { folders.append("Sources/\(match.1)") }
        for match in code.matches(of: #/tests\(\s*"(\w+)"/#) { folders.append("Tests/\(match.1)") }
        let starts = code.ranges(of: #/\.(target|executableTarget|systemLibrary)\(\s*name: /#)
        for (index, start) in starts.enumerated() where !code[start.upperBound...].hasPrefix("name,") {
            let end = index + 1 < starts.count ? starts[index + 1].lowerBound : code.endIndex
            let target = code[start.upperBound..<end]
            guard let name = target.prefixMatch(of: #/"([-\w]+)"/#)?.1 else { continue }
            let path = target.firstMatch(of: #/path: "([^"]+)"/#)?.1
            folders.append(path.map(String.init) ?? "Sources/\(name)")
        }
        self.folders = folders
    }
}

/// What .dockerignore lets through. Its last pattern that matches a path, or a folder above it, decides; patterns here
/// have no wildcard but a lone `*`, which means everything.
private struct BuildContext {
    private let patterns: [(path: Substring, isException: Bool)]

    init(_ text: String) {
        patterns = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            line.hasPrefix("!") ? (line.dropFirst(), true) : (line, false)
        }
    }

    func contains(_ path: String) -> Bool {
        let last = patterns.last { $0.path == "*" || path == $0.path || path.hasPrefix($0.path + "/") }
        return last?.isException ?? true
    }
}
