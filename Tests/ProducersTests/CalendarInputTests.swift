import Foundation
import Producers
import Testing

@Suite("Calendar files")
struct CalendarInputTests {
    private let calendar = "BEGIN:VCALENDAR\nEND:VCALENDAR\n"

    /// `team.ics`, `rooms/a.ICS`, `rooms/b.ics.gz`, and what is none.
    private func folder() throws -> (inputs: Inputs, path: String) {
        let inputs = try Inputs()
        let team = try inputs.file("team.ics", calendar)
        let path = String(team.dropLast("/team.ics".count))
        try FileManager.default.createDirectory(atPath: path + "/rooms/empty", withIntermediateDirectories: true)
        for name in ["rooms/b.ics.gz", "rooms/a.ICS", "notes.txt", ".hidden.ics", "ics"] {
            _ = try inputs.file(name, calendar)
        }
        return (inputs, path)
    }

    @Test("a folder stands for the calendars below it, in a fixed order, each named like its file")
    func folders() throws {
        let (inputs, path) = try folder()
        let found = CalendarInput.find([path + "/"])
        #expect(found.problems.isEmpty)
        #expect(
            found.inputs.map { $0.file.dropFirst(path.count + 1) } == ["rooms/a.ICS", "rooms/b.ics.gz", "team.ics"])
        #expect(found.inputs.map(\.calendarId) == ["a", "b", "team"])
        #expect(CalendarInput.find([path], calendarId: "one").inputs.allSatisfy { $0.calendarId == "one" })
        withExtendedLifetime(inputs) {}
    }

    @Test("a file counts once, and files come in the order in which they are named")
    func once() throws {
        let (inputs, path) = try folder()
        let found = CalendarInput.find([path + "/team.ics", path, path + "/notes.txt"]).inputs
        #expect(found.map(\.calendarId) == ["team", "a", "b", "notes.txt"])
        withExtendedLifetime(inputs) {}
    }

    @Test("a folder without calendars is a problem; a file that is absent is one for its reader")
    func nothing() throws {
        let (inputs, path) = try folder()
        let found = CalendarInput.find([path + "/rooms/empty", path + "/absent.ics"])
        #expect(found.problems.map(\.file) == [path + "/rooms/empty"])
        #expect(found.inputs.map(\.calendarId) == ["absent"])
        #expect(throws: InputProblem.self) { try CalendarFile(found.inputs[0]) }
        withExtendedLifetime(inputs) {}
    }

    @Test("a folder that links lead back to is looked at once")
    func circle() throws {
        let (inputs, path) = try folder()
        for name in ["/rooms/up", "/rooms/empty/up", "/again"] {
            try FileManager.default.createSymbolicLink(atPath: path + name, withDestinationPath: path)
        }
        let found = CalendarInput.find([path])
        #expect(found.problems.isEmpty && found.inputs.map(\.calendarId) == ["a", "b", "team"])
        withExtendedLifetime(inputs) {}
    }

    @Test("components are found in a text by the lines that they take, folded and broken ones too")
    func places() throws {
        let inputs = try Inputs()
        let text =
            "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:one\r\n -more\r\nEND:VEVENT\r\nbegin:vevent\r\n"
            + "RECURRENCE-ID:20261120T070000Z\r\nuid;X=1:two\\,2\r\nBEGIN:VEVENT\r\nSUMMARY:x\r\nEND:VCALENDAR\r\n"
        let file = try CalendarFile(CalendarInput(file: try inputs.file("a.ics", text), calendarId: "a"))
        #expect(file.places.map(\.uid) == ["one-more", "two,2", ""])
        #expect(file.places.map(\.lines) == [2...5, 6...8, 9...11])
        #expect(file.places.map(\.isOverride) == [false, true, false])
        #expect(file.isComplete)
    }
}
