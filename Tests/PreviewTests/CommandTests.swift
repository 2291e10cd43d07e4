import Foundation
import Preview
import TestSupport
import Testing

/// The verb as it is typed.
@Suite("tideline preview")
struct CommandTests {
    private static let instant = "2026-11-20T06:25:00Z"

    private func preview(
        _ words: [String], environment: [String: String] = [:]
    ) async throws -> (status: Int32, output: String, error: String) {
        let result = try await ProcessRunner.run(
            TidelineExecutable.url, ["preview"] + words, environment: environment, timeout: .seconds(60))
        return (result.status, result.standardOutput, result.standardError)
    }

    private func fixture() throws -> PreviewFixture {
        let fixture = try PreviewFixture()
        try fixture.configuration(#"{"configurationId": "van", "kind": "K", "vehicleId": "v1"}"#)
        return fixture
    }

    @Test("elsewhere than on a terminal writes records, one a line, and needs no broker")
    func records() async throws {
        let fixture = try fixture()
        let result = try await preview([
            "--configuration", fixture.files.configuration, "--at", Self.instant, "--until", "2026-11-20T06:29:00Z",
        ])
        let lines = result.output.split(separator: "\n")
        #expect(result.status == 0 && result.error.isEmpty)
        #expect(lines.count == 3 && lines.allSatisfy { $0.hasPrefix(#"{"configurationId":"van""#) })
    }

    @Test("writes a table where it is asked for, as wide as COLUMNS, and warnings beside it")
    func table() async throws {
        let fixture = try fixture()
        try fixture.telemetry(#"{"vehicleId": "v2", "observedAt": 1, "speed": 1}"#)
        let words = [
            "--configuration", fixture.files.configuration, "--telemetry", fixture.files.telemetry ?? "", "--at",
            Self.instant, "--format", "table",
        ]
        let wide = try await preview(words, environment: ["COLUMNS": "200"])
        #expect(wide.status == 0 && wide.output.contains("Loading...  nothing heard of the vehicle yet"))
        #expect(wide.error.contains("widgets.json:1: van: vehicleId: "))
        let narrow = try await preview(words, environment: ["COLUMNS": "60"])
        #expect(narrow.output.contains("Loading...\n                  nothing heard of the vehicle yet\n"))
    }

    @Test("writes a page beside the result")
    func page() async throws {
        let fixture = try fixture()
        let file = fixture.path("page.html")
        let result = try await preview([
            "--configuration", fixture.files.configuration, "--at", Self.instant, "--html", file,
        ])
        #expect(result.status == 0 && result.output.hasPrefix(#"{"configurationId":"van""#))
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("<!doctype html>"))
    }

    @Test(
        "what cannot be understood is said, with status 64",
        arguments: [
            ([], "Missing option '--at"), (["--at", "now"], "RFC 3339"),
            (["--at", instant, "--until", "2026-11-20T06:24:59Z"], "'--until' must not be before '--at'"),
            (["--at", instant, "--until", instant, "--snapshot"], "cannot both be given"),
            (["--at", instant, "--events", "-", "--telemetry", "-"], "Only one file can be standard input"),
            (["--at", instant, "--ics", "-"], "'--ics' needs files with names"),
            (["--at", instant, "--telemtry", "x"], "Did you mean '--telemetry'?"),
            (["--at", instant, "--html", "/nowhere/x.html"], "cannot write /nowhere/x.html: No such file"),
            (["--at", instant, "--until", "2036-11-20T06:24:59Z", "--html", "x.html"], "draws at most 20000"),
            (["--at", instant, "--config", "/nowhere"], "cannot read /nowhere"),
        ])
    func misspelt(words: [String], hint: String) async throws {
        let fixture = try fixture()
        let result = try await preview(["--configuration", fixture.files.configuration] + words)
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.error.contains(hint), "\(result.error)")
    }

    @Test("what is wrong with files is said all at once, with status 65, and nothing is written")
    func wrongFiles() async throws {
        let fixture = try PreviewFixture()
        try fixture.configuration("{\"configurationId\": \"a\"}\nnonsense")
        let result = try await preview([
            "--configuration", fixture.files.configuration, "--telemetry", fixture.path("none.jsonl"), "--at",
            Self.instant,
        ])
        #expect(result.status == 65 && result.output.isEmpty)
        let lines = result.error.split(separator: "\n").map { $0.replacing(fixture.path("") + "/", with: "") }
        #expect(
            lines == [
                "tideline: the files have problems:", "widgets.json:1: kind: is missing",
                #"widgets.json:2:1: expected a JSON object or an array of them, found "nonsense""#,
                "none.jsonl: No such file or directory",
            ])
    }
}
