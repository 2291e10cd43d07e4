import CIcal
import Foundation
import Messages
import RecordLog
import Sinks
import Testing
import Timelines

@Suite("The file sink, as calendars")
struct CalendarFilesTests {
    private typealias Contract = TimelineSinkContract

    private let directory: TemporaryDirectory
    private let kinds = WidgetKinds([])

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ layout: FilesLayout = .flat) throws -> FilesSink {
        try FilesSink(directory: directory.path, form: .calendar(kinds), layout: layout, name: "ics")
    }

    /// A timeline with these entries.
    private func timeline(revision: Int = 1, _ entries: String, more: String = "") -> String {
        Contract.timeline("a", revision: revision)
            .replacing(#""refreshCount""#, with: more + #""refreshCount""#)
            .replacingEntries(with: entries)
    }

    private func written(_ timeline: String) throws -> String {
        _ = try open().write(Contract.record("a", timeline, offset: 0))
        return try #require(directory.text("a.ics"))
    }

    private func shown(_ json: String) throws -> String {
        let bytes = Array(json.utf8)
        return try bytes.withUnsafeBytes {
            String(decoding: try TimelineCalendar($0, kinds: kinds).bytes, as: UTF8.self)
        }
    }

    @Test("keeps the contract of all sinks", arguments: [FilesLayout.flat, .byRecipient])
    func contract(layout: FilesLayout) throws {
        try TimelineSinkContract(
            reopen: { try open(layout) },
            content: { directory.text(layout == .flat ? "\($0).ics" : "r/\($0).ics") }, shown: shown
        ).check()
    }

    @Test("has one event for each that the timeline shows, from its start to its end, as libical reads it")
    func events() throws {
        let (start, end) = ("2026-11-20T09:00:00Z", "2026-11-20T09:45:00Z")
        let title = #"Tour; one, \"two\"\nand "# + String(repeating: "häßlich😀", count: 20)
        let visit =
            #"{"calendarId":"team","uid":"1@x","title":"\#(title)","location":"Yard, 2","start":"\#(start)","#
            + #""end":"\#(end)","allDay":false}"#
        let day =
            #"{"calendarId":"team","uid":"2","title":"Fair","start":"2026-11-20","end":"2026-11-22","allDay":true}"#
        let text = try written(
            timeline(
                #"{"id":"p","date":"2026-11-20T08:30:00Z","phase":"preEvent","event":\#(visit),"ongoing":[\#(day)]},"#
                    + #"{"id":"s","date":"\#(start)","phase":"start","event":\#(visit),"tentative":true},"#
                    + #"{"id":"e","date":"\#(end)","phase":"end","event":\#(visit),"ongoing":[\#(day)]},"#
                    + #"{"id":"t","date":"\#(end)","phase":"status","vehicle":{"vehicleId":"v1"}}"#,
                more: #""nextUpdate":"2026-11-20T06:20:30Z","#))
        #expect(Libical.problems(in: text) == [])
        let events = Libical.events(in: text)
        #expect(events.map { $0["UID"] } == ["team/2@tideline", "team/1%40x@tideline"])
        #expect(events[0]["DTSTART"] == "20261120" && events[0]["DTEND"] == "20261122")
        #expect(events[0]["VALARM"] == nil && events[0]["SUMMARY"] == "Fair")
        #expect(events[1]["DTSTART"] == "20261120T090000Z" && events[1]["DTEND"] == "20261120T094500Z")
        #expect(events[1]["LOCATION"] == #"Yard\, 2"# && events[1]["STATUS"] == "TENTATIVE")
        #expect(events[1]["VALARM"] == "-PT30M")
        #expect(events[1]["SUMMARY"]?.hasPrefix(#"Tour\; one\, "two"\nand häßlich😀"#) == true)
        #expect(events[1]["LAST-MODIFIED"] == "20261120T060000Z" && events[1]["SEQUENCE"] == nil)
        for line in ["X-WR-CALNAME:Demo a", "REFRESH-INTERVAL;VALUE=DURATION:PT21M", "X-PUBLISHED-TTL:PT21M"] {
            #expect(text.contains("\r\n\(line)\r\n"))
        }
        for line in text.utf8.split(separator: 10, omittingEmptySubsequences: false).dropLast() {
            #expect(line.last == 13 && line.count <= 76 && String(validating: line, as: UTF8.self) != nil)
        }
    }

    @Test("an alarm of an all-day event has an instant, for where a day begins the timeline does not say")
    func allDayAlarm() throws {
        let day = #"{"calendarId":"c","uid":"1","title":"Fair","start":"2026-11-21","end":"2026-11-22","allDay":true}"#
        let text = try written(
            timeline(#"{"id":"p","date":"2026-11-20T18:00:00Z","phase":"preEvent","event":\#(day)}"#))
        #expect(Libical.problems(in: text) == [])
        #expect(text.contains("TRIGGER;VALUE=DATE-TIME:20261120T180000Z\r\n"))
    }

    @Test("a timeline without events is a calendar without events, to subscribe to", arguments: ["", "PT2M"])
    func noEvents(next: String) throws {
        let more = next.isEmpty ? "" : #""nextUpdate":"2026-11-20T06:02:00Z","#
        let text = try written(timeline(#"{"id":"x","date":"2026-11-20T06:00:00Z","phase":"status"}"#, more: more))
        #expect(Libical.problems(in: text) == [] && Libical.events(in: text).isEmpty)
        #expect(text.contains("X-PUBLISHED-TTL:\(next.isEmpty ? "PT1H" : "PT5M")\r\n"))
    }

    @Test("an event that cannot be read is named, and the calendar of before stays")
    func unreadable() throws {
        let good = try written(timeline(#"{"id":"x","date":"2026-11-20T06:00:00Z","phase":"status"}"#))
        let bad = timeline(
            revision: 2,
            #"{"id":"x","date":"2026-11-20T06:00:00Z","phase":"start","event":{"calendarId":"c","uid":"1"}}"#)
        #expect {
            try open().write(Contract.record("a", bad, offset: 1))
        } throws: { error in
            "\(error)" == "field entries[0].event.start: is missing"
        }
        #expect(directory.text("a.ics") == good)
    }

    @Test("a directory of timelines is not taken for one of calendars, nor one without folders for one with")
    func otherContent() throws {
        do {
            let files = try FilesSink(directory: directory.path)
            _ = try files.write(Contract.record("a", Contract.timeline("a", revision: 1), offset: 0))
            try files.keep([0: SinkPosition(next: Offset(1))], of: "timelines")
        }
        #expect {
            try open()
        } throws: { error in
            "\(error)" == "cannot write to \(directory.path): it holds timelines, and this sink writes calendars: "
                + "name another directory, or empty this one"
        }
        #expect {
            try FilesSink(directory: directory.path, layout: .byRecipient)
        } throws: { error in
            "\(error)".contains("it holds timelines, and this sink writes timelines by recipient")
        }
        try FileManager.default.removeItem(atPath: directory.path + "/a.json")
        let calendars = try open()
        #expect(try calendars.positions(of: "timelines").isEmpty)
        _ = try calendars.write(Contract.record("a", Contract.timeline("a", revision: 1), offset: 0))
        try calendars.keep([0: SinkPosition(next: Offset(7))], of: "timelines")
        #expect(try calendars.positions(of: "timelines") == [0: SinkPosition(next: Offset(7))])
    }
}

extension String {
    fileprivate func replacingEntries(with entries: String) -> String {
        guard let begin = range(of: #""entries":["#), let end = range(of: #"}],"#) else { return self }
        return String(self[..<begin.upperBound]) + entries + "]," + String(self[end.upperBound...])
    }
}

/// The other library: what it makes of a calendar.
private enum Libical {
    /// Whatever libical's parser could not read, and what RFC 5545 does not allow.
    static func problems(in text: String) -> [String] {
        icalerror_set_errors_are_fatal(0)
        ical_set_unknown_token_handling_setting(ICAL_TREAT_AS_ERROR)
        guard let calendar = icalparser_parse_string(text) else { return ["it cannot be read"] }
        defer { icalcomponent_free(calendar) }
        let isAllowed = icalrestriction_check(calendar) != 0
        let written = string(icalcomponent_as_ical_string(calendar))
        let errors = written.split(separator: "\r\n").filter { $0.hasPrefix("X-LIC-ERROR") }.map { String($0) }
        return errors + (isAllowed ? [] : ["it is not allowed"])
    }

    /// The properties of each event by name, and the trigger of its alarm.
    static func events(in text: String) -> [[String: String]] {
        guard let calendar = icalparser_parse_string(text) else { return [] }
        defer { icalcomponent_free(calendar) }
        var events: [[String: String]] = []
        var event = icalcomponent_get_first_component(calendar, ICAL_VEVENT_COMPONENT)
        while let found = event {
            var members = properties(of: found)
            if let alarm = icalcomponent_get_first_component(found, ICAL_VALARM_COMPONENT) {
                members["VALARM"] = properties(of: alarm)["TRIGGER"]
            }
            events.append(members)
            event = icalcomponent_get_next_component(calendar, ICAL_VEVENT_COMPONENT)
        }
        return events
    }

    private static func properties(of component: OpaquePointer) -> [String: String] {
        var members: [String: String] = [:]
        var property = icalcomponent_get_first_property(component, ICAL_ANY_PROPERTY)
        while let found = property {
            members[string(icalproperty_get_property_name(found))] = string(icalproperty_get_value_as_string(found))
            property = icalcomponent_get_next_property(component, ICAL_ANY_PROPERTY)
        }
        return members
    }

    private static func string(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }
}
