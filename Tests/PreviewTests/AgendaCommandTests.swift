import Foundation
import TestSupport
import Testing

/// The verb as it is typed.
@Suite("tideline agenda")
struct AgendaCommandTests {
    private static let week = ["--from", "2026-11-20", "--to", "2026-11-27"]
    private let fixture: PreviewFixture

    init() throws {
        fixture = try PreviewFixture()
    }

    private func agenda(
        _ words: [String], input: URL? = nil
    ) async throws -> (status: Int32, output: String, error: String) {
        let result = try await ProcessRunner.run(
            TidelineExecutable.url, ["agenda"] + words, input: input, timeout: .seconds(60))
        return (result.status, result.standardOutput, result.standardError)
    }

    private func calendar(_ name: String, start: String) throws -> String {
        try fixture.write(
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:\(name)\nDTSTART\(start)\nEND:VEVENT\nBEGIN:VEVENT\nUID:x\n"
                + "DTSTART:never\nEND:VEVENT\nEND:VCALENDAR\n", to: "\(name).ics")
    }

    @Test("elsewhere than on a terminal writes JSON lines, reports what is left out, and ends with status 0")
    func lines() async throws {
        let file = try calendar("a", start: ":20261120T070000Z")
        let result = try await agenda(["--ics", file] + Self.week)
        #expect(result.status == 0)
        #expect(
            result.output == #"{"uid":"a","start":"2026-11-20T07:00:00Z","end":"2026-11-20T07:00:00Z","#
                + #""allDay":false,"title":"","status":"confirmed"}"# + "\n")
        #expect(result.error.hasPrefix("left out: \(file):8: DTSTART"), "\(result.error)")
        #expect(result.error.split(separator: "\n").count == 1)
    }

    @Test("dates are midnights of the zone that is given")
    func dates() async throws {
        let file = try calendar("a", start: ":20261119T233000Z")
        let utc = try await agenda(["--ics", file] + Self.week)
        #expect(utc.status == 0 && utc.output.isEmpty)
        let berlin = try await agenda(["--ics", file, "--time-zone", "Europe/Berlin"] + Self.week)
        #expect(berlin.output.contains(#""uid":"a""#))
    }

    @Test("without --time-zone the zone is the first file's X-WR-TIMEZONE, of standard input, too; else UTC")
    func zoneOfFile() async throws {
        func file(_ name: String, _ zone: String) throws -> String {
            let lines = [
                "BEGIN:VCALENDAR", zone, "BEGIN:VEVENT", "UID:\(name)", "DTSTART:20261119T233000Z", "END:VEVENT",
                "END:VCALENDAR", "",
            ]
            return try fixture.write(lines.joined(separator: "\r\n"), to: "\(name).ics")
        }
        let berlin = try file("berlin", "X-WR-TIMEZONE:Europe/Berlin")
        let plain = try file("plain", "VERSION:2.0")
        let table = ["--format", "table"] + Self.week
        #expect(
            try await agenda(["--ics", berlin, plain] + table).output.contains(
                "2 occurrences from Fri 2026-11-20 00:00 +01:00"))
        #expect(
            try await agenda(["--ics", plain, berlin] + table).output.contains(
                "no occurrences from Fri 2026-11-20 00:00 UTC"))
        let piped = try await agenda(["--ics", "-"] + Self.week, input: URL(fileURLWithPath: berlin))
        #expect(piped.output.contains(#""uid":"berlin""#))
        let words = ["--ics", berlin, "--from", "2026-11-20", "--to", "2026-11-19T23:00:00Z"]
        let empty = try await agenda(words)
        #expect(empty.status == 64 && empty.error.contains("'--to' must be after '--from', in Europe/Berlin"))
        #expect(try await agenda(words + ["--time-zone", "Asia/Tokyo"]).status == 0)
    }

    @Test("reads standard input and folders, and shows a table where it is asked for")
    func inputs() async throws {
        let file = try calendar("a", start: ":20261120T070000Z")
        let piped = try await agenda(
            ["--ics", "-", "--format", "table"] + Self.week, input: URL(fileURLWithPath: file))
        #expect(piped.status == 0 && piped.output.hasPrefix("Fri 2026-11-20\n  07:00  (no title)\n"))
        #expect(piped.error.hasPrefix("left out: standard input:8: "))
        _ = try calendar("b", start: ";VALUE=DATE:20261121")
        let folder = try await agenda(["--ics", fixture.path("")] + Self.week)
        #expect(folder.output.split(separator: "\n").count == 2)
    }

    @Test("a file that cannot be read ends with status 65, after the others are listed")
    func unreadable() async throws {
        let file = try calendar("a", start: ":20261120T070000Z")
        let absent = fixture.path("absent.ics")
        let text = try fixture.write("hello", to: "text.ics")
        let result = try await agenda(["--ics", absent, file, text] + Self.week)
        #expect(result.status == 65 && result.output.contains(#""uid":"a""#))
        #expect(result.error.contains("tideline: \(absent): No such file or directory\n"))
        #expect(result.error.contains("tideline: \(text):1: not an iCalendar file: BEGIN:VCALENDAR is missing"))
    }

    @Test("events are listed without a range, and can be published as they are")
    func events() async throws {
        let file = try calendar("a", start: ":20261120T070000Z")
        let result = try await agenda(["--ics", file, "--expand", "none"])
        #expect(result.status == 0)
        #expect(result.output == #"{"calendarId":"a","uid":"a","title":"","start":"2026-11-20T07:00:00Z"}"# + "\n")
    }

    @Test(
        "what cannot be understood is said, with status 64",
        arguments: [
            (["--ics", "x"], "Missing option '--from"),
            (["--ics", "x", "--from", "2026-11-20"], "Missing option '--to"),
            (["--from", "2026-11-20", "--to", "2026-11-27"], "--ics"),
            (["--ics", "x", "--from", "2026-11-20", "--to", "2026-11-20"], "'--to' must be after '--from'"),
            (["--ics", "x", "--from", "2026-11-31", "--to", "2026-12-20"], "RFC 3339"),
            (["--ics", "x", "--from", "2026-11-20T00:00", "--to", "2026-12-20"], "or a date"),
            (["--ics", "x", "--time-zone", "europe/berlin"] + week, "IANA"),
            (["--ics", "x", "--expand", "all"] + week, "occurrences, none"),
            (["--ics", "-", "-"] + week, "Only one file can be standard input"),
            (["--ics", "x", "--form", "2026-11-20"], "Did you mean '--from'?"),
        ])
    func misspelt(words: [String], hint: String) async throws {
        let result = try await agenda(words)
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.error.contains(hint), "\(result.error)")
    }
}
