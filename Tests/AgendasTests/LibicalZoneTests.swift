import Agendas
import CIcal
import Foundation
import TestSupport
import Testing
import Timelines

/// The VTIMEZONEs of all files in the corpus, each once, that libical and we can both reckon.
private func definitions() throws -> [(name: String, lines: [String])] {
    let folder = PackageRoot.url.appending(path: "Tests/AgendasTests/Corpus")
    var found: [(name: String, lines: [String])] = []
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
        let text = String(decoding: try Data(contentsOf: folder.appending(path: file)), as: UTF8.self)
        let lines = text.split { $0.isNewline }.map(String.init)
        for begin in lines.indices where lines[begin] == "BEGIN:VTIMEZONE" {
            guard let end = lines[begin...].firstIndex(of: "END:VTIMEZONE") else { continue }
            let zone = lines[begin...end].map { $0.hasPrefix("TZID:") ? "TZID:Ours" : $0 }
            if !found.contains(where: { $0.lines == zone }) { found.append((file, zone)) }
        }
    }
    return found
}

/// Offsets from UTC by libical, in seconds, of local times `20260101T120000`.
private func libicalOffsets(_ zone: [String], _ times: [String]) -> [Int32]? {
    icalerror_set_errors_are_fatal(0)
    guard let component = icalparser_parse_string((zone + [""]).joined(separator: "\r\n")),
        let timeZone = icaltimezone_new()
    else { return nil }
    guard icaltimezone_set_component(timeZone, component) != 0 else { return nil }
    defer { icaltimezone_free(timeZone, 1) }
    return times.map { text in
        var time = icaltime_from_string(text)
        return icaltimezone_get_utc_offset(timeZone, &time, nil)
    }
}

/// How far `start`, written without an offset as `20260101T120000`, is east of UTC.
private func offset(_ written: String, _ start: EventTime) throws -> Int64 {
    let wall = try #require(
        Instant(
            rfc3339: "\(written.prefix(4))-\(written.dropFirst(4).prefix(2))-\(written.dropFirst(6).prefix(2))T"
                + "\(written.dropFirst(9).prefix(2)):\(written.dropFirst(11).prefix(2)):00Z"))
    guard case .instant(let instant) = start else { return .max }
    return (wall.milliseconds - instant.milliseconds) / 1000
}

/// Every sixth hour of each eleventh day of a year, as iCalendar writes it.
private func sampledTimes(of year: Int) -> [String] {
    var times: [String] = []
    for month in 1...12 {
        for day in 1...28 where (day + month + year) % 11 == 0 {
            let date = String(format: "%04d%02d%02d", year, month, day)
            times += ["00", "06", "12", "18"].map { hour in "\(date)T\(hour)0000" }
        }
    }
    return times
}

@Test("Clocks of the corpus' VTIMEZONEs are those that libical reckons, at every sixth hour of its years")
func sameAsLibical() throws {
    var zones = 0
    var compared = 0
    for (name, zone) in try definitions() {
        // libical knows changes to 2035.
        let times = (1972...2034).flatMap(sampledTimes)
        guard let theirs = libicalOffsets(zone, times) else { continue }
        let events = times.flatMap { ["BEGIN:VEVENT", "UID:\($0)", "DTSTART;TZID=Ours:\($0)", "END:VEVENT"] }
        let text = (["BEGIN:VCALENDAR"] + zone + events + ["END:VCALENDAR", ""]).joined(separator: "\r\n")
        let ours = ICalendar.events(in: Array(text.utf8), calendarId: "c").events
        // A definition that we refuse lets its times float.
        guard case .instant? = ours.first?.start else { continue }
        try #require(ours.count == times.count)
        zones += 1
        for (index, time) in times.enumerated() {
            let (own, other) = (try offset(time, ours[index].start), Int64(theirs[index]))
            compared += 1
            if own != other {
                Issue.record("\(name) at \(time): \(own), libical: \(other)")
                break
            }
        }
    }
    print("VTIMEZONEs as libical reckons them: \(zones), at \(compared) times")
    #expect(zones >= 6)
}
