import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// `--health-file` of the sinks, as docker-compose.yml looks at it: by its age.
    @Suite struct HealthFileTests {
        @Test(
            "an idle sink touches its health file, and one that stands still does not",
            arguments: [
                ["--to", "files:FOLDER"], ["--reloads", "http://127.0.0.1:9/reloads"],
            ])
        func sinks(target: [String]) async throws {
            let application = try await Application("health", partitions: 1)
            let file = application.directory.appending(path: "health")
            let words =
                ["sink", "--health-file", file.path]
                + target.map {
                    $0.replacing("FOLDER", with: application.directory.appending(path: "out").path)
                }
            let sink = try ProcessRunner(
                TidelineExecutable.url, words + application.options,
                environment: ["TIDELINE_WEBHOOK_SECRET": "a secret of at least 24 bytes"])
            #expect(await eventually { Self.touched(file) != nil }, "\(sink.errorOutput)")
            let first = try #require(Self.touched(file))
            #expect(await eventually { (Self.touched(file) ?? .distantPast) > first + 1 }, "\(sink.errorOutput)")

            sink.signal(SIGSTOP)
            try await Task.sleep(for: .milliseconds(200))
            let stopped = try #require(Self.touched(file))
            try await Task.sleep(for: .seconds(3))
            #expect(Self.touched(file) == stopped)
            sink.signal(SIGCONT)
            #expect(await eventually { (Self.touched(file) ?? .distantPast) > stopped }, "\(sink.errorOutput)")
            sink.terminate()
            let result = await sink.result()
            #expect(result.succeeded, "\(result.failure)")
        }

        @Test("a health file that cannot be written is refused at once, by name")
        func refused() async throws {
            let application = try await Application("health-refused", partitions: 1)
            let result = try await tideline(
                ["sink", "--to", "files:\(application.directory.path)", "--health-file", "/nowhere/health"]
                    + application.options)
            #expect(result.status == 64 && result.standardError.contains("/nowhere/health"), "\(result.failure)")
        }

        private static func touched(_ file: URL) -> Date? {
            let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
            return attributes?[.modificationDate] as? Date
        }
    }
}
