import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    @Suite struct DemoTests {
        @Test("the demo ends by itself, leaves timelines of every kind, and says that its broker promises nothing")
        func demo() async throws {
            let output = TemporaryDirectory.make("demo")
            let began = ContinuousClock.now
            let result = try await tideline(
                ["demo", "--seconds", "20", "--output", output.path], timeout: .seconds(90))
            let took = ContinuousClock.now - began
            try #require(result.succeeded, "\(result.failure)")
            #expect(took >= .seconds(20) && took < .seconds(60), "took \(took)")
            #expect(result.standardError.contains("its transactions promise nothing"))

            let summary = try Summary(result)
            #expect(summary.reloads > 0 && summary.timelines > summary.reloads && summary.deadLetters == 0)
            try await Judges.validate(files: output)
            var phases: [String: Int] = [:]
            for file in try TimelineFiles.read(output).values {
                let timeline = try JSONDecoder().decode(DemoTimeline.self, from: file)
                for entry in timeline.entries { phases[entry.phase, default: 0] += 1 }
            }
            for phase in ["preEvent", "start", "end", "status"] {
                #expect(phases[phase, default: 0] > 0, "no \(phase) entry among \(phases)")
            }
            let counts = phases.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            show(
                "demo: ended by itself after \(took.formatted(.units(width: .narrow))), "
                    + "\(summary.reloads) reloads; files with \(counts)"
            )
        }

        @Test("Ctrl-C ends the demo in order, with its summary")
        func interrupted() async throws {
            let output = TemporaryDirectory.make("demo")
            let demo = try ProcessRunner(
                TidelineExecutable.url, ["demo", "--output", output.path], timeout: .seconds(90))
            let hasBegun = await eventually { demo.errorOutput.contains("  timeline  ") }
            #expect(hasBegun, "\(demo.errorOutput)")
            demo.signal(SIGINT)
            let result = await demo.result()
            #expect(result.succeeded, "\(result.failure)")
            #expect(try Summary(result).timelines > 0)
        }

        @Test("the demo leaves a directory alone that is not its own")
        func foreignDirectory() async throws {
            let output = TemporaryDirectory.make("demo")
            let keepsake = output.appending(path: "keepsake.json")
            try Data("{}".utf8).write(to: keepsake)
            let result = try await tideline(["demo", "--seconds", "1", "--output", output.path])
            #expect(result.status == 64 && result.standardError.contains(output.path), "\(result.failure)")
            #expect(FileManager.default.fileExists(atPath: keepsake.path))
        }
    }
}

private struct DemoTimeline: Decodable {
    var entries: [Entry]

    struct Entry: Decodable {
        var phase: String
    }
}
