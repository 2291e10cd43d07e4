import Foundation
import TestSupport
import Testing

/// .ci/run is the one list of steps; the workflow of the public CI and the budgets follow it.
@Suite("Each change takes the same steps everywhere")
struct ContinuousIntegrationTests {
    @Test("the workflow takes the steps of .ci/run in their order, and each step has a budget")
    func steps() throws {
        let run = try text(".ci/run")
        let steps = try #require(run.firstMatch(of: /\|\| steps=\(([a-z -]+)\)/)).1.split(separator: " ")
        #expect(steps.first == "setup" && steps.last == "test")
        let workflow = try text(".github/workflows/ci.yml")
        #expect(workflow.matches(of: /- run: \.ci\/run ([a-z-]+)\n/).map(\.1) == steps)
        let budgets = try text(".ci/budgets").matches(of: /(?m)^step +([a-z-]+) +\d+/).map(\.1)
        #expect(budgets == steps)
        #expect(!workflow.contains("|| true") && !workflow.contains("continue-on-error"))
    }

    @Test("the workflow's toolchain and Kafka are those of the image and of the tests")
    func versions() throws {
        let workflow = try text(".github/workflows/ci.yml")
        let image = try #require(try text("Dockerfile").firstMatch(of: /FROM (swift:[0-9.]+-bookworm) AS build/)).1
        // Without these rights the tests of full disks are left out.
        #expect(workflow.contains("container:\n      image: \(image)\n"))
        #expect(workflow.contains("      options: --privileged\n"))
        let kafka = try #require(try text("Scripts/test-broker").firstMatch(of: /image=apache\/kafka:([0-9.]+)/)).1
        #expect(workflow.contains("KAFKA_VERSION: \(kafka)\n"))
    }

    @Test("times stand before the summary, which stays the last line; what is over its budget is marked")
    func times() async throws {
        let folder = TemporaryDirectory.make("times")
        try write("lint 7\nsetup 100000\n", to: folder.appending(path: "steps"))
        let events = [("Started", 10.0), ("Started", 11), ("Ended", 13), ("Ended", 500)].map { kind, second in
            #"{"payload": {"kind": "testCase\#(kind)", "instant": {"absolute": \#(second)}, "#
                + #""testID": "SlowTests.Slow/wait()/Slow.swift:3:5"}}"#
        }
        try write(events.joined(separator: "\n"), to: folder.appending(path: "events"))
        let log = """
            ✔ Suite "Slow" passed after 490.0 seconds.
            ✔ Test run with 1 test in 1 suite passed after 490 seconds.

            """
        try write(log, to: folder.appending(path: "log"))
        let result = try await ProcessRunner.run(
            PackageRoot.url.appending(path: ".ci/times"),
            ["--began", "0", "--events", "events", "steps"], directory: folder, input: folder.appending(path: "log"))
        let lines = result.standardOutput.split(separator: "\n")
        #expect(result.succeeded && lines.first?.contains("Suite \"Slow\"") == true, "\(result)")
        #expect(lines.last?.hasPrefix("✔ Test run with 1 test") == true, "\(lines)")
        let words = lines.map { $0.split(separator: " ") }
        #expect(words.contains { $0.first == "lint" && $0.last != "OVER" }, "\(lines)")
        #expect(words.contains { $0.first == "setup" && $0.last == "OVER" }, "\(lines)")
        #expect(words.contains { $0.first == "SlowTests.Slow" && $0[1] == "492.0" && $0.last == "OVER" }, "\(lines)")
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: PackageRoot.url.appending(path: path), encoding: .utf8)
    }

    private func write(_ text: String, to file: URL) throws { try Data(text.utf8).write(to: file) }
}
