import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// The commands in README and Documentation work as they stand there.
    @Suite struct DocumentationTests {
        @Test(
            "the commands of each page run as printed, or say why they are not run", arguments: try ShellBlock.pages())
        func commands(page: String) async throws {
            let blocks = try ShellBlock.all(in: page)
            let run = blocks.filter { $0.reasonNotToRun == nil }
            for block in blocks {
                if let reason = block.reasonNotToRun { show("sh block \(block): not run: \(reason)") }
            }
            guard !run.isEmpty else { return }
            // A broker of its own: the pages use the names that a reader would.
            let broker = try await TestBroker.dedicated()
            let result = try await session(run, bootstrap: broker.bootstrap, hasTopics: page != "README.md")
            try await broker.stop()
            let reached = result.standardError.split(separator: "\n").last { $0.hasPrefix("@ ") } ?? "no block"
            #expect(result.succeeded, "ended in \(reached): \(result.failure)")
            if result.succeeded { show("sh blocks of \(page): \(run.count) run, \(blocks.count - run.count) not run") }
        }

        /// The blocks that nothing runs, by page and first command. What comes to this list is a decision.
        private static let notRun = [
            "README.md: make demo",
            "README.md: docker-compose up -d",
            "README.md: echo '{\"configurationId\": \"my-van\", \"kind\": \"TrackerStatusWidget\", "
                + "\"vehicleId\": \"vehicle-0001\"}' |",
            "README.md: docker kill $(docker-compose ps -q process | head -1)",
            "README.md: make build && export PATH=\"$PWD/.build/release:$PATH\"",
            "Documentation/Consuming.md: createuser -P tideline",
            "Documentation/Consuming.md: tideline sink --to redis://localhost:6379 &",
            "Documentation/Consuming.md: kafka-topics.sh --bootstrap-server other:9092 --create --topic boards "
                + "--partitions 4 --config cleanup.policy=compact",
            "Documentation/Consuming.md: TIDELINE_WEBHOOK_SECRET=whsec_… tideline sink --to "
                + "'https://{recipient}.example/timelines/{configurationId}' --set 'sink.http.hosts=*.example'",
            "Documentation/Operating.md: Scripts/measure-sizing",
            "Documentation/Operating.md: export OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 "
                + "OTEL_SERVICE_NAME=board",
            "Documentation/Operating.md: export TIDELINE_KAFKA_SECURITY_PROTOCOL=SASL_SSL "
                + "TIDELINE_KAFKA_SASL_MECHANISM=SCRAM-SHA-512",
            "Documentation/Operating.md: tideline doctor",
            "Documentation/Operating.md: tideline permissions --principal User:pipeline",
            "Documentation/Operating.md: tideline transactions",
            "Documentation/Operating.md: tideline reset",
            "Documentation/Performance.md: make bench",
            "Documentation/Performance.md: make counts",
            "Documentation/Performance.md: make benchmark",
            "Documentation/Performance.md: make day",
            "Documentation/Performance.md: make storm",
            "Documentation/Performance.md: make benchmark-serve",
            "Documentation/Performance.md: make benchmark-sinks",
            "Documentation/Performance.md: Scripts/measure-metrics 3000000",
            "Documentation/Performance.md: Scripts/measure-metrics --instructions 100000",
            "Documentation/Performance.md: make test ARGS=\"--filter SimulatedMonthTests\"",
            "Documentation/Performance.md: Scripts/measure-producer",
            "Documentation/Performance.md: make memory",
            "Documentation/Performance.md: Scripts/measure-return",
            "Documentation/Performance.md: Scripts/measure-takeover",
            "Documentation/Performance.md: Scripts/measure-threads",
            "Documentation/Performance.md: make benchmark-threads",
            "Documentation/Performance.md: Scripts/measure-latency",
            "Documentation/Reloads.md: tideline sink --reloads apns --set apns.key=AuthKey.p8 "
                + "--set apns.key-id=ABC123DEFG --set apns.team-id=DEF123GHIJ",
            "Documentation/Reloads.md: TIDELINE_WEBHOOK_SECRET=whsec_… tideline sink "
                + "--reloads https://example.com/reloads",
            "Documentation/Simulation.md: swift run simulate --seed 7 --swarm",
            "Documentation/Sinks.md: make sink-faults KILLS=3 OUTAGES=2 TARGETS=files,stdout",
        ]

        @Test("all blocks of all pages are run but for those that this test lists")
        func count() throws {
            let blocks = try ShellBlock.pages().flatMap(ShellBlock.all)
            let others = blocks.filter { $0.reasonNotToRun != nil }.map { "\($0.page): \($0.firstCommand)" }
            #expect(others == Self.notRun)
            let run = blocks.count - others.count
            #expect(run > 0)
            show("sh blocks of README, Documentation and schemas: \(run) run, \(others.count) not run")
        }

        @Test("a command that fails is found, and named with its page and line")
        func failure() async throws {
            let text = "```sh\ntrue\n```\n\n```sh\nfalse | cat\n```\n<!-- not run: because -->\n```sh\nexit 3\n```\n"
            let blocks = ShellBlock.blocks(of: text, page: "Page.md")
            #expect(blocks.map(\.description) == ["Page.md:2", "Page.md:6", "Page.md:10"])
            #expect(blocks.map(\.reasonNotToRun) == [nil, nil, "because"])
            let result = try await session(Array(blocks.prefix(2)), bootstrap: "127.0.0.1:1", hasTopics: false)
            #expect(result.status == 1, "\(result.failure)")
            #expect(result.standardError == "@ Page.md:2\n@ Page.md:6\n", "\(result.failure)")
        }

        /// - Parameter hasTopics: whether the topics are made before; the README makes them itself.
        private func session(
            _ blocks: [ShellBlock], bootstrap: String, hasTopics: Bool
        ) async throws -> ProcessResult {
            let session = ShellSession(blocks: blocks, directory: TemporaryDirectory.make("page"))
            try session.prepare()
            if hasTopics {
                let made = try await tideline(["topics", "--bootstrap", bootstrap])
                try #require(made.succeeded, "\(made.failure)")
            }
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            return try await ProcessRunner.run(
                // Ends the jobs with it, where it takes too long.
                URL(filePath: "/usr/bin/timeout"), ["--kill-after=10", "240", "bash", "session.sh"],
                environment: [
                    "TIDELINE_BOOTSTRAP": bootstrap,
                    "PATH": TidelineExecutable.url.deletingLastPathComponent().path + ":" + path,
                ], directory: session.directory, timeout: .seconds(260))
        }
    }
}
