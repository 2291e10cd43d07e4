import Foundation
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    /// The whole program under requests of every form: `serve` and `process` on a real broker.
    @Suite struct ServeFuzzTests {
        private static let token = "fuzz"
        private static let configurations = """
            {"configurationId": "courier", "kind": "Board", "recipient": "ana", "strategy": "status"}
            {"configurationId": "rounds", "kind": "AgendaWidget", "recipient": "ana", "calendarIds": ["rounds"]}
            """

        /// `printf %s fuzz | sha256sum`.
        private static let settings = """
            serve:
              listen: 127.0.0.1:0
              wait: PT1S
              tokens:
                - name: fuzz
                  sha256: 93850b707585e404e4951a3ddc1f05a34b3d4f5fc081d616f46d8a2e8f1c8e68
                  scopes: [read, write]
            """

        @Test("schemathesis finds no failure over all routes, and nothing that was taken is a dead letter")
        func fuzz() async throws {
            let application = try await Application("fuzz-api", partitions: 2)
            try await application.publish(configurations: Self.configurations)
            let pipeline = try application.start("process", timeout: .seconds(400))
            let file = try application.file("serve.yaml", Self.settings)
            let server = try application.start("serve", "--config", file, timeout: .seconds(400))
            defer {
                server.kill()
                pipeline.kill()
            }
            let address = try await Self.address(of: server)
            try await Self.wait(for: address + "/health/ready", server)

            let begin = ContinuousClock.now
            let result = try await ProcessRunner.run(
                PackageRoot.url.appending(path: "Scripts/fuzz-api"), [address, Self.token, "8"],
                timeout: .seconds(300))
            #expect(result.succeeded, "\(result.standardOutput.suffix(20_000))\n\(result.standardError.suffix(2000))")
            show("schemathesis: \(Self.figures(result.standardOutput)) in \(ContinuousClock.now - begin)")

            #expect(server.isRunning && pipeline.isRunning)
            server.terminate()
            let ended = await server.result()
            #expect(ended.succeeded, "\(ended.failure)")
            #expect(!ended.standardError.contains(Self.token + "\n"))
            try await application.catchUp(pipeline)
            let dead = try await application.records(of: "tideline.dead-letters")
            let reasons = dead.prefix(5).map { record in
                let message = record.headers.first { $0.name == "__streams.errors.message" }?.value ?? []
                return
                    "\(String(decoding: message, as: UTF8.self)): "
                    + String(decoding: record.value ?? [], as: UTF8.self)
            }
            #expect(dead.isEmpty, "\(reasons.joined(separator: "\n"))")
        }

        /// The address that the server says it listens at.
        private static func address(of server: ProcessRunner) async throws -> String {
            for _ in 0..<600 {
                if let start = server.errorOutput.range(of: "http://127.0.0.1:") {
                    let digits = server.errorOutput[start.upperBound...].prefix { $0.isNumber }
                    if !digits.isEmpty { return "http://127.0.0.1:\(digits)" }
                }
                try #require(server.isRunning, "\(server.errorOutput)")
                try await Task.sleep(for: .milliseconds(100))
            }
            throw TestBrokerError("the server says no address: \(server.errorOutput)")
        }

        private static func wait(for target: String, _ server: ProcessRunner) async throws {
            for _ in 0..<300 {
                let curl = try await ProcessRunner.run(
                    URL(filePath: "/usr/bin/env"), ["curl", "--silent", "--fail", "--max-time", "5", target])
                if curl.succeeded { return }
                try #require(server.isRunning, "\(server.errorOutput)")
                try await Task.sleep(for: .milliseconds(100))
            }
            throw TestBrokerError("not ready: \(server.errorOutput)")
        }

        /// The line with the counts, such as `4527 generated, 4527 passed`.
        private static func figures(_ output: String) -> String {
            let line = output.split(separator: "\n").first { $0.contains(" generated, ") }
            return line.map { $0.trimmingCharacters(in: .whitespaces) } ?? "no counts"
        }
    }
}

extension Application {
    /// Ends a running pipeline, and lets another one read all that is left.
    fileprivate func catchUp(_ pipeline: ProcessRunner) async throws {
        pipeline.terminate()
        let ended = await pipeline.result()
        #expect(ended.succeeded, "\(ended.failure)")
        try await run("process", "--until-caught-up")
    }
}
