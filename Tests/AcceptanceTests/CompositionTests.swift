import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// docker-compose.yml without a Docker engine: `make compose-test` runs it, where there is one.
    @Suite struct CompositionTests {
        @Test("each command of docker-compose.yml is one that the program understands, with settings that it takes")
        func commands() async throws {
            let commands = try Self.commands()
            let verbs = Set(commands.map { $0[0] })
            #expect(commands.count >= 10 && verbs == ["topics", "produce", "process", "serve", "sink"])
            for command in commands {
                let folder = TemporaryDirectory.make("composition").path
                let words = command.map { word in
                    word.replacing(/^\/examples/, with: PackageRoot.url.appending(path: "Examples").path)
                        .replacing("/timelines", with: folder).replacing(/^\/tmp\//, with: folder + "/")
                }
                // It comes as far as the broker, which is not there.
                let result = try await tideline(
                    words + ["--bootstrap", "127.0.0.1:9", "--set", "connect.timeout=PT1S"],
                    environment: [
                        "TIDELINE_WEBHOOK_SECRET": try Self.secret(), "TIDELINE_SERVE_TOKENS": try Self.tokens(),
                    ])
                #expect(result.status == 69, "\(command.joined(separator: " ")): \(result.failure)")
                #expect(result.standardError.contains("no broker answers"), "\(result.failure)")
            }
        }

        @Test(
            "every service has a limit for its memory and its log; all that run for long come back and say how they are"
        )
        func services() async throws {
            let script = PackageRoot.url.appending(path: "Scripts/check-compose")
            let result = try await ProcessRunner.run(script)
            #expect(result.succeeded, "Scripts/setup compose installs what it needs. \(result.failure)")
        }

        @Test(
            "one service builds each image, before all others of it; no registry is asked for it",
            arguments: [
                (
                    "    command: [board.py", "    build: Examples/consumers\n    command: [board.py",
                    "the image tideline-consumers:0.1.0 is built by 2 services, one may: board, webhook"
                ),
                (
                    "      webhook:\n        condition: service_started\n", "",
                    "service board has no builder of its image before it, by depends_on: webhook"
                ),
                (
                    "  image: tideline-consumers:${IMAGE_TAG:-0.1.0}\n  pull_policy: never\n",
                    "  image: tideline-consumers:${IMAGE_TAG:-0.1.0}\n", "service board has no pull_policy: never"
                ),
            ])
        func builds(replaced: String, by replacement: String, problem: String) async throws {
            let root = PackageRoot.url.path
            let text = try Self.text()
            try #require(text.contains(replaced))
            let changed = text.replacing(replaced, with: replacement)
                .replacing("context: .\n", with: "context: \(root)\n")
                .replacing("build: Examples/", with: "build: \(root)/Examples/")
                .replacing("build: monitoring\n", with: "build: \(root)/monitoring\n")
            let file = TemporaryDirectory.make("composition").appending(path: "docker-compose.yml")
            try changed.write(to: file, atomically: true, encoding: .utf8)
            let script = PackageRoot.url.appending(path: "Scripts/check-compose")
            let result = try await ProcessRunner.run(script, [file.path])
            #expect(result.status == 1 && result.standardError.contains(problem), "\(result.failure)")
        }

        /// The commands of services of the image `tideline`: those that do not begin with another program's file.
        private static func commands() throws -> [[String]] {
            try text().matches(of: /\n    command: \[(.*)\]/).map { match in
                match.1.split(separator: ", ").map { $0.trimmingCharacters(in: ["'", " "]) }
            }.filter { !$0[0].hasSuffix(".py") && !$0[0].contains(" ") }
        }

        /// The tokens of the service `serve`, with the hash that it has by default.
        private static func tokens() throws -> String {
            let folded = try #require(try text().firstMatch(of: /TIDELINE_SERVE_TOKENS: >-\n((?: {8}.*\n)+)/)).1
            return String(folded.replacing(/\$\{SERVE_TOKEN_SHA256:-([^}]*)\}/) { $0.1 }.replacing("\n", with: " "))
        }

        private static func secret() throws -> String {
            String(try #require(try text().firstMatch(of: /\$\{WEBHOOK_SECRET:-([^}]*)\}/)).1)
        }

        private static func text() throws -> String {
            try String(contentsOf: PackageRoot.url.appending(path: "docker-compose.yml"), encoding: .utf8)
        }
    }
}
