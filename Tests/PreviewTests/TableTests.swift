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

    @Test("of a walk shows new content, and in one line what only says the same again")
    func walk() throws {
        let fixture = try van(#"{"vehicleId": "v1", "observedAt": "2026-11-20T06:20:00Z", "speed": 40}"#)
        let lines = try fixture.run(until: "2026-11-20T07:10:00Z").table()
        #expect(
            lines.joined(separator: "\n") == """
                van · K · systemMedium · strategy status · UTC

                Fri 2026-11-20 06:25 UTC · the configuration came · revision 1, visible change
                  policy after · next update Fri 2026-11-20 06:27 UTC
                ▶ Fri 2026-11-20  06:25 UTC  status  v1, Moving, 40 km/h  as known then
                                  06:31 UTC  stale   v1, Moving, 40 km/h  nothing newer for 6 minutes
                  06:27 … 06:49 · 12 timelines without new content · next update Fri 2026-11-20 06:51 UTC

                Fri 2026-11-20 06:50 UTC · nothing heard of the vehicle for 30 minutes · revision 2, visible change
                  policy after · next update Fri 2026-11-20 07:05 UTC
                ▶ Fri 2026-11-20  06:50 UTC  stale  v1, Offline, 40 km/h  nothing heard of the vehicle for 30 minutes
                  07:05 · 1 timeline without new content · next update Fri 2026-11-20 07:20 UTC

                15 timelines, 2 with new content, 2 visible changes
                """)
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
