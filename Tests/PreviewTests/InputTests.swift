import Foundation
import Messages
import Preview
import TestSupport
import Testing
import Timelines

@Suite("The files of a preview")
struct InputTests {
    private static let desk =
        #"{"configurationId": "desk", "kind": "K", "strategy": "events", "calendarIds": ["team"], "vehicleId": "v1"}"#

    @Test("all problems of all files are named at once, with file and line, those behind a broken line, too")
    func problems() throws {
        let fixture = try PreviewFixture()
        try fixture.configuration(
            """
            {"configurationId": "a", "kind": "K", "strategy": "evnts", "maximumEntries": 900}
            {"configurationId": "b",
            {"configurationId": "c", "kind": "K",
             "strategy": {
               "name": "status", "evry": "PT2M"}}
            nonsense
            {"kind": "K"}
            """)
        try fixture.telemetry(
            #"{"vehicleId": "v", "observedAt": "yesterday"}"#,
            #"{"vehicleId": "v", "observedAt": 1, "speed": -3}"#, #"{"observedAt": 1}"#)
        try fixture.events(
            #"{"calendarId": "team", "uid": "x", "title": "T", "start": "2026-13-01"}"#,
            #"{"calendarId": "team", "uid": "y", "deleted": true}"#, #"{"uid": "z", "deleted": true}"#)
        try fixture.calendar("no.ics", "hello")
        fixture.files.calendars.append(fixture.path("missing.ics"))
        let problems = fixture.problems()
        let expected = [
            "widgets.json:1: strategy: must be one of", "widgets.json:1: maximumEntries: must be a whole number",
            "widgets.json:2:1: the object that begins here is not closed",
            "widgets.json:5: strategy.evry: is unknown", "widgets.json:6:1: expected a JSON object",
            "widgets.json:7:1: configurationId is missing", "telemetry.jsonl:1: observedAt: must be",
            "telemetry.jsonl:2: speed: must be", "telemetry.jsonl:3:1: vehicleId is missing",
            "events.jsonl:1: start: must be", "events.jsonl:3:1: calendarId is missing",
            "no.ics:1: not an iCalendar file", "missing.ics: No such file or directory",
        ]
        #expect(problems.count == expected.count, "\(problems)")
        for (problem, begin) in zip(problems, expected) { #expect(problem.hasPrefix(begin)) }
        #expect(problems[0].hasSuffix("did you mean events?") && problems[3].hasSuffix("did you mean every?"))
    }

    @Test("a configuration says everything that is wrong with it, each with the line of its key")
    func allOfOne() throws {
        let fixture = try PreviewFixture()
        try fixture.configuration(
            """
            {
              "configurationId": "a",
              "strategy": {
                "name": "status",
                "every": "P40D",
                "offlineAfter": "PT1S"
              },
              "signedIn": "yes",
              "sensitivity": {"speed": -1}
            }
            """)
        #expect(
            fixture.problems().map { $0.prefix { $0 != " " } + " " + $0.split(separator: " ")[1] } == [
                "widgets.json:1: kind:", "widgets.json:5: strategy.every:", "widgets.json:6: strategy.offlineAfter:",
                "widgets.json:8: signedIn:", "widgets.json:9: sensitivity.speed:",
            ])
    }

    @Test(
        "several things wrong with one part are all said, and nothing that is right",
        arguments: [
            (
                #""strategy": {"name": "schedule", "schedule": {"type": "periodic", "from": "x", "by": "PT0.5S"}}"#,
                ["strategy.schedule.from", "strategy.schedule.by"]
            ),
            (
                #""strategy": {"name": "withRetry", "inner": {"name": "schedule", "schedule": {"type": "periodic"}}}"#,
                ["strategy.inner.schedule.from", "strategy.inner.schedule.by"]
            ),
            (
                #""strategy": {"name": "schedule", "schedule": {"type": "explicit", "#
                    + #""dates": ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"]}}"#, ["strategy.schedule.dates[1]"]
            ),
            (#""strategy": {"name": "schedule", "schedule": {"type": "periodc"}}"#, ["strategy.schedule.type"]),
            (
                #""strategy": {"name": "timesOfDay", "times": ["09:00", "25:00", "9"]}"#,
                ["strategy.times[1]", "strategy.times[2]"]
            ),
            (#""strategy": {"name": "timesOfDay", "times": []}"#, ["strategy.times"]),
            (#""strategy": {"name": "withRetry", "inner": "withRetry"}, "mode": 1"#, ["strategy.inner", "mode"]),
            (
                #""strategy": {"name": "events", "days": 0, "dys": 1, "x": 2}"#,
                [
                    "strategy.days", "strategy.dys", "strategy.x",
                ]
            ),
        ])
    func allOfOnePart(fields: String, keys: [String]) throws {
        let fixture = try PreviewFixture()
        try fixture.configuration(#"{"configurationId": "a", "kind": "k", \#(fields)}"#)
        #expect(fixture.problems().map { $0.split(separator: " ")[1].dropLast().description } == keys)
    }

    @Test(
        "a field that nobody knows, and a schedule that is over, are warnings with file and line, beside problems, too")
    func remarks() throws {
        let fixture = try PreviewFixture()
        let over = #""schedule": {"type": "explicit", "dates": ["2020-01-01T00:00:00Z"]}"#
        try fixture.configuration(
            """
            {"configurationId": "a", "kind": "k", "strtegy": "status"}
            {"configurationId": "b", "kind": "k", "strategy": {"name": "schedule", \(over)}}
            """)
        let warnings = try fixture.warnings()
        #expect(warnings.count == 2)
        #expect(warnings.first?.hasPrefix("widgets.json:1: strtegy: ") == true)
        #expect(warnings.first?.hasSuffix("did you mean strategy?") == true)
        #expect(warnings.last?.hasPrefix("widgets.json:2: b: strategy.schedule.dates: none is later than ") == true)
    }

    @Test("one object, an array and lines are the same, and a file without a configuration is a problem")
    func forms() throws {
        for text in [Self.desk, "[\(Self.desk)]", "\n\(Self.desk)\n"] {
            let fixture = try PreviewFixture()
            try fixture.configuration(text)
            #expect(try fixture.inputs().configurations.map(\.configurationId) == ["desk"])
        }
        for text in ["", "[]", " \n"] {
            let fixture = try PreviewFixture()
            try fixture.configuration(text)
            #expect(fixture.problems() == ["widgets.json: there is no configuration in it"])
        }
    }

    @Test("the last record of a configuration counts, and a tombstone removes it")
    func lastRecord() throws {
        let fixture = try PreviewFixture()
        try fixture.configuration(
            """
            {"configurationId": "a", "kind": "First"}
            {"configurationId": "b", "kind": "K"}
            {"configurationId": "a", "kind": "Second"}
            {"configurationId": "b", "deleted": true}
            """)
        let inputs = try fixture.inputs()
        #expect(inputs.configurations.map(\.kind) == ["Second"])
        #expect(try fixture.warnings() == [#"widgets.json:3: this configuration "a" replaces that of line 1"#])
    }

    @Test("events of records and of iCalendar files are known together, and what was removed is not")
    func calendars() throws {
        let fixture = try PreviewFixture()
        try fixture.configuration(Self.desk)
        try fixture.events(
            #"{"calendarId": "team", "uid": "a", "title": "A", "start": "2026-11-20T10:00:00Z"}"#,
            #"{"calendarId": "team", "uid": "b", "title": "B", "start": "2026-11-20T11:00:00Z"}"#,
            #"{"calendarId": "team", "uid": "a", "deleted": true}"#)
        try fixture.calendar(
            "team.ics", "BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:c", "SUMMARY:C", "DTSTART:20261120T120000Z",
            "END:VEVENT", "BEGIN:VEVENT", "UID:d", "SUMMARY:D", "END:VEVENT", "END:VCALENDAR")
        let entries = try fixture.run().previews[0].flatMap(\.timeline.entries)
        #expect(entries.filter { $0.phase == .start }.compactMap(\.event?.title) == ["B", "C"])
        #expect(try fixture.warnings() == ["left out: team.ics:7: DTSTART is missing"])
    }

    @Test(
        "an iCalendar file is the calendar that is named like it",
        arguments: [
            ("team.ics", "team"), ("/a/b.c/Team Room.ICS", "Team Room"), ("x.ics.gz", "x"), ("plain", "plain"),
            (".ics", ".ics"), ("a.b.ics", "a.b"),
        ])
    func names(file: String, calendarId: String) {
        #expect(PreviewFiles.calendarId(of: file) == calendarId)
    }

    @Test("a vehicle and a calendar of which no file says anything are warnings")
    func unknown() throws {
        let fixture = try PreviewFixture()
        try fixture.configuration(Self.desk)
        // Nobody gave telemetry: that it says nothing is no surprise.
        #expect(try fixture.warnings() == [#"widgets.json:1: desk: calendarIds: no file has the calendar "team""#])
        try fixture.telemetry(#"{"vehicleId": "v2", "observedAt": 1, "speed": 0}"#)
        #expect(
            try fixture.warnings() == [
                #"widgets.json:1: desk: vehicleId: telemetry.jsonl says nothing of the vehicle "v1""#,
                #"widgets.json:1: desk: calendarIds: no file has the calendar "team""#,
            ])
    }

    @Test("telemetry is known from its instant on; what is older in the order of the file is dropped then")
    func telemetry() throws {
        let fixture = try PreviewFixture()
        try fixture.configuration(Self.desk)
        try fixture.telemetry(
            #"{"vehicleId": "v1", "observedAt": "2026-11-20T10:00:00Z", "speed": 10, "registration": "R"}"#,
            #"{"vehicleId": "v1", "observedAt": "2026-11-20T10:10:00Z", "speed": 30}"#,
            #"{"vehicleId": "v1", "observedAt": "2026-11-20T10:05:00Z", "speed": 20, "alias": "late"}"#,
            #"{"vehicleId": "v1", "observedAt": "2026-11-20T10:10:00Z", "speed": 31}"#)
        let sources = try fixture.inputs().sources
        func speed(_ time: String) -> Double? { sources.vehicle("v1", at: at("2026-11-20T\(time)Z"))?.speed }
        #expect(speed("09:59:59.999") == nil && speed("10:00:00") == 10)
        #expect(speed("10:04:59") == 10 && speed("10:05:00") == 20)
        #expect(speed("10:10:00") == 31)
        let vehicle = try #require(sources.vehicle("v1", at: at("2026-11-20T10:11:00Z")))
        #expect(vehicle.registration == "R" && vehicle.alias == nil)
        var arrivals: [String] = []
        var now = at("2026-11-20T00:00:00Z")
        while let next = sources.nextArrival(of: "v1", after: now) {
            arrivals.append(next.rfc3339)
            now = next
        }
        #expect(arrivals == ["2026-11-20T10:00:00Z", "2026-11-20T10:05:00Z", "2026-11-20T10:10:00Z"])
    }

    @Test("known at an instant is what the records until then come to in the order of the file, whatever that is")
    func order() throws {
        for seed in UInt64(1)...40 {
            var random = SplitMix64(seed: seed)
            let lines = (0..<12).map { number in
                let minute = Int.random(in: 0..<8, using: &random)
                let isMasterData = Int.random(in: 0..<3, using: &random) == 0
                let what =
                    isMasterData ? #""alias": "a\#(number)""# : #""speed": \#(number), "registration": "r\#(number)""#
                return (minute, #"{"vehicleId": "v1", "observedAt": \#(minute * 60_000 + 60_000), \#(what)}"#)
            }
            let fixture = try PreviewFixture()
            try fixture.configuration(Self.desk)
            fixture.files.telemetry = try fixture.write(lines.map(\.1).joined(separator: "\n"), to: "t.jsonl")
            let sources = try fixture.inputs().sources
            for minute in 0..<8 {
                let instant = Instant(milliseconds: Int64(minute) * 60_000 + 60_000)
                let expected = try folded(lines.filter { $0.0 <= minute }.map(\.1))
                #expect(sources.vehicle("v1", at: instant) == expected, "seed \(seed)")
            }
        }
    }

    @Test("a file with the newest record first is read as fast as any other")
    func newestFirst() throws {
        let fixture = try PreviewFixture()
        try fixture.configuration(Self.desk)
        let lines = (0..<5000).reversed().map { #"{"vehicleId": "v1", "observedAt": \#($0), "speed": \#($0)}"# }
        fixture.files.telemetry = try fixture.write(lines.joined(separator: "\n"), to: "t.jsonl")
        let inputs = try fixture.inputs()
        #expect(inputs.sources.vehicle("v1", at: Instant(milliseconds: 1234))?.speed == 1234)
        #expect(inputs.sources.vehicle("v1", at: Instant(milliseconds: 4999))?.speed == 4999)
    }

    private func folded(_ lines: [String]) throws -> Vehicle? {
        var vehicle: Vehicle?
        var reader = TelemetryReader()
        for line in lines {
            try Array(line.utf8).withUnsafeBytes { bytes in
                var known = vehicle ?? Vehicle(vehicleId: "v1")
                _ = try reader.read(bytes).apply(to: &known)
                vehicle = known
            }
        }
        return vehicle
    }
}
