import Foundation
import Messages
import Preview
import Producers
import Testing
import Timelines

private let team = """
    BEGIN:VCALENDAR
    VERSION:2.0
    BEGIN:VEVENT
    UID:sync
    SUMMARY:Sync
    LOCATION:Room 4
    DTSTART;TZID=Europe/Berlin:20261119T090000
    DTEND;TZID=Europe/Berlin:20261119T091500
    RRULE:FREQ=DAILY
    EXDATE;TZID=Europe/Berlin:20261121T090000
    END:VEVENT
    BEGIN:VEVENT
    UID:sync
    RECURRENCE-ID;TZID=Europe/Berlin:20261122T090000
    SUMMARY:Sync\\, late
    STATUS:TENTATIVE
    DTSTART;TZID=Europe/Berlin:20261122T140000
    DTEND;TZID=Europe/Berlin:20261122T141500
    END:VEVENT
    BEGIN:VEVENT
    UID:fair
    SUMMARY:Fair
    DTSTART;VALUE=DATE:20261119
    DTEND;VALUE=DATE:20261122
    END:VEVENT
    BEGIN:VEVENT
    UID:off
    STATUS:CANCELLED
    DTSTART:20261120T120000Z
    END:VEVENT
    BEGIN:VEVENT
    UID:ring
    SUMMARY:Ring
    DTSTART:20261120T000000Z
    END:VEVENT
    BEGIN:VEVENT
    UID:odd
    DTSTART:tomorrow
    END:VEVENT
    END:VCALENDAR

    """

private let teamTable = """
    Fri 2026-11-20
      01:00          Ring
      09:00 – 09:15  Sync, Room 4
      22:00 – …      展示会, until Sat 2026-11-21 02:00
      all day        Fair, since Thu 2026-11-19, until Sat 2026-11-21

    Sun 2026-11-22
      14:00 – 14:15  Sync, late (tentative)

    5 occurrences from Fri 2026-11-20 00:00 +01:00 to Mon 2026-11-23 00:00 +01:00 · Europe/Berlin
    """

@Suite("An agenda")
struct AgendaTests {
    private let fixture: PreviewFixture

    init() throws {
        fixture = try PreviewFixture()
    }

    private func listing(
        _ files: [String], from: String = "2026-11-20T00:00:00Z", to: String = "2026-11-23T00:00:00Z",
        zone: String = "UTC"
    ) throws -> AgendaListing {
        let calendar = try #require(LocalCalendar(zone))
        let range = try #require(Instant(rfc3339: from))..<(try #require(Instant(rfc3339: to)))
        var listing = AgendaListing(range: range, in: calendar)
        for file in files {
            listing.readOccurrences(
                CalendarFile.reading(CalendarInput(file: file, calendarId: CalendarInput.calendarId(of: file))))
        }
        listing.sort()
        return listing
    }

    private func lines(_ listing: AgendaListing) -> [String] {
        listing.rows.map { row in
            var json = JSONWriter()
            row.write(to: &json)
            return String(decoding: json.bytes, as: UTF8.self)
        }
    }

    private func calendar(_ name: String, _ lines: String..., header: String = "VERSION:2.0") throws -> String {
        let event = ["BEGIN:VEVENT", "UID:\(name)"] + lines + ["END:VEVENT"]
        return try fixture.write(
            (["BEGIN:VCALENDAR", header] + event + ["END:VCALENDAR", ""]).joined(separator: "\r\n"),
            to: "\(name).ics")
    }

    @Test("lists instances with their original starts, moved ones where they are, all-day ones as dates")
    func occurrences() throws {
        let listing = try listing([try fixture.write(team, to: "team.ics")])
        #expect(
            lines(listing) == [
                #"{"uid":"fair","start":"2026-11-19","end":"2026-11-22","allDay":true,"title":"Fair","#
                    + #""status":"confirmed"}"#,
                #"{"uid":"ring","start":"2026-11-20T00:00:00Z","end":"2026-11-20T00:00:00Z","allDay":false,"#
                    + #""title":"Ring","status":"confirmed"}"#,
                #"{"uid":"sync","recurrenceId":"2026-11-20T08:00:00Z","start":"2026-11-20T08:00:00Z","#
                    + #""end":"2026-11-20T08:15:00Z","allDay":false,"title":"Sync","status":"confirmed"}"#,
                #"{"uid":"sync","recurrenceId":"2026-11-22T08:00:00Z","start":"2026-11-22T13:00:00Z","#
                    + #""end":"2026-11-22T13:15:00Z","allDay":false,"title":"Sync, late","status":"tentative"}"#,
            ])
        #expect(listing.leftOut.map(\.line) == [38])
        #expect(listing.unreadable.isEmpty)
    }

    @Test(
        "overlaps to the instant: the end of a range and of an occurrence are outside, no length needs its start inside"
    )
    func bounds() throws {
        let meeting = try calendar("meeting", "DTSTART:20261120T070000Z", "DTEND:20261120T080000Z")
        let ring = try calendar("ring", "DTSTART:20261120T080000Z")
        func uids(_ from: String, _ to: String) throws -> [String] {
            try lines(listing([meeting, ring], from: "2026-11-20T\(from)Z", to: "2026-11-20T\(to)Z"))
                .map { String($0.dropFirst(8).prefix { $0 != "\"" }) }
        }
        #expect(try uids("06:00:00", "07:00:00").isEmpty)
        #expect(try uids("06:00:00", "07:00:00.001") == ["meeting"])
        #expect(try uids("07:59:59.999", "08:00:00") == ["meeting"])
        #expect(try uids("08:00:00", "08:00:00.001") == ["ring"])
        #expect(try uids("08:00:00.001", "09:00:00").isEmpty)
    }

    @Test("floating times count as in the file's own zone, else in the one that is given; all-day dates in that one")
    func zones() throws {
        let home = try calendar(
            "home", "DTSTART:20261120T090000", "DTEND:20261120T093000", header: "X-WR-TIMEZONE:Asia/Tokyo")
        let any = try calendar("any", "DTSTART:20261120T090000", "DTEND:20261120T093000")
        let starts = try lines(listing([home, any], zone: "Europe/Berlin")).map { $0.split(separator: "\"")[6] }
        let found = try listing([home, any], zone: "Europe/Berlin")
        #expect(lines(found).map { $0.contains("T00:00:00Z") } == [true, false], "\(starts)")
        #expect(lines(found).map { $0.contains("T08:00:00Z") } == [false, true])
        let day = try calendar("day", "DTSTART;VALUE=DATE:20261120", header: "X-WR-TIMEZONE:Asia/Tokyo")
        // 20 November ends in Tokyo when it is 15:00 in UTC, in Berlin at 23:00: whoever looks from there sees that.
        for (zone, end) in [
            ("UTC", "2026-11-21T00"), ("Europe/Berlin", "2026-11-20T23"), ("Asia/Tokyo", "2026-11-20T15"),
        ] {
            let last = try #require(Instant(rfc3339: "\(end):00:00Z")) - .seconds(1)
            #expect(try listing([day], from: last.rfc3339, zone: zone).rows.count == 1, "\(zone)")
            #expect(try listing([day], from: "\(end):00:00Z", zone: zone).rows.isEmpty, "\(zone)")
        }
        let noon = try calendar("noon", "DTSTART:20261119T230000Z")
        let order = try listing([day, noon], from: "2026-11-19T12:00:00Z", zone: "UTC").rows.map(\.calendarId)
        #expect(order == ["noon", "day"])
    }

    @Test("several files are sorted together: by start, then uid")
    func several() throws {
        let files = try ["c", "a", "b"].map { try calendar($0, "DTSTART:20261120T090000Z") }
        let early = try calendar("z", "DTSTART:20261120T080000Z")
        #expect(try listing(files + [early]).rows.map(\.calendarId) == ["z", "a", "b", "c"])
    }

    @Test("a file that cannot be read is named, the others are listed; a packed one is unpacked")
    func unreadable() throws {
        let good = try calendar("good", "DTSTART:20261120T090000Z")
        let text = try fixture.write("hello", to: "text.ics")
        let found = try listing([fixture.path("absent.ics"), good, text])
        #expect(found.rows.map(\.calendarId) == ["good"])
        #expect(found.unreadable.map(\.file) == [fixture.path("absent.ics"), text])
    }

    @Test("events are listed as they are: masters with their rules, overrides, cancelled ones, within a range or all")
    func events() throws {
        let file = CalendarInput(file: try fixture.write(team, to: "team.ics"), calendarId: "team")
        var all = AgendaListing(range: nil, in: .utc)
        all.readEvents(CalendarFile.reading(file))
        all.sort()
        let texts = lines(all)
        #expect(texts.count == 5)
        #expect(texts[1].contains(#""recurrence":["RRULE:FREQ=DAILY","EXDATE"#))
        #expect(texts[1].contains(#""timeZone":"Europe/Berlin""#))
        #expect(texts[3].contains(#""status":"cancelled""#))
        #expect(texts[4].contains(#""recurrenceId":"2026-11-22T08:00:00Z""#))
        let day = try #require(Instant(rfc3339: "2026-11-23T00:00:00Z"))
        var some = AgendaListing(range: day..<(day + .hours(24)), in: .utc)
        some.readEvents(CalendarFile.reading(file))
        #expect(lines(some).allSatisfy { $0.contains(#""uid":"sync""#) } && some.rows.count == 2)
        let table = AgendaTable(of: all, style: TableStyle()).lines
        #expect(table.contains("  08:00    Sync, Room 4"))
        #expect(table.contains("           RRULE:FREQ=DAILY EXDATE;TZID=Europe/Berlin:20261121T090000"))
        #expect(table.contains("           instead of 2026-11-22T08:00:00Z"))
        #expect(table.last == "5 events · UTC")
    }

    @Test("a series in a zone that only its file knows is listed with its text, and previewed from what is listed")
    func definedZone() throws {
        let file = try fixture.write(
            """
            BEGIN:VCALENDAR
            BEGIN:VTIMEZONE
            TZID:Ours
            BEGIN:STANDARD
            DTSTART:19700101T000000
            TZOFFSETFROM:+0117
            TZOFFSETTO:+0117
            END:STANDARD
            END:VTIMEZONE
            BEGIN:VEVENT
            UID:e
            SUMMARY:Tide
            DTSTART;TZID=Ours:20200301T110000
            RRULE:FREQ=DAILY
            END:VEVENT
            END:VCALENDAR
            """, to: "own.ics")
        #expect(try lines(listing([file])).count == 3)
        #expect(try lines(listing([file]))[0].contains(#""start":"2026-11-20T09:43:00Z""#))
        var events = AgendaListing(range: nil, in: .utc)
        events.readEvents(CalendarFile.reading(CalendarInput(file: file, calendarId: "own")))
        let line = try #require(lines(events).first)
        #expect(line.contains(#""start":"2020-03-01T11:00:00","recurrence""#), "the zone stands in the text alone")
        #expect(line.contains(#""recurrence":["RRULE:FREQ=DAILY"],"iCalendar":"BEGIN:VCALENDAR\r\n"#))
        #expect(AgendaTable(of: events, style: TableStyle()).lines[1].contains("09:43"))
        let widget = #"{"configurationId": "c", "kind": "K", "calendarIds": ["own"], "family": "systemSmall"}"#
        try fixture.configuration(widget)
        fixture.files.calendars = [file]
        let previewed = try fixture.run().records
        #expect(previewed[0].contains(#""date":"2026-11-20T09:43:00Z","phase":"start""#))
        fixture.files.calendars = []
        try fixture.events(line)
        #expect(try fixture.run().records == previewed)
    }

    @Test("the table shows days in local time, and what began before the range on its first day")
    func table() throws {
        let night = try calendar(
            "night", "SUMMARY:展示会", "DTSTART:20261120T210000Z", "DTEND:20261121T010000Z")
        let names = try [fixture.write(team, to: "team.ics"), night]
        let found = try listing(
            names, from: "2026-11-19T23:00:00Z", to: "2026-11-22T23:00:00Z", zone: "Europe/Berlin")
        let lines = AgendaTable(of: found, style: TableStyle()).lines.map {
            $0.replacing(" · team", with: "").replacing(" · night", with: "")
        }
        #expect(
            lines.filter { !$0.contains("Fair") }
                == teamTable.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).filter {
                    !$0.contains("Fair")
                })
        #expect(lines[1] == "  all day        Fair, since Thu 2026-11-19, until Sat 2026-11-21")
    }

    @Test("a table without anything says so, and no line is wider than the terminal")
    func narrow() throws {
        let nothing = AgendaTable(of: try listing([]), style: TableStyle()).lines
        #expect(nothing.count == 1 && nothing[0].hasPrefix("no occurrences from Fri 2026-11-20 00:00 UTC"))
        let long = try calendar(
            "long", "SUMMARY:\(String(repeating: "word ", count: 40))", "DTSTART:20261120T070000Z")
        let lines = AgendaTable(of: try listing([long]), style: TableStyle(columns: 60)).lines
        #expect(lines.count > 5 && lines.dropLast().allSatisfy { $0.count <= 60 })
    }
}
