import Foundation
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    @Suite struct WrittenRecordsTests {
        @Test("what is written holds to the schemas; what cannot be read goes to the dead letters as it came, with why")
        func goodAndBad() async throws {
            let application = try await Application("mixed", partitions: nil)
            for topic in ["vehicle.telemetry", "calendar.events", "widget.configurations"] {
                try await application.createTopic(topic, partitions: 3, recordBytesMax: 3 << 20)
            }
            try await application.run("topics", "--partitions", "3")
            for (topic, records) in MixedInput.good { try await application.produce(records, to: topic) }
            for (topic, bad) in MixedInput.bad { try await application.produce(bad.map(\.record), to: topic) }
            // Behind the bad ones, so that they must have been passed.
            try await application.produce(MixedInput.last, to: "vehicle.telemetry")
            let summary = try await application.process(clock: MixedInput.clock)

            let timelines = try await application.records(of: "timelines")
            let reloads = try await application.records(of: "timeline.reloads")
            let dead = try await application.records(of: "tideline.dead-letters")
            let badCount = MixedInput.bad.reduce(0) { $0 + $1.bad.count }
            #expect(summary.deadLetters == badCount && dead.count == badCount)
            #expect(summary.timelines == timelines.count && summary.reloads == reloads.count)
            try await Judges.validate(timelines.filter { $0.value != nil }.map { Data($0.value!) }, named: "timelines")
            try await Judges.validate(reloads.map { Data($0.value!) }, named: "timeline.reloads")
            for topic in MixedInput.good {
                let readable = topic.records.filter { $0.value?.first != 0 && $0.key?.hasPrefix("unusable") != true }
                let values = readable.compactMap(\.value)
                try await Judges.validate(values.map { Data($0) }, named: topic.topic)
            }
            for record in timelines + reloads { expectCloudEvent(record, application) }
            for (topic, bad) in MixedInput.bad { expectDeadLetters(dead, of: bad, application.topic(topic)) }
            try expectContents(timelines)
            try await expectTombstoneAndTrace(application)
            show(
                "\(timelines.count) timelines and \(reloads.count) reloads valid against the schemas, with CloudEvents "
                    + "headers; \(dead.count) bad records of \(badCount) kinds in the dead letters, bytes unchanged")
        }

        /// The end of a configuration is the end of its timelines, and of their file; an input's trace goes on.
        private func expectTombstoneAndTrace(_ application: Application) async throws {
            let files = try await application.sink()
            #expect(try TimelineFiles.read(files).keys.contains("agenda.json"))
            try await application.publish(configurations: #"{"configurationId": "agenda", "deleted": true}"# + "\n")
            try await application.produce(MixedInput.traced, to: "vehicle.telemetry")
            let summary = try await application.process(clock: MixedInput.clock)
            #expect(summary.timelines == 2 && summary.reloads == 1)
            let timelines = try await application.records(of: "timelines")
            let traced = try #require(timelines.last { $0.keyText == "status" })
            #expect(traced.header("traceparent") == MixedInput.traceParent)
            let reload = try #require(
                try await application.records(of: "timeline.reloads").last { $0.keyText == "status" })
            #expect(reload.header("traceparent") == MixedInput.traceParent)
            let tombstone = try #require(timelines.last { $0.keyText == "agenda" })
            #expect(tombstone.value == nil)
            expectCloudEvent(tombstone, application)
            _ = try await application.sink()
            #expect(try !TimelineFiles.read(files).keys.contains("agenda.json"))
        }

        /// Binary mode of CloudEvents' Kafka binding: attributes in headers, so that a tombstone has them, too.
        private func expectCloudEvent(_ record: Record, _ application: Application) {
            let isTimeline = record.topic == application.topic("timelines")
            #expect(record.header("ce_specversion") == "1.0")
            #expect(record.header("ce_type") == (isTimeline ? "tideline.timeline.v1" : "tideline.reload.v1"))
            #expect(record.header("ce_source") == "/\(application.name)")
            #expect(record.header("ce_subject") == record.keyText)
            #expect(record.header("ce_time") == MixedInput.clock)
            #expect(record.header("ce_id")?.contains(record.keyText) == true)
            #expect(record.header("content-type") == (record.value == nil ? nil : "application/json"))
        }

        private func expectDeadLetters(_ dead: [Record], of bad: [MixedInput.Bad], _ topic: String) {
            for bad in bad {
                let found = dead.first {
                    $0.key == bad.record.key.map { Array($0.utf8) } && $0.value == bad.record.value
                }
                guard let found else {
                    Issue.record("\(topic) \(bad.record.key ?? "nil"): no dead letter with its key and value")
                    continue
                }
                #expect(Array(found.headers.prefix(bad.record.headers.count)) == bad.record.headers)
                let added = found.headers.dropFirst(bad.record.headers.count).map(\.name)
                let names = ["exception", "message", "topic", "partition", "offset"]
                #expect(added == names.map { "__streams.errors.\($0)" })
                #expect(found.header("__streams.errors.topic") == topic)
                let message = found.header("__streams.errors.message") ?? ""
                #expect(
                    bad.reason.isEmpty && !message.isEmpty || message.contains(bad.reason),
                    "\(bad.record.key ?? "nil"): \(message)")
            }
        }

        private func expectContents(_ timelines: [Record]) throws {
            let last = Dictionary(timelines.map { ($0.keyText, $0) }, uniquingKeysWith: { $1 })
            func entries(_ id: String) throws -> [[String: Any]] {
                let record = try #require(last[id], "no timeline of \(id)")
                return try #require(try record.json()["entries"] as? [[String: Any]])
            }
            let vehicle = try #require(try entries("status")[0]["vehicle"] as? [String: Any])
            // Of the record behind the bad ones, and of the master data before.
            #expect(vehicle["speed"] as? Int == 50 && vehicle["registration"] as? String == "B-TL 101")
            #expect(try entries("agenda").contains { $0["phase"] as? String == "preEvent" })
            #expect(last["deleted"]?.value == nil, "nothing is told of what came and went unseen")
            for (id, part) in [("unusable-zone", "Mars/Base"), ("unusable-option", "evry")] {
                let error = try entries(id)
                #expect(error.count == 1 && error[0]["phase"] as? String == "error")
                #expect(error[0]["messageCode"] as? String == "configurationInvalid")
                #expect((error[0]["message"] as? String)?.contains(part) == true, "\(id): \(error)")
            }
        }
    }
}

/// Records of every kind, good and bad.
private enum MixedInput {
    typealias Input = (key: String?, value: [UInt8]?, headers: [Header])

    struct Bad {
        var record: Input
        /// A part of the message that says why.
        var reason: String
    }

    static let clock = "2026-11-20T07:00:00Z"
    static let traceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    static let good: [(topic: String, records: [Input])] = [
        (
            "widget.configurations",
            [
                record("status", #"{"configurationId":"status","kind":"K","vehicleId":"v1","sinks":["files"]}"#),
                record(
                    "agenda",
                    #"{"configurationId":"agenda","kind":"A","family":"systemLarge","calendarIds":["c"],"#
                        + #""timeZone":"Asia/Tokyo"}"#
                ),
                record("none", #"{"configurationId":"none","kind":"K","strategy":"status","vehicleId":0}"#),
                record("unusable-zone", #"{"configurationId":"unusable-zone","kind":"K","timeZone":"Mars/Base"}"#),
                record(
                    "unusable-option",
                    #"{"configurationId":"unusable-option","kind":"K","strategy":{"name":"status","evry":"PT1M"}}"#),
                record("deleted", #"{"configurationId":"deleted","kind":"K","vehicleId":"v2"}"#),
                (key: "deleted", value: nil, headers: []),
            ]
        ),
        (
            "calendar.events",
            [
                record(
                    "c/one",
                    #"{"calendarId":"c","uid":"one","title":"One","start":"2026-11-20T09:00:00Z","#
                        + #""duration":"PT1H"}"#),
                record("c/day", #"{"calendarId":"c","uid":"day","title":"Day","start":"2026-11-20","allDay":true}"#),
                record(
                    "c/often",
                    #"{"calendarId":"c","uid":"often","title":"Often","status":"tentative","#
                        + #""start":"2026-11-01T18:00","end":"2026-11-01T18:30","timeZone":"Asia/Tokyo","#
                        + #""recurrence":["RRULE:FREQ=DAILY"]}"#
                ),
                record("c/gone", #"{"calendarId":"c","uid":"gone","title":"Gone","start":"2026-11-20T09:00:00Z"}"#),
                (key: "c/gone", value: nil, headers: []),
            ]
        ),
        (
            "vehicle.telemetry",
            [
                record("v1", #"{"vehicleId":"v1","observedAt":"2026-11-20T06:58:00Z","registration":"B-TL 101"}"#),
                record(
                    "v1", #"{"vehicleId":"v1","observedAt":1795157910000,"speed":10,"latitude":52,"longitude":13}"#),
                // Confluent framing: a zero byte and a schema id.
                (
                    key: "v2",
                    value: [0, 0, 0, 0, 7]
                        + Array(#"{"vehicleId":"v2","observedAt":"2026-11-20T06:59:00Z","speed":3}"#.utf8),
                    headers: []
                ),
            ]
        ),
    ]

    static let last: [Input] = [
        (
            key: "v1",
            value: Array(#"{"vehicleId":"v1","observedAt":"2026-11-20T06:59:30Z","ignition":true,"speed":50}"#.utf8),
            headers: []
        )
    ]

    /// A change of status, in a trace.
    static let traced: [Input] = [
        (
            key: "v1",
            value: Array(#"{"vehicleId":"v1","observedAt":"2026-11-20T06:59:40Z","ignition":true,"speed":0}"#.utf8),
            headers: [Header("traceparent", traceParent)]
        )
    ]

    static let bad: [(topic: String, bad: [Bad])] = [
        (
            "vehicle.telemetry",
            [
                bad("t-text", "not JSON at all", because: ""),
                bad("t-array", "[1, 2]", because: ""),
                bad("t-cut", #"{"vehicleId":"v1","observedAt":"#, because: ""),
                bad("t-id", #"{"observedAt":"2026-11-20T06:59:00Z"}"#, because: "vehicleId"),
                bad("t-empty-id", #"{"vehicleId":"","observedAt":"2026-11-20T06:59:00Z"}"#, because: "vehicleId"),
                bad("t-time", #"{"vehicleId":"v1","speed":1}"#, because: "observedAt"),
                bad("t-date", #"{"vehicleId":"v1","observedAt":"2026-02-30T06:59:00Z"}"#, because: "observedAt"),
                bad("t-status", #"{"vehicleId":"v1","observedAt":0,"status":"Parked"}"#, because: "status"),
                bad("t-speed", #"{"vehicleId":"v1","observedAt":0,"speed":"fast"}"#, because: "speed"),
                bad(
                    "t-latitude", #"{"vehicleId":"v1","observedAt":0,"latitude":91,"longitude":0}"#, because: "latitude"
                ),
                bad(
                    "t-large",
                    #"{"vehicleId":"v1","observedAt":0,"address":"\#(String(repeating: "x", count: 1 << 20))"}"#,
                    because: "1048576"),
                Bad(record: (key: "t-tombstone", value: nil, headers: [Header("a", "1")]), reason: "tombstone"),
                Bad(record: (key: nil, value: Array("{}".utf8), headers: [Header("empty", nil)]), reason: "vehicleId"),
            ]
        ),
        (
            "calendar.events",
            [
                bad("e-text", "nothing", because: ""),
                bad("e-uid", #"{"calendarId":"c","title":"t","start":"2026-11-20T09:00:00Z"}"#, because: "uid"),
                bad("e-calendar", #"{"uid":"u","title":"t","start":"2026-11-20T09:00:00Z"}"#, because: "calendarId"),
                bad("e-date", #"{"calendarId":"c","uid":"u","title":"t","start":"2026-11-31"}"#, because: "start"),
                bad(
                    "e-order",
                    #"{"calendarId":"c","uid":"u","title":"t","start":"2026-11-20T09:00:00Z","#
                        + #""end":"2026-11-20T08:00:00Z"}"#,
                    because: "end"),
                bad(
                    "e-zone",
                    #"{"calendarId":"c","uid":"u","title":"t","start":"2026-11-20T09:00","timeZone":"Mars/Base"}"#,
                    because: "timeZone"),
                bad(
                    "e-rule",
                    #"{"calendarId":"c","uid":"u","title":"t","start":"2026-11-20T09:00:00Z","#
                        + #""recurrence":["RRULE:FREQ=NEVER"]}"#,
                    because: "recurrence"),
            ]
        ),
        (
            "widget.configurations",
            [
                bad("w-text", "{", because: ""),
                bad("w-id", #"{"kind":"K"}"#, because: "configurationId"),
            ]
        ),
    ]

    private static func record(_ key: String, _ value: String) -> Input {
        (key: key, value: Array(value.utf8), headers: [])
    }

    private static func bad(_ key: String, _ value: String, because reason: String) -> Bad {
        Bad(
            record: (key: key, value: Array(value.utf8), headers: [Header("origin", "test"), Header("none", nil)]),
            reason: reason)
    }
}
