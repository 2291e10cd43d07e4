import Messages
import Pipeline
import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// R11: what the exchange and the changelog cannot take is never produced. Where they would refuse it, a test's
    /// cluster has topics that take no byte more than the pipeline reckons with.
    @Suite struct BoundTests {
        /// Half a mebibyte for each internal record: 64 KiB for a value, 128 KiB for a vehicle, 192 KiB for agendas.
        static func run(
            _ internalBytesMax: Int = 512 << 10, partitions: [Int32] = [2, 2, 2],
            change: @escaping (inout PipelineSettings) -> Void = { _ in },
            _ body: (PipelineFixture) async throws -> Void
        ) async throws {
            var options = PipelineFixture.Options(partitions: partitions)
            // Messages go through the exchange.
            options.threads = 2
            options.change = {
                $0.internalBytesMax = internalBytesMax
                change(&$0)
            }
            try await PipelineFixture.run(options) { pipeline in
                let memory = try #require(pipeline.memory?.memory)
                for topic in [pipeline.plan.settings.exchangeTopic, pipeline.plan.settings.stateTopic] {
                    memory.alter(topic, "max.message.bytes", to: String(internalBytesMax))
                }
                let limits = [
                    (pipeline.topics.timelines, pipeline.settings.timelineBytesMax),
                    (pipeline.topics.reloads, pipeline.settings.reloadBytesMax),
                ]
                for (topic, bytes) in limits { memory.alter(topic, "max.message.bytes", to: String(bytes + 4096)) }
                try await body(pipeline)
                let events = pipeline.stage.events.now
                #expect(events.failures.isEmpty && events.replacedProducers == 0, "\(events.failures)")
            }
        }

        static func text(_ bytes: Int) -> String { String(repeating: "x", count: bytes) }

        private static func reasons(_ pipeline: PipelineFixture) -> [String] {
            pipeline.outputs.deadLetters.compactMap { letter in
                letter.header("__streams.errors.exception") == "MessageProblem.tooLarge"
                    ? letter.header("__streams.errors.message") : nil
            }
        }

        @Test(
            "Telemetry that would make a vehicle too large is a dead letter that names what is allowed; it stays",
            arguments: [Partition(0), 1])
        func vehicle(partition: Partition) async throws {
            try await Self.run { pipeline in
                let texts = [("registration", 60_000), ("alias", 60_000), ("customAddressIcon", 40_000)]
                for (index, (field, bytes)) in texts.enumerated() {
                    pipeline.telemetry(
                        "v1", "08:00:0\(index)", #""speed": \#(40 + index), "\#(field)": "\#(Self.text(bytes))""#,
                        partition: partition)
                }
                pipeline.moving("v2", "08:00")
                for vehicle in ["v1", "v2"] { pipeline.configuration(vehicle, #""vehicleId": "\#(vehicle)""#) }
                try await pipeline.settle()
                let reasons = Self.reasons(pipeline)
                #expect(reasons.count == 1 && pipeline.outputs.deadLetters.count == 1)
                #expect(reasons.first?.hasPrefix("registration: has 60000 bytes") == true, "\(reasons)")
                #expect(reasons.first?.contains("at most \(128 << 10) are kept") == true, "\(reasons)")
                let vehicle = try #require(try pipeline.entry("v1").vehicle)
                #expect(vehicle.speed == 41 && vehicle.customAddressIcon == nil)
                #expect(try pipeline.entry("v2").vehicle?.speed == 40, "what came with it is used")

                // What is said of it is what to do.
                pipeline.telemetry("v1", "08:00:05", #""speed": 45, "alias": null"#)
                pipeline.telemetry(
                    "v1", "08:00:06", #""ignition": false, "speed": 0, "customAddressIcon": "\#(Self.text(40_000))""#)
                try await pipeline.settle(at: "08:00:06")
                #expect(pipeline.outputs.deadLetters.count == 1)
                #expect(try pipeline.entry("v1").vehicle?.customAddressIcon?.utf8.count == 40_000)
            }
        }

        /// Events of one hour at noon, all in one record.
        private static func calendar(_ count: Int, prefix: String = "") -> String {
            PipelineFixture.iCalendarText(
                (0..<count).map { ICalendarEvent("\(prefix)\($0)", "12:00", "13:00") })
        }

        /// Both threads end in order, and two others begin with nothing but what the log holds.
        private static func restart(_ pipeline: PipelineFixture) async throws {
            for thread in [pipeline.thread - 1, pipeline.thread] { try await pipeline.stage.stop(thread) }
            for _ in 0..<2 { try await pipeline.startThread() }
        }

        @Test(
            "Events that are too large together are refused by name, whichever came first, and all come back",
            arguments: [false, true], [false, true])
        func agendas(restarts: Bool, isReversed: Bool) async throws {
            // Of about 90,000 and 115,000 bytes.
            let calendars = ["k1", "k2"].map { $0 + String(repeating: "-", count: 40) }
            let texts = [Self.calendar(500), Self.calendar(640)]
            try await Self.run { pipeline in
                let list = calendars.map { #""\#($0)""# }
                pipeline.configuration(
                    "c1", #""calendarIds": [\#(list.joined(separator: ","))], "strategy": "events", "vehicleId": "v1""#)
                pipeline.moving("v1", "08:00")
                pipeline.event(calendars[0], "other", "10:00", "11:00")
                try await pipeline.settle()
                let before = try pipeline.outline("c1").dropFirst()
                for index in isReversed ? [1, 0] : [0, 1] {
                    pipeline.iCalendar("\(calendars[index])/x", text: texts[index])
                    try await pipeline.settle()
                }
                let entry = try pipeline.entry("c1")
                #expect(entry.phase == .error)
                let message = entry.message?.text ?? ""
                #expect(message.hasPrefix("calendarIds: the events of the days that are shown have "), "\(message)")
                #expect(
                    message.hasSuffix("in the calendar \(calendars[1]), at most \(192 << 10) are kept"), "\(message)")
                #expect(try pipeline.timeline("c1").timeline.nextUpdate == at("2026-03-03T00:00:00Z"))
                let counters = try #require(pipeline.memory).counters
                #expect(counters[.tooLargeTimelines] == 1)
                let warnings = pipeline.stage.events.now.warnings
                #expect(warnings.count == 1)
                #expect(warnings.first?.contains("configuration c1 has an error timeline: \(message)") == true)

                // Another one is told the same, and what fits is shown.
                pipeline.configuration(
                    "c2", #""calendarIds": [\#(list.reversed().joined(separator: ","))], "strategy": "events""#)
                pipeline.configuration("c3", #""calendarIds": [\#(list[0])], "strategy": "events""#)
                try await pipeline.settle()
                #expect(try pipeline.entry("c2").message?.text == message)
                #expect(try pipeline.outline("c3").contains("start 10:00 other"))

                if restarts { try await Self.restart(pipeline) }
                pipeline.removeEvent("\(calendars[1])/x")
                try await pipeline.settle(at: "08:01")
                #expect(try pipeline.outline("c1").contains("start 10:00 other"))
                #expect(try pipeline.outline("c2").contains("start 10:00 other"), "what was left out is asked for")
                pipeline.removeEvent("\(calendars[0])/x")
                try await pipeline.settle(at: "08:02")
                #expect(try pipeline.outline("c1").dropFirst() == before)
                #expect(pipeline.outputs.deadLetters.isEmpty)
            }
        }

        @Test("Events that are too many in one calendar alone are refused, and gone with their day")
        func oneAgenda() async throws {
            try await Self.run { pipeline in
                for part in 0..<3 {
                    pipeline.iCalendar("k1/x\(part)", text: Self.calendar(600, prefix: "p\(part)-"))
                }
                pipeline.event("k2", "B", "2026-03-04T12:00:00Z", "2026-03-04T13:00:00Z")
                pipeline.configuration("c1", #""calendarIds": ["k1", "k2"], "strategy": "events""#)
                try await pipeline.settle()
                #expect(try pipeline.entry("c1").message?.text.contains("in the calendar k1, at most") == true)
                try await Self.restart(pipeline)
                try await pipeline.settle(at: "2026-03-03T00:00:00Z")
                #expect(try pipeline.outline("c1").contains { $0.hasSuffix(" B") })
                let announced = pipeline.reloads("c1").count
                try await pipeline.settle(at: "2026-03-03T00:05:00Z")
                #expect(pipeline.reloads("c1").count == announced, "and that was all")
            }
        }

        @Test("Many calendars of which one holds most are shown: no calendar has a share of its own")
        func uneven() async throws {
            try await Self.run { pipeline in
                let list = (0..<40).map { #""k\#($0)""# }.joined(separator: ", ")
                let events = (0..<150).map { minute in
                    let start = at("10:00") + .minutes(Int64(minute))
                    return ICalendarEvent("\(minute)", start.rfc3339, (start + .minutes(1)).rfc3339)
                }
                pipeline.iCalendar("k7/x", text: PipelineFixture.iCalendarText(events))
                // After all of those.
                pipeline.event("k7", "last", "14:00", "15:00")
                pipeline.configuration(
                    "c1",
                    #""calendarIds": [\#(list)], "maximumEntries": 500, "preEventLead": "PT0S", "#
                        + #""strategy": {"name": "events", "dayEntries": false}"#)
                try await pipeline.settle()
                #expect(try pipeline.outline("c1").contains("start 14:00 last"))
                #expect(pipeline.stage.events.now.warnings.isEmpty)
            }
        }

        @Test("On a broker, with the limits that a topic has there, all comes to an end and goes on")
        func onTheBroker() async throws {
            try await PipelineFixture.run(on: .broker) { pipeline in
                for field in ["registration", "alias", "customAddressIcon"] {
                    pipeline.telemetry("v1", "08:00", #""speed": 40, "\#(field)": "\#(Self.text(1_040_000))""#)
                }
                let calendars = (0..<4).map { "k\($0)" }
                for id in calendars {
                    let events = (0..<40).map { number in
                        ICalendarEvent("\(number)", "12:00", "13:00", "LOCATION:\(Self.text(25_000))")
                    }
                    pipeline.iCalendar("\(id)/x", text: PipelineFixture.iCalendarText(events))
                }
                let list = calendars.map { #""\#($0)""# }.joined(separator: ", ")
                pipeline.configuration("c1", #""vehicleId": "v1", "calendarIds": [\#(list)], "strategy": "events""#)
                pipeline.configuration("c2", #""vehicleId": "v1""#)
                pipeline.moving("v2", "08:00")
                pipeline.configuration("c3", #""vehicleId": "v2""#)
                try await pipeline.settle()
                let reasons = Self.reasons(pipeline)
                #expect(reasons.count == 1, "\(reasons)")
                #expect(reasons.first?.contains("at most \(2 << 20) are kept") == true, "\(reasons)")
                #expect(try pipeline.entry("c1").message?.text.contains("at most \(3 << 20) are kept") == true)
                #expect(try pipeline.entry("c2").message?.text.contains("maximumEntries: the timeline has") == true)
                #expect(try pipeline.entry("c3").vehicle?.speed == 40)
                pipeline.telemetry(
                    "v1", "08:01", #""ignition": false, "registration": null, "alias": null, "speed": 0"#)
                for id in calendars.dropLast() { pipeline.removeEvent("\(id)/x") }
                pipeline.removeEvent("k3/x")
                pipeline.event("k3", "last", "14:00", "15:00")
                try await pipeline.settle(at: "08:01")
                #expect(try pipeline.outline("c1").contains("start 14:00 last"))
                #expect(try pipeline.entry("c2").vehicle?.status == "IgnitionOff")
                let events = pipeline.stage.events.now
                #expect(events.aborts == 0 && events.replacedProducers == 0)
            }
        }

        @Test("A configuration of too many calendars, or keys, headers and content types that are too long")
        func names() async throws {
            try await Self.run { pipeline in
                let ids = (0..<513).map { #""k\#($0)""# }
                pipeline.configuration("many", #""calendarIds": [\#(ids.joined(separator: ", "))]"#)
                pipeline.configuration("most", #""calendarIds": [\#(ids.dropLast().joined(separator: ", "))]"#)
                pipeline.put(
                    pipeline.topics.telemetry, key: Self.text(70_000), #"{"vehicleId": "v0", "observedAt": 0}"#)
                let headers = [Header("h", Self.text(600_000))]
                // At the task that owns it a record is used, whatever its headers are.
                for partition in Partition(0)..<2 {
                    pipeline.telemetry(
                        "v1", "08:00:0\(partition)", #""speed": 40"#, headers: headers, partition: partition)
                    pipeline.configuration("c1", #""vehicleId": "v1""#, headers: headers, partition: partition)
                    pipeline.event("work", "A", "12:00", "13:00", headers: headers, partition: partition)
                }
                pipeline.rawEvent(
                    "work", "B", "", headers: [Header("content-type", "text/calendar; x=" + Self.text(2000))])
                try await pipeline.settle()
                let reasons = Self.reasons(pipeline)
                #expect(pipeline.outputs.deadLetters.count == 6 && reasons.count == 6, "\(reasons)")
                #expect(reasons.contains("calendarIds: names 513 calendars, at most 512 are allowed"), "\(reasons)")
                #expect(reasons.contains("key: has 70000 bytes, at most 65536 are read"), "\(reasons)")
                #expect(reasons.count { $0.contains("in headers, at most 520192 are sent on") } == 3, "\(reasons)")
                #expect(reasons.contains { $0.hasPrefix("content-type: has 2017 bytes") }, "\(reasons)")
                #expect(try pipeline.timeline("most").timeline.entries.first?.phase != .error)
                #expect(try pipeline.entry("c1").vehicle?.speed == 40)
            }
        }

        @Test("Newer versions of events that an older record leaves and a newer one cannot hold are said")
        func newerVersions() async throws {
            func text(_ sequence: Int, _ count: Int) -> String {
                PipelineFixture.iCalendarText(
                    (0..<count).map { number in
                        // A quotation mark takes two bytes in JSON.
                        ICalendarEvent(
                            "\(number)", "12:00", "13:00", "SEQUENCE:\(sequence)",
                            "LOCATION:\(String(repeating: "\"", count: 30))")
                    })
            }
            try await Self.run { pipeline in
                for (name, count) in [("few", 300), ("many", 380)] {
                    for sequence in [2, 1] { pipeline.iCalendar("\(name)/x", text: text(sequence, count)) }
                }
                try await pipeline.settle()
                let reasons = Self.reasons(pipeline)
                #expect(reasons.count == 1 && pipeline.outputs.deadLetters.first?.keyText == "many/x")
                #expect(reasons.first?.hasPrefix("uid ") == true, "\(reasons)")
                #expect(reasons.first?.contains("at most 65536 bytes of newer versions") == true, "\(reasons)")
            }
        }

        @Test("A reload of long names is divided where its topic would not take it")
        func reloads() async throws {
            try await Self.run(change: { $0.reloadBytesMax = 24_000 }) { pipeline in
                for number in 0..<60 {
                    let id = "\(100 + number)" + String(repeating: "\\u0001", count: 100)
                    pipeline.put(
                        pipeline.topics.configurations, key: "\(number)",
                        #"{"configurationId": "\#(id)", "kind": "Demo", "recipient": "ana", "strategy": "dayNight"}"#)
                }
                try await pipeline.settle()
                let reloads = pipeline.reloads("ana")
                #expect(reloads.count > 4)
                #expect(reloads.reduce(0) { $0 + $1.configurationIds.count } == 60)
                let id = Self.text(1001)
                pipeline.configuration(id, #""recipient": "ana", "strategy": "dayNight""#)
                try await pipeline.settle()
                #expect(Self.reasons(pipeline).first?.contains("at most 1000 are allowed") == true)
            }
        }
    }
}
