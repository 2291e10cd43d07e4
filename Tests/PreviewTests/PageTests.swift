import Preview
import TestSupport
import Testing
import Timelines

@Suite("The page of a preview")
struct PageTests {
    private func page(
        _ events: String..., at: String = "2026-11-20T06:25:00Z", until: String? = nil
    ) throws -> String {
        let fixture = try PreviewFixture()
        try fixture.configuration(
            #"{"configurationId": "<desk>", "kind": "K", "timeZone": "Europe/Berlin", "calendarIds": ["team"]}"#)
        fixture.files.events = try fixture.write(events.joined(separator: "\n"), to: "events.jsonl")
        return try fixture.run(at: at, until: until).page
    }

    private static let standup =
        #"{"calendarId": "team", "uid": "s", "title": "Stand-up", "start": "2026-11-20T08:00:00Z","#
        + #" "recurrence": ["RRULE:FREQ=DAILY"], "duration": "PT2H"}"#

    private func count(_ text: String, _ page: String) -> Int { page.ranges(of: text).count }

    /// The picture for screens of usual width.
    private func picture(_ page: String) throws -> String {
        let begin = try #require(page.firstRange(of: "<div class=\"picture\">"))
        let end = try #require(page.firstRange(of: "<div class=\"wide picture\">"))
        return String(page[begin.lowerBound..<end.lowerBound])
    }

    @Test("is one file without scripts and without anything from elsewhere, and closes what it opens")
    func selfContained() throws {
        let page = try page(Self.standup, until: "2026-11-23T00:00:00Z")
        for word in ["http", "<script", "src=", "url(", "@import", "<link"] { #expect(!page.contains(word), "\(word)") }
        for tag in ["html", "body", "svg", "g", "text", "title", "section", "details", "table", "tr", "td", "p"] {
            #expect(count("<\(tag)>", page) + count("<\(tag) ", page) == count("</\(tag)>", page), "\(tag)")
        }
    }

    @Test("escapes what comes from files")
    func escaped() throws {
        let page = try page(
            #"{"calendarId": "team", "uid": "x", "title": "<b onload='x'>\"&", "start": "2026-11-20T08:00:00Z"}"#)
        #expect(!page.contains("<b ") && page.contains("&lt;b onload=&#39;x&#39;&gt;&quot;&amp;"))
        #expect(page.contains("<h2>&lt;desk&gt;</h2>"))
    }

    @Test("draws each entry with its phase and what it shows, and marks the one in force")
    func entries() throws {
        let page = try picture(page(Self.standup))
        #expect(count("class=\"entry ", page) == 8)
        #expect(count("inforce\"><title>day | ", page) == 1)
        #expect(page.contains("class=\"entry start\"><title>start | Fri 2026-11-20 09:00 +01:00 … 11:00 | Stand-up"))
        #expect(page.contains("Stand-up starts</title>") && page.contains("due (after)"))
        #expect(count("class=\"midnight\"", page) == 1)
    }

    @Test("marks the change of the clocks, with both offsets")
    func clockChange() throws {
        let autumn = try page(at: "2026-10-24T10:00:00Z", until: "2026-10-26T10:00:00Z")
        #expect(count("clocks +02:00 → +01:00", try picture(autumn)) == 1)
        let spring = try page(at: "2026-03-28T10:00:00Z", until: "2026-03-30T10:00:00Z")
        #expect(count("clocks +01:00 → +02:00", try picture(spring)) == 1)
        #expect(count("class=\"clock\"", try page(until: "2026-11-22T10:00:00Z")) == 0)
    }

    @Test("of a walk draws each timeline in a row, and a tick wherever one is made")
    func walk() throws {
        let page = try page(Self.standup, until: "2026-11-23T00:00:00Z")
        #expect(count("class=\"making visible\"", try picture(page)) == 1)
        #expect(count("class=\"making fresh\"", try picture(page)) == 3)
        #expect(count("<details open>", page) == 4)
        #expect(page.contains(">Sat 00:00</text>") && page.contains("superseded"))
    }

    @Test("folds a day of a tracker by hours")
    func manyTimelines() throws {
        let fixture = try PreviewFixture()
        try fixture.configuration(#"{"configurationId": "van", "kind": "K", "vehicleId": "v1"}"#)
        let lines = (0..<1440).map { minute in
            #"{"vehicleId": "v1", "observedAt": \#(at("2026-11-20T00:00:00Z").milliseconds + Int64(minute) * 60_000),"#
                + #" "speed": \#(10 + minute % 50)}"#
        }
        fixture.files.telemetry = try fixture.write(lines.joined(separator: "\n"), to: "telemetry.jsonl")
        let page = try fixture.run(at: "2026-11-20T00:00:00Z", until: "2026-11-20T23:59:00Z").page
        #expect(count("class=\"making", try picture(page)) == 720)
        #expect(count("<details class=\"hour\">", page) == 24 && count("<details open", page) == 0)
        #expect(page.contains("Fri 2026-11-20 13:00 UTC <span class=\"faint\">· 30 timelines, 30 with new content"))
    }

    @Test("says of the last entry only when it begins, of the first when it began, and no time of the picture's edges")
    func tooltips() throws {
        let fixture = try PreviewFixture()
        try fixture.configuration(#"{"configurationId": "c", "kind": "K", "strategy": "fixedInterval"}"#)
        let clock = try fixture.run().page
        #expect(clock.contains("tick | Fri 2026-11-20 06:55 UTC … 07:10 | every 15 minutes</title>"))
        #expect(clock.contains("tick | from Fri 2026-11-20 07:10 UTC on | every 15 minutes</title>"))
        let desk = try page(Self.standup, at: "2026-11-20T06:25:07Z")
        #expect(desk.contains("day | Fri 2026-11-20 00:00 +01:00 … 08:30 | "))
        #expect(desk.contains("policy after, due Sat 2026-11-21 00:00"))
        for page in [clock, desk, try page(Self.standup, until: "2026-11-21T12:00:07Z")] {
            #expect(page.firstMatch(of: #/\d\d:\d\d:\d\d\.\d\d\d/#) == nil)
        }
    }

    @Test("draws each of several entries that look alike, and one that newer timelines go on with once")
    func alike() throws {
        let fixture = try PreviewFixture()
        try fixture.configuration(#"{"configurationId": "c", "kind": "K", "strategy": "fixedInterval"}"#)
        let clock = try picture(fixture.run().page)
        #expect(count("class=\"entry tick\"", clock) == 3 && count("class=\"entry tick inforce\"", clock) == 1)
        // In what is shown and in the row of its timeline, which is made just when the entry begins.
        let walk = try picture(fixture.run(until: "2026-11-20T07:30:00Z").page)
        #expect(count("tick | Fri 2026-11-20 07:10 UTC … 07:25 | ", walk) == 2)
        try fixture.configuration(#"{"configurationId": "van", "kind": "K", "vehicleId": "v1"}"#)
        try fixture.telemetry(#"{"vehicleId": "v1", "observedAt": "2026-11-20T06:20:00Z", "speed": 40}"#)
        let van = try picture(fixture.run(until: "2026-11-20T06:40:00Z").page)
        #expect(count("class=\"entry", van) == 1 && van.contains("status | Fri 2026-11-20 06:25 UTC … 06:45 | "))
    }

    @Test("leaves out what is shown where no entry shows anything")
    func emptyColumn() throws {
        let fixture = try PreviewFixture()
        try fixture.configuration(#"{"configurationId": "c", "kind": "K", "strategy": "fixedInterval"}"#)
        #expect(!(try fixture.run().page).contains("<th>shows</th>"))
        #expect(try page(Self.standup).contains("<th>shows</th>"))
    }

    @Test("puts titles that are written from the right into elements of their own")
    func rightToLeft() throws {
        let title = "פגישה"
        let page = try page(
            #"{"calendarId": "team", "uid": "x", "title": "\#(title)", "start": "2026-11-20T08:00:00Z"}"#)
        #expect(page.contains("<bdi>\(title)</bdi> 09:00") && page.contains("30 minutes before <bdi>\(title)</bdi>"))
        #expect(count("<bdi>", page) == count("</bdi>", page))
        #expect(count("\u{2068}", page) == count("\u{2069}", page))
    }
}
