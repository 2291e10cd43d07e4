import Foundation
import TestSupport
import Testing

/// The examples of Documentation/Consuming.md work as they are printed.
@Suite("The page for consumers is true")
struct ConsumingTests {
    private let program = PackageRoot.url.appending(path: "Examples/consumers/now.py")

    @Test("it prints the reader of Examples as that is")
    func reader() throws {
        let page = try String(
            contentsOf: PackageRoot.url.appending(path: "Documentation/Consuming.md"), encoding: .utf8)
        let text = try String(contentsOf: program, encoding: .utf8)
        #expect(page.contains("```python\n\(text)```\n"))
    }

    @Test(
        "the reader shows the entry in force and comes back by itself",
        arguments: [
            // Of the example of a vehicle: status at 06:01, stale at 06:07, renewed at 06:03.
            (0, "2026-11-20T06:01:30Z", "courier status Moving | back: 2026-11-20T06:03:00+00:00"),
            (0, "2026-11-20T06:05:00Z", "courier status Moving | back: 2026-11-20T06:05:10+00:00"),
            (0, "2026-11-20T06:07:00Z", "courier stale Moving | back: 2026-11-20T06:07:10+00:00"),
            // A clock that is behind.
            (0, "2026-11-20T06:00:00Z", "courier status Moving | back: 2026-11-20T06:01:00+00:00"),
            // Of the example of a calendar.
            (1, "2026-11-20T06:20:00Z", "rounds preEvent Morning round | back: 2026-11-20T06:30:00+00:00"),
            (1, "2026-11-20T08:00:00+01:00", "rounds start Morning round | back: 2026-11-20T08:00:00+00:00"),
            // Without a next update: not before a reload.
            (3, "2027-01-01T00:00:00Z", "rounds-2 error timeZone must be an IANA time zone | back: None"),
        ])
    func shows(example: Int, time: String, line: String) async throws {
        let timeline = try SchemaFile("timelines").examples[example]
        #expect(try await read(timeline, at: time) == line + "\n")
    }

    @Test("the reader passes over entries of a phase that it does not know")
    func unknownPhase() async throws {
        let entry = #"{"id": "i", "date": "2026-11-20T06:00:00Z", "phase": "tick", "message": "known"}"#
        let later = #"{"id": "j", "date": "2026-11-20T06:00:01Z", "phase": "later"}"#
        func line(_ entries: String) async throws -> String {
            try await read(
                Array(#"{"configurationId": "c", "entries": [\#(entries)]}"#.utf8), at: "2026-11-20T07:00:00Z")
        }
        #expect(try await line("\(entry), \(later)") == "c tick known | back: None\n")
        #expect(try await line(later) == "c None  | back: None\n")
    }

    private func read(_ timeline: [UInt8], at time: String) async throws -> String {
        let file = TemporaryDirectory.make("now").appending(path: "timelines.jsonl")
        try Data(timeline + [UInt8(ascii: "\n")]).write(to: file)
        let command = #"exec python3 "$0" "$1" < "$2""#
        let result = try await ProcessRunner.run(
            URL(filePath: "/bin/sh"), ["-c", command, program.path, time, file.path], timeout: .seconds(60))
        try #require(result.succeeded, "\(result.standardError)")
        return result.standardOutput
    }
}
