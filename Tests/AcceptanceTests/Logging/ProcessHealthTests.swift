import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// `--health-file` of `process` and its end, on a broker that goes and comes back.
    @Suite struct ProcessHealthTests {
        @Test(
            """
            a process that is idle is well, one whose broker was killed is not, nor is it while that is away; it is \
            again when it is back, and SIGTERM ends one without a broker within seconds
            """)
        func outage() async throws {
            let broker = try await TestBroker.dedicated()
            let options = ["--bootstrap", broker.bootstrap, "--application", "health"]
            let made = try await tideline(["topics", "--partitions", "2"] + options)
            try #require(made.succeeded, "\(made.failure)")
            let file = TemporaryDirectory.make("process-health").appending(path: "health")
            let process = try ProcessRunner(
                TidelineExecutable.url,
                ["process", "--stream-threads", "2", "--health-file", file.path] + options, timeout: .seconds(400))
            let isRunning = await eventually(within: .seconds(100)) {
                process.errorOutput.components(separatedBy: "restoredRecords").count >= 3
            }
            try #require(isRunning, "\(process.errorOutput)")

            // Idle: it is touched again and again, before a health check, which waits for 30 s, would mind.
            for _ in 0..<3 {
                let began = Date()
                let isTouched = await eventually(within: .seconds(25)) {
                    Self.age(file) < Date().timeIntervalSince(began)
                }
                #expect(isTouched, "\(process.errorOutput)")
            }

            try await broker.kill()
            try await Task.sleep(for: .seconds(36))
            let age = Self.age(file)
            #expect(age > 30, "touched \(age) s ago, without a broker\n\(process.errorOutput)")
            #expect(process.isRunning)

            try await broker.restart()
            let restarted = ContinuousClock.now
            let isWell = await eventually(within: .seconds(60)) { Self.age(file) < 5 }
            #expect(isWell, "\(process.errorOutput)")
            let recovery = ContinuousClock.now - restarted

            // Something is being committed when it goes.
            let fleet = try ProcessRunner(
                TidelineExecutable.url, ["produce", "telemetry", "--fleet", "20"] + options, timeout: .seconds(120))
            try await Task.sleep(for: .seconds(3))
            try await broker.kill()
            try await Task.sleep(for: .seconds(3))
            let told = ContinuousClock.now
            process.terminate()
            let result = await process.result()
            let end = ContinuousClock.now - told
            #expect(result.status == 0, "\(result.failure)")
            #expect(end < .seconds(30), "it took \(end)\n\(result.standardError)")
            #expect(result.standardOutput.hasPrefix("{"), "\(result.failure)")
            fleet.signal(SIGKILL)
            _ = await fleet.result()
            show("36 s without a broker: touched \(Int(age)) s ago; well again after \(recovery); ended in \(end)")
        }

        private static func age(_ file: URL) -> TimeInterval {
            let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
            return (attributes?[.modificationDate] as? Date).map { Date().timeIntervalSince($0) } ?? .infinity
        }
    }
}
