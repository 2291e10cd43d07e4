import Foundation
import Messages
import Simulation
import TestSupport
import Testing
import Timelines

@testable import Gateway

@Suite("A timeline as a calendar to subscribe to")
struct CalendarTests {
    /// Commits a timeline that shows these events.
    private func publish(_ stage: ReadingStage, revision: Int = 1, _ events: [String], tentative: Bool = false) throws {
        let date = at("08:00").rfc3339
        let tick = [#"{"id":"tick","date":"\#(date)","phase":"tick"}"#]
        let entries =
            events.isEmpty
            ? tick
            : events.enumerated().map { index, event in
                #"{"id":"e\#(index)","date":"\#(date)","phase":"start","event":\#(event)"#
                    + (tentative ? #","tentative":true}"# : "}")
            }
        let value = """
            {"configurationId":"a","kind":"Board","family":"systemLarge","recipient":"a","revision":\(revision),\
            "generatedAt":"\(at("08:00:00.250").rfc3339)","entries":[\(entries.joined(separator: ","))],\
            "refreshCount":1,"policy":{"type":"never"},"sources":[]}
            """
        stage.cluster.appendKeyed("timelines", key: "a", value: value)
        try stage.read()
    }

    private func event(
        _ uid: String, title: String, start: String = "2026-03-02T09:00:00Z", end: String = "2026-03-02T10:00:00Z",
        more: String = #""allDay":false"#
    ) throws -> String {
        let text = { (text: String) in JSONWriter.object { $0.string("x", text) }.dropFirst(5).dropLast() }
        return
            #"{"calendarId":"rounds","uid":\#(text(uid)),"title":\#(text(title)),"start":"\#(start)","end":"\#(end)","#
            + more + "}"
    }

    @Test("lines are folded at 75 octets, never within a character, and texts are escaped")
    func lines() throws {
        let stage = try ReadingStage().start()
        let title = "A; title, with \\ and\nlines \r\n and " + String(repeating: "häßlich😀", count: 30)
        try publish(stage, [try event("u", title: title)])
        let answer = try stage.get("/v1/timelines/a/calendar.ics")
        #expect(answer.header("Content-Type") == "text/calendar; charset=utf-8")
        #expect(
            answer.text.hasPrefix("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n") && answer.text.hasSuffix("END:VCALENDAR\r\n"))
        let lines = answer.bytes.split(separator: 10, omittingEmptySubsequences: false).dropLast()
        for line in lines {
            #expect(line.last == 13 && line.count <= 76 && String(validating: line, as: UTF8.self) != nil)
        }
        let unfolded = answer.text.replacing("\r\n ", with: "")
        #expect(unfolded.contains(#"SUMMARY:A\; title\, with \\ and\nlines \n and häßlich😀"#))
        #expect(answer.text.contains("DTSTAMP:20260302T080000Z"))
        let tag = try #require(answer.header("ETag"))
        #expect(try stage.get("/v1/timelines/a/calendar.ics", headers: ["If-None-Match": tag]).status == 304)
    }

    @Test("UIDs stay when the timeline is made again, and instances of a series have their own")
    func uids() throws {
        let stage = try ReadingStage().start()
        func uids() throws -> [String] {
            try stage.get("/v1/timelines/a/calendar.ics").text.replacing("\r\n ", with: "").split(separator: "\r\n")
                .filter { $0.hasPrefix("UID:") }.map(String.init)
        }
        let first = try event("a/b@x y", title: "one", more: #""allDay":false,"recurrenceId":"2026-03-02T09:00:00Z""#)
        let second = try event(
            "a/b@x y", title: "two", start: "2026-03-03T09:00:00Z", end: "2026-03-03T10:00:00Z",
            more: #""allDay":false,"recurrenceId":"2026-03-03T09:00:00Z""#)
        try publish(stage, [first, second, first])
        let before = try uids()
        #expect(
            before == [
                "UID:rounds/a%2Fb%40x%20y/20260302T090000Z@tideline",
                "UID:rounds/a%2Fb%40x%20y/20260303T090000Z@tideline",
            ])
        try publish(stage, revision: 2, [second])
        #expect(try uids() == [before[1]])
    }

    @Test("Python's icalendar reads the calendar and gives the events back")
    func oracle() async throws {
        let stage = try ReadingStage().start()
        let title = "Tour; one, \\two\n" + String(repeating: "é", count: 80)
        try publish(
            stage,
            [
                try event("1", title: title),
                try event(
                    "2", title: "All day", start: "2026-03-02", end: "2026-03-04",
                    more: #""allDay":true,"location":"Yard, 2""#),
                try event("3", title: "No length", end: "2026-03-02T09:00:00Z"),
            ], tentative: true)
        let folder = TemporaryDirectory.make("calendar")
        let full = folder.appending(path: "full.ics")
        try Data(try stage.get("/v1/timelines/a/calendar.ics").bytes).write(to: full)
        try publish(stage, revision: 2, [])
        let empty = folder.appending(path: "empty.ics")
        try Data(try stage.get("/v1/timelines/a/calendar.ics").bytes).write(to: empty)
        let script = """
            import icalendar, json, sys
            for path in sys.argv[1:]:
                calendar = icalendar.Calendar.from_ical(open(path, 'rb').read())
                assert calendar['VERSION'] == '2.0' and calendar['PRODID'] and len(calendar.subcomponents) > 0
                assert not calendar.errors and not any(c.errors for c in calendar.walk())
                print(json.dumps([[str(e['UID']), str(e['SUMMARY']), str(e.get('LOCATION', '')), str(e['STATUS']),
                    e.decoded('DTSTART').isoformat(), e.decoded('DTEND').isoformat() if 'DTEND' in e else '',
                    e.decoded('DTSTAMP').isoformat()] for e in calendar.walk('VEVENT')]))
            """
        let python = PackageRoot.url.appending(path: "Scripts/python")
        let run = try await ProcessRunner.run(python, ["-c", script, full.path, empty.path])
        try #require(run.succeeded, "\(run.standardError)")
        let lines = run.standardOutput.split(separator: "\n").map { Data($0.utf8) }
        let events = try JSONDecoder().decode([[String]].self, from: lines[0])
        let stamp = "2026-03-02T08:00:00+00:00"
        #expect(
            events == [
                ["rounds/2@tideline", "All day", "Yard, 2", "TENTATIVE", "2026-03-02", "2026-03-04", stamp],
                [
                    "rounds/1@tideline", title, "", "TENTATIVE", "2026-03-02T09:00:00+00:00",
                    "2026-03-02T10:00:00+00:00", stamp,
                ],
                ["rounds/3@tideline", "No length", "", "TENTATIVE", "2026-03-02T09:00:00+00:00", "", stamp],
            ])
        #expect(try JSONDecoder().decode([[String]].self, from: lines[1]) == [])
    }
}
