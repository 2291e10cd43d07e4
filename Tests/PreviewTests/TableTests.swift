import Preview
import Testing
import Timelines

private let deskTable = """
    desk · K · systemMedium · strategy events · Europe/Berlin
    made Fri 2026-11-20 07:25 +01:00 · policy after · next update Sat 2026-11-21 00:00 +01:00

    ▶ Fri 2026-11-20  00:00 +01:00  day       next: Sync 09:00                                local midnight
                      08:30 +01:00  preEvent  Sync 09:00, Room 4                              30 minutes before Sync
                      09:00 +01:00  start     Sync until 09:15, Room 4                        Sync starts
                      09:15 +01:00  end       after Sync · next: 設計🎉 Sat 2026-11-21 08:00  Sync ends
      Sat 2026-11-21  00:00 +01:00  day       next: 設計🎉 08:00                              local midnight
                      07:30 +01:00  preEvent  設計🎉 08:00 (tentative)                        30 minutes before 設計🎉
                      08:00 +01:00  start     設計🎉 (tentative)                              設計🎉 starts
    """

@Suite("The table of a preview")
struct TableTests {
    private func desk() throws -> PreviewFixture {
        let fixture = try PreviewFixture()
        try fixture.configuration(
            """
            {"configurationId": "desk", "kind": "K", "timeZone": "Europe/Berlin", "calendarIds": ["team"]}
            """)
        try fixture.events(
            #"{"calendarId": "team", "uid": "s", "title": "Sync", "start": "2026-11-20T08:00:00Z", "duration":"#
                + #" "PT15M", "location": "Room 4"}"#,
            #"{"calendarId": "team", "uid": "r", "title": "設計🎉", "start": "2026-11-21T07:00:00Z", "status":"#
                + #" "tentative"}"#)
        return fixture
    }

    private func van(_ telemetry: String) throws -> PreviewFixture {
        let fixture = try PreviewFixture()
        try fixture.configuration(#"{"configurationId": "van", "kind": "K", "vehicleId": "v1"}"#)
        try fixture.telemetry(telemetry)
        return fixture
    }

    @Test("says when, what and why, in local time, with the entry in force marked and the date where it changes")
    func single() throws {
        #expect(try desk().run().table().joined(separator: "\n") == deskTable)
    }

    @Test("is broken between words where the terminal is narrow, and no line is wider than that")
    func narrow() throws {
        let lines = try desk().run().table(columns: 84)
        #expect(lines.contains("                  08:30 +01:00  preEvent  Sync 09:00, Room 4      30 minutes before"))
        #expect(lines.contains("                                                                  Sync"))
        #expect(lines.dropFirst(3).allSatisfy { $0.count <= 84 })
    }

    @Test("has no offset in its rows on a narrow terminal, each reason on its own line, and its headings broken")
    func veryNarrow() throws {
        let lines = try desk().run().table(columns: 60)
        #expect(
            lines.prefix(9).joined(separator: "\n") == """
                desk · K · systemMedium · strategy events · Europe/Berlin
                made Fri 2026-11-20 07:25 +01:00 · policy after
                  next update Sat 2026-11-21 00:00 +01:00

                ▶ Fri 2026-11-20  00:00  day       next: Sync 09:00
                                  local midnight
                                  08:30  preEvent  Sync 09:00, Room 4
                                  30 minutes before Sync
                                  09:00  start     Sync until 09:15, Room 4
                """)
        for columns in [40, 50, 60, 79] {
            let lines = try desk().run(until: "2026-11-22T00:00:00Z").table(columns: columns)
            #expect(lines.allSatisfy { $0.count <= columns }, "\(columns): \(lines)")
        }
        #expect(try desk().run().table(columns: 40).contains("  Sat 2026-11-21"))
    }

    @Test("keeps the offset of a row on a narrow terminal where it is another one than the heading's")
    func narrowClockChange() throws {
        let fixture = try PreviewFixture()
        try fixture.configuration(
            #"{"configurationId": "c", "kind": "K", "timeZone": "Europe/Berlin", "calendarIds": ["team"]}"#)
        try fixture.events(#"{"calendarId": "team", "uid": "s", "title": "S", "start": "2026-10-25T09:00:00Z"}"#)
        let lines = try fixture.run(at: "2026-10-24T10:00:00Z").table(columns: 70)
        #expect(lines.contains { $0.hasPrefix("▶ Sat 2026-10-24  00:00         day ") }, "\(lines)")
        #expect(lines.contains { $0.contains("10:00 +01:00  start ") }, "\(lines)")
    }

    @Test("of a walk shows new content, and in one line what only says the same again")
    func walk() throws {
        let fixture = try van(#"{"vehicleId": "v1", "observedAt": "2026-11-20T06:20:00Z", "speed": 40}"#)
        let lines = try fixture.run(until: "2026-11-20T07:10:00Z").table(columns: 104)
        #expect(
            lines.joined(separator: "\n") == """
                van · K · systemMedium · strategy status · UTC

                Fri 2026-11-20 06:25 UTC · configuration received · revision 1 · visible change: reload
                  policy after · next update Fri 2026-11-20 06:27 UTC
                ▶ Fri 2026-11-20  06:25 UTC  status  v1, Moving, 40 km/h  as known then
                                  06:31 UTC  stale   v1, Moving, 40 km/h  if nothing newer comes for 6 minutes
                  06:27 … 06:49 · 12 timelines without new content · next update Fri 2026-11-20 06:51 UTC

                Fri 2026-11-20 06:50 UTC · nothing heard of the vehicle for 30 minutes · revision 2
                  visible change: reload
                  policy after · next update Fri 2026-11-20 07:05 UTC
                ▶ Fri 2026-11-20  06:50 UTC  stale  v1, Offline, 40 km/h  nothing heard of the vehicle for 30 minutes
                  07:05 · 1 timeline without new content · next update Fri 2026-11-20 07:20 UTC

                15 timelines, 2 with new content, 2 visible changes
                A revision counts contents: the same content keeps it.
                A reload is sent for a visible change before the due date.
                """)
    }

    @Test("says of new content why no reload announces it")
    func noReload() throws {
        let lines = try desk().run(until: "2026-11-21T12:00:00Z").table()
        let midnight = "Sat 2026-11-21 00:00 +01:00 · scheduled update · revision 2"
        #expect(lines.contains("\(midnight) · no reload: it was due then anyway"), "\(lines)")
    }

    @Test("shows parameters where an entry is a tick, cut to what can be read, and no column that is empty")
    func parameters() throws {
        let fixture = try PreviewFixture()
        let clock = #"{"configurationId": "c", "kind": "K", "strategy": "fixedInterval""#
        try fixture.configuration(clock + "}")
        let bare = try fixture.run().table()
        #expect(bare.contains("▶ Fri 2026-11-20  06:25 UTC  tick  every 15 minutes"), "\(bare)")
        try fixture.configuration(
            clock + #", "parameters": {"name": "Spouty", "health": 100.0, "more": {"a": [1]}}}"#)
        let lines = try fixture.run().table()
        let shown = "health=100.0, more={…}, name=Spouty"
        #expect(lines.contains("▶ Fri 2026-11-20  06:25 UTC  tick  \(shown)  every 15 minutes"), "\(lines)")
        let long = String(repeating: "long ", count: 40)
        try fixture.configuration(clock + #", "parameters": {"a": "\#(long)", "b": "\#(long)", "c": "\#(long)"}}"#)
        #expect(try fixture.run().table().contains { $0.contains("  a=long long long long lon…, b=long") })
    }

    @Test("isolates titles that are written from the right, and takes out of titles what turns or hides text")
    func rightToLeft() throws {
        let fixture = try desk()
        let title = "פגישה"
        try fixture.events(
            #"{"calendarId": "team", "uid": "s", "title": "\#(title)\u202e", "start": "2026-11-20T08:00:00Z"}"#,
            #"{"calendarId": "team", "uid": "t", "title": "a\u200bb\u202ec\ufeff", "start": "2026-11-20T10:00:00Z"}"#)
        let lines = try fixture.run().table()
        let isolated = "\u{2068}\(title)\u{2069}"
        #expect(lines.contains { $0.contains("preEvent  \(isolated) 09:00 ") }, "\(lines)")
        #expect(lines.contains { $0.hasSuffix("30 minutes before \(isolated)") }, "\(lines)")
        #expect(lines.contains { $0.contains("preEvent  abc 11:00 ") }, "\(lines)")
    }

    @Test("ends an isolate with its line and begins it again on the next")
    func wrappedIsolate() throws {
        let fixture = try desk()
        let title = Array(repeating: "פגישה", count: 12).joined(separator: " ")
        try fixture.events(
            #"{"calendarId": "team", "uid": "s", "title": "\#(title)", "start": "2026-11-20T08:00:00Z"}"#)
        for columns in [60, 100] {
            for line in try fixture.run().table(columns: columns) {
                let (begun, ended) = (line.count { $0 == "\u{2068}" }, line.count { $0 == "\u{2069}" })
                #expect(begun == ended, "\(line)")
                #expect(begun > 0 || !line.contains("פ"), "\(line)")
            }
        }
    }

    @Test("shows both offsets where the clocks are changed, and the second of an instant that has one")
    func clockChange() throws {
        let fixture = try PreviewFixture()
        try fixture.configuration(
            #"{"configurationId": "c", "kind": "K", "timeZone": "Europe/Berlin", "calendarIds": ["team"]}"#)
        try fixture.events(
            #"{"calendarId": "team", "uid": "s", "title": "S", "start": "2026-10-25T00:30:15Z", "duration": "PT1H"}"#)
        let lines = try fixture.run(at: "2026-10-24T23:00:00Z").table()
        #expect(lines.contains { $0.contains("02:00:15 +02:00  preEvent  S 02:30:15 ") }, "\(lines)")
        #expect(lines.contains { $0.contains("02:30:15 +02:00  start     S until 02:30:15") }, "\(lines)")
        #expect(lines.contains { $0.contains("02:30:15 +01:00  end ") }, "\(lines)")
    }

    @Test("has colour only where it is asked for, and what steers a terminal is taken out of titles")
    func colour() throws {
        let fixture = try desk()
        try fixture.events(
            ##"{"calendarId": "team", "uid": "s", "title": "a\u001b[31mb\nc", "start": "2026-11-20T08:00:00Z"}"##)
        let plain = try fixture.run().table().joined(separator: "\n")
        #expect(!plain.contains("\u{1b}") && plain.contains("a [31mb c"))
        let coloured = try fixture.run().table(isColored: true)
        #expect(coloured.contains { $0.hasPrefix("\u{1b}[32m▶ ") })
        // The colours alone make the difference.
        let bare = coloured.map { $0.replacing(#/\u{1b}\[\d+m/#, with: "") }.joined(separator: "\n")
        #expect(bare == plain)
    }
}
