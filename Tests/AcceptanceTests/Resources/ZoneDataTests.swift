import Foundation
import TestSupport
import Testing

/// Where the rules of zones come from. No broker.
@Suite struct ZoneDataTests {
    /// An event of each day, over a change of daylight saving, that brings no rules of its zone along.
    private static let calendar = """
        BEGIN:VCALENDAR
        VERSION:2.0
        PRODID:-//t//t//EN
        BEGIN:VEVENT
        UID:e
        DTSTAMP:20260101T000000Z
        DTSTART;TZID=Europe/Berlin:20261020T100000
        DTEND;TZID=Europe/Berlin:20261020T110000
        RRULE:FREQ=DAILY
        SUMMARY:E
        END:VEVENT
        END:VCALENDAR

        """

    /// - Parameter preparation: what a shell does before that, among mounts of its own.
    private static func dates(after preparation: String) async throws -> ProcessResult {
        let file = TemporaryDirectory.make("zones").appending(path: "calendar.ics")
        try Data(calendar.replacing("\n", with: "\r\n").utf8).write(to: file)
        let verb = "exec \"$0\" agenda --ics '\(file.path)' --from 2026-10-24 --to 2026-10-26 --time-zone Europe/Berlin"
        let words = ["unshare", "-m", "sh", "-c", preparation + verb, TidelineExecutable.url.path]
        return try await ProcessRunner.run(URL(filePath: "/usr/bin/env"), words)
    }

    @Test("the program brings its zone data along: that of the system may be another, or none at all")
    func ownData() async throws {
        let here = try await Self.dates(after: "")
        guard here.succeeded else { return show("not tested: no mounts of its own here: \(here.failure)") }
        #expect(here.standardOutput.contains("2026-10-24T08:00:00Z"), "\(here.standardOutput)")
        #expect(here.standardOutput.contains("2026-10-25T09:00:00Z"), "\(here.standardOutput)")
        let without = try await Self.dates(
            after: "mount -t tmpfs none /usr/share/zoneinfo && test -z \"$(ls /usr/share/zoneinfo)\" || exit 99; ")
        guard without.status != 99 else { return show("not tested: nothing can be mounted over /usr/share/zoneinfo") }
        #expect(without.standardOutput == here.standardOutput, "\(without.failure)")
    }
}
