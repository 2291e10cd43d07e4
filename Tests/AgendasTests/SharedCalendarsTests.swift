import Agendas
import Foundation
import TestSupport
import Testing
import Timelines

/// Recorded calendars that lie beside the project: the count of events, and of the occurrences that overlap
/// 2019-02-10 to 2019-03-31 in the calendar's own zone, which another implementation of RFC 5545 finds, too.
@Test(
    "Recorded calendars are imported whole and give the occurrences that are known of them",
    arguments: [
        ("issue42_google_export_redacted", "Europe/London", 4778, 49),
        ("issue_173_only_modifications_error", "Europe/Paris", 677, 0),
        ("machbar_16_feb_2019", "Europe/Berlin", 64, 48),
    ])
func sharedCalendar(_ name: String, _ zoneName: String, _ events: Int, _ occurrences: Int) throws {
    guard let found = try imported(name) else { return }
    #expect(found.problems == [])
    #expect(found.events.count == events)
    #expect(found.timeZone == zoneName)
    var calendar = EventCalendar()
    for event in found.events { calendar.apply(event) }
    #expect(calendar.count == events)
    let agenda = calendar.agenda(
        from: at("2019-02-10T00:00:00Z"), to: at("2019-04-01T00:00:00Z"), in: try zone(zoneName))
    #expect(agenda.problems == [])
    #expect(agenda.occurrences.count == occurrences)
}

@Test("Europe/lisbon, which a recorded file defines at an hour east of Lisbon, is not taken for Europe/Lisbon")
func lowerCaseLisbon() throws {
    guard let found = try imported("issue42_google_export_redacted") else { return }
    var calendar = EventCalendar()
    for event in found.events where event.uid.hasPrefix("6hgj2ohp71j6abb175h3eb9k74pmcb9p6lj66b9hcgpjec31c5hj6dpm6o") {
        calendar.apply(event)
    }
    #expect(
        try calendar.extents("2019-01-01T00:00:00Z", "2021-01-01T00:00:00Z") == [
            "2019-12-24T13:30:00Z/2019-12-24T13:30:00Z", "2020-12-24T13:30:00Z/2020-12-24T13:30:00Z",
        ])
}

private func imported(_ name: String) throws -> ICalendarImport? {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    let folder = root.appendingPathComponent("../shared/data/calendars").standardizedFileURL
    guard FileManager.default.fileExists(atPath: folder.path) else {
        print("not there, so not tested: ../shared/data/calendars")
        return nil
    }
    return ICalendar.events(in: try Data(contentsOf: folder.appendingPathComponent("\(name).ics")), calendarId: name)
}
