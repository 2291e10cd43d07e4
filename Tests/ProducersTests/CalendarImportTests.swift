import Messages
import Producers
import Testing

@Suite("Calendar import")
struct CalendarImportTests {
    private let calendar = """
        BEGIN:VCALENDAR
        VERSION:2.0
        PRODID:-//Tideline//Tests//EN
        BEGIN:VEVENT
        UID:one/1
        DTSTAMP:20261101T000000Z
        DTSTART:20261120T070000Z
        DTEND:20261120T080000Z
        SUMMARY:Depot check
        END:VEVENT
        BEGIN:VEVENT
        UID:two
        DTSTAMP:20261101T000000Z
        DTSTART;VALUE=DATE:20261121
        RECURRENCE-ID;VALUE=DATE:20261120
        SUMMARY:Moved
        END:VEVENT
        BEGIN:VEVENT
        UID:bad
        DTSTAMP:20261101T000000Z
        DTSTART:20261399T070000Z
        SUMMARY:Never
        END:VEVENT
        END:VCALENDAR

        """.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")

    @Test("publishes events under their keys, and leaves out what cannot be used with its file and line")
    func events() throws {
        let inputs = try Inputs()
        let file = try inputs.file("a.ics", calendar)
        let source = CalendarImport(files: [file], calendarId: "cal")
        let records = try source.records()
        #expect(records.map(\.keyText) == ["cal/one%2F1", "cal/two/2026-11-20"])
        #expect(records[0].valueText?.contains(#""title":"Depot check""#) == true)
        #expect(source.skipped.count == 1)
        #expect(source.skipped.first?.file == file)
        #expect(source.skipped.first?.line.map { (18...22).contains($0) } == true)
        #expect(source.fractionDone == 1)
    }

    @Test("a file that is no calendar is named")
    func noCalendar() throws {
        let inputs = try Inputs()
        let file = try inputs.file("a.ics", "hello")
        let problem = #expect(throws: InputProblem.self) {
            try CalendarImport(files: [file], calendarId: "cal").next()
        }
        #expect(problem?.file == file)
    }

    @Test("the recorded calendars are read to their ends")
    func recorded() throws {
        for (name, atLeast) in [
            ("issue42_google_export_redacted", 4700), ("issue_173_only_modifications_error", 600),
            ("machbar_16_feb_2019", 20),
        ] {
            guard let file = RecordedData.file("calendars/\(name).ics") else { return }
            let source = CalendarImport(files: [file], calendarId: name)
            let records = try source.records()
            #expect(records.count >= atLeast, "\(name): \(source.skipped.prefix(3))")
            #expect(records.allSatisfy { $0.value != nil && $0.keyText.hasPrefix(name + "/") })
        }
    }
}
