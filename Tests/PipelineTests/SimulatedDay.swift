import Foundation
import Messages
import Preview
import Simulation
import TestSupport
import Testing
import Timelines

/// Configurations of one strategy, and a day of telemetry and events for them; drawn with a fixed seed.
struct SimulatedDay {
    let start: Instant
    let end: Instant
    private let configurations: [String]
    private let events: [String]
    /// By `observedAt`.
    private let telemetry: [(at: Instant, line: String)]

    init(of strategy: String, from start: Instant, until end: Instant) {
        self.start = start
        self.end = end
        var numbers = SplitMix64(seed: 7)
        configurations = Self.configurations(of: strategy)
        events = Self.events()
        telemetry = Self.drawnTelemetry(from: start, until: end, &numbers)
    }

    // MARK: - What is put in

    private static func configurations(of strategy: String) -> [String] {
        let shared = #""kind": "Demo", "timeZone": "Europe/Berlin", "calendarIds": ["team"]"#
        var lines: [String] = []
        for (index, options) in options(of: strategy).enumerated() {
            let asked = #""strategy": {"name": "\#(strategy)"\#(options.isEmpty ? "" : ", " + options)}"#
            for (vehicle, others) in [
                ("bus", #""family": "systemLarge""#), ("bus", #""sensitivity": {"speed": 30}, "maximumEntries": 2"#),
                ("quiet", #""mode": "lowFrequency""#), ("nobody", #""parameters": {"name": "x"}"#),
            ] {
                let id = "\(strategy)-\(index)-\(lines.count)"
                lines.append(
                    #"{"configurationId": "\#(id)", \#(shared), "vehicleId": "\#(vehicle)", \#(others), \#(asked)}"#)
            }
        }
        let asked = #""strategy": "\#(strategy)""#
        lines.append(#"{"configurationId": "\#(strategy)-out", \#(shared), "signedIn": false, \#(asked)}"#)
        lines.append(#"{"configurationId": "\#(strategy)-none", \#(shared), "vehicleId": "0", \#(asked)}"#)
        return lines
    }

    private static func options(of strategy: String) -> [String] {
        switch strategy {
        case "status": ["", #""every": "PT10M", "parkedEvery": "PT1H", "offlineAfter": "PT5M""#]
        case "events": ["", #""dayEntries": false, "days": 1"#]
        case "fixedInterval": ["", #""every": "PT1M", "span": "limit""#]
        case "fetched": ["", #""every": "PT20M", "retryAfter": "PT2M", "offlineAfter": "PT10M""#]
        case "withRetry":
            ["fetched", "status", "events", "schedule"].map { #""inner": "\#($0)""# }
                + [
                    #""inner": {"name": "status", "offlineAfter": "PT5M"}, "offlineAfter": "PT45M", "#
                        + #""retryAfter": "PT3M""#
                ]
        case "schedule":
            [
                "", #""schedule": {"type": "periodic", "from": "2026-03-29T00:10:00Z", "by": "PT47M"}"#,
                #""schedule": {"type": "animation", "minimumInterval": "PT2M"}"#,
                #""schedule": {"type": "explicit", "dates": ["2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z", "#
                    + #""2026-03-29T05:00:00Z", "2026-03-29T06:00:00Z"]}"#,
            ]
        default: [""]
        }
    }

    /// A series over the change of clocks, an event of all day, one without length, one of the vehicle's.
    private static func events() -> [String] {
        [
            #"{"calendarId": "team", "uid": "shift", "title": "Shift", "start": "2026-03-20T02:30:00", "#
                + #""end": "2026-03-20T05:00:00", "timeZone": "Europe/Berlin", "recurrence": ["RRULE:FREQ=DAILY"]}"#,
            #"{"calendarId": "team", "uid": "fair", "title": "Fair", "start": "2026-03-29", "end": "2026-03-30", "#
                + #""allDay": true, "preEventLead": "PT2H"}"#,
            #"{"calendarId": "team", "uid": "bell", "title": "Bell", "start": "2026-03-29T12:00:00Z", "#
                + #""end": "2026-03-29T12:00:00Z"}"#,
            #"{"calendarId": "team", "uid": "trip", "title": "Trip", "start": "2026-03-29T14:00:00Z", "#
                + #""end": "2026-03-29T15:30:00Z", "vehicleId": "bus", "status": "tentative"}"#,
        ]
    }

    /// One vehicle that is heard of often, with gaps; one that falls silent for ever.
    private static func drawnTelemetry(
        from start: Instant, until end: Instant, _ numbers: inout SplitMix64
    ) -> [(Instant, String)] {
        var lines: [(Instant, String)] = []
        var now = start - .minutes(7)
        while now <= end {
            let statuses = ["Moving", "Moving", "Idling", "Stopped", "IgnitionOff", "Offline"]
            let status = statuses.randomElement(using: &numbers) ?? ""
            let speed = Int.random(in: 0...90, using: &numbers)
            let value = #""series": {"load": [{"at": "\#(now.rfc3339)", "value": \#(speed)}]}"#
            lines.append(
                (
                    now,
                    #"{"vehicleId": "bus", "observedAt": "\#(now.rfc3339)", "status": "\#(status)", "#
                        + #""speed": \#(speed), "#
                        + #""latitude": 52.5, "longitude": 13.4, \#(value)}"#
                ))
            let isGap = Int.random(in: 0..<12, using: &numbers) == 0
            now = now + .seconds(.random(in: isGap ? 1500...4000 : 20...700, using: &numbers))
        }
        let quiet = start + .minutes(100)
        lines.append(
            (quiet, #"{"vehicleId": "quiet", "observedAt": "\#(quiet.rfc3339)", "ignition": true, "speed": 50}"#))
        return lines.sorted { $0.0 < $1.0 }
    }

    // MARK: - What comes out

    /// What `preview --until` writes, by configuration, and when anything is made.
    func preview() throws -> (lines: [String: [String]], instants: [Instant]) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "preview-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ lines: [String]) throws -> String {
            let url = folder.appending(path: name)
            try Data(lines.joined(separator: "\n").utf8).write(to: url)
            return url.path
        }
        let files = PreviewFiles(
            configuration: try file("configurations.jsonl", configurations),
            telemetry: try file("telemetry.jsonl", telemetry.map(\.line)),
            events: try file("events.jsonl", events))
        let inputs = try PreviewInputs.read(files, at: start)
        var lines: [String: [String]] = [:]
        var instants: Set<Instant> = []
        for preview in PreviewRun(inputs, at: start, until: end, isSnapshot: false, isSampled: false).previews {
            let id = preview.configuration.configurationId
            for step in preview {
                lines[id, default: []].append(Self.text(TimelineRecord(step, of: preview.configuration)))
                instants.insert(step.at)
            }
        }
        return (lines, instants.sorted())
    }

    /// What the pipeline publishes, by configuration, when its clock stands at each of these instants, whenever
    /// something is observed, and every quarter of an hour.
    func publish(stoppingAt instants: [Instant]) async throws -> [String: [String]] {
        var lines: [String: [String]] = [:]
        try await PipelineFixture.run(at: start.rfc3339) { fixture in
            let memory = try #require(fixture.memory)
            // What holds for every record is checked once, at the end.
            memory.afterStep = {}
            for (index, event) in events.enumerated() {
                fixture.put(fixture.topics.calendarEvents, key: "team/\(index)", event)
            }
            let known = telemetry.filter { $0.at <= start }
            for (_, line) in known { fixture.put(fixture.topics.telemetry, key: "bus", line) }
            try await fixture.settle()
            for (index, line) in configurations.enumerated() {
                fixture.put(fixture.topics.configurations, key: "\(index)", line)
            }
            try await fixture.settle()
            let quarters = stride(from: start.milliseconds, through: end.milliseconds, by: 900_000)
            let stops = Set(instants + telemetry.map(\.at) + quarters.map { Instant(milliseconds: $0) })
            var rest = telemetry.filter { $0.at > start }[...]
            for stop in stops.sorted() where stop > start && stop <= end {
                fixture.advance(stop - fixture.clock.now)
                while let (at, line) = rest.first, at <= stop {
                    fixture.put(fixture.topics.telemetry, key: "by-anything", line)
                    rest = rest.dropFirst()
                }
                memory.put(fixture.inputs)
                fixture.inputs = []
                try memory.settle(fixture.plan)
            }
            try await fixture.readOutputs()
            for published in fixture.outputs.timelines {
                var record = try #require(published.timeline)
                record.sources = []
                lines[record.configurationId, default: []].append(Self.text(record))
            }
        }
        return lines
    }

    private static func text(_ record: TimelineRecord) -> String {
        var record = record
        // What the recipient was told is not known to a preview.
        record.budget = nil
        var json = JSONWriter()
        record.write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
