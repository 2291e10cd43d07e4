import Messages
import Pipeline
import RecordLog
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// What a configuration's coming, changing and going does (M5; T6, T12 to T15).
    @Suite struct ConfigurationTests {
        @Test(
            "When the vehicle is swapped nothing of the old one is shown, and no placeholder flashes",
            arguments: Ground.allCases)
        func swappedVehicle(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground, .init(partitions: [4, 4, 4])) { pipeline in
                pipeline.telemetry("v1", "08:00", #""speed": 40, "alias": "Old", "address": "Old street""#)
                pipeline.telemetry("v2", "08:00", #""speed": 0, "ignition": true"#)
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v2""#)
                try await pipeline.settle()
                #expect(pipeline.history("c1").map(\.timeline.entries[0].vehicle?.vehicleId) == ["v1", "v2"])
                let vehicle = try #require(try pipeline.entry("c1").vehicle)
                #expect(vehicle.status == "Idling")
                #expect(vehicle.alias == nil && vehicle.location == nil)
                #expect(try pipeline.timeline("c1").sources.count == 2)
                // The old vehicle is not listened to any more.
                pipeline.parked("v1", "08:01")
                try await pipeline.settle(at: "08:01")
                #expect(pipeline.history("c1").count == 2)
                #expect(pipeline.reloads("c1").map(\.reason) == [.configurationChanged, .configurationChanged])
            }
        }

        @Test("A vehicle that is swapped to and fro is that of the last configuration")
        func swappedBack() async throws {
            try await PipelineFixture.run(.init(partitions: [4, 4, 4])) { pipeline in
                pipeline.moving("v1", "08:00", speed: 10)
                pipeline.moving("v2", "08:00", speed: 20)
                try await pipeline.settle()
                for id in ["v1", "v2", "v1"] { pipeline.configuration("c1", #""vehicleId": "\#(id)""#) }
                try await pipeline.settle()
                #expect(pipeline.history("c1").map(\.timeline.entries[0].vehicle?.speed) == [10])
                pipeline.parked("v1", "08:01")
                pipeline.parked("v2", "08:01")
                try await pipeline.settle(at: "08:01")
                #expect(pipeline.history("c1").map(\.timeline.entries[0].vehicle?.vehicleId) == ["v1", "v1"])
            }
        }

        @Test(
            "A deleted configuration's timeline is a tombstone, and its revisions go on after it",
            arguments: Ground.allCases)
        func deleted(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground) { pipeline in
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                pipeline.removeConfiguration("c1")
                try await pipeline.settle()
                #expect(pipeline.published("c1").last?.record.value == nil)
                #expect(pipeline.published("c1").count == 2)
                pipeline.parked("v1", "08:01")
                try await pipeline.settle(at: "08:10")
                #expect(pipeline.published("c1").count == 2)

                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                #expect(pipeline.history("c1").map(\.revision) == [1, 2])
                #expect(try pipeline.timeline("c1").refreshCount == 1)
                #expect(try pipeline.entry("c1").vehicle?.status == "IgnitionOff")
            }
        }

        @Test("A tombstone of a configuration that nobody knows removes nothing")
        func unknownTombstone() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.removeConfiguration("c1")
                try await pipeline.settle()
                #expect(pipeline.published("c1").isEmpty)
                #expect(pipeline.outputs.deadLetters.isEmpty)
            }
        }

        @Test("The counter of revisions is kept thirty days after the deletion")
        func countersAreKept() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.configuration("c1", #""strategy": "status""#)
                try await pipeline.settle()
                pipeline.removeConfiguration("c1")
                try await pipeline.settle()
                try await pipeline.settle(at: "2026-03-31T00:00:00Z")
                try await pipeline.restart()
                pipeline.configuration("c1", #""strategy": "status""#)
                try await pipeline.settle()
                #expect(try pipeline.timeline("c1").revision == 2)
            }
        }

        @Test(
            "An unusable configuration gets an error that names key and what is allowed, until it is mended",
            arguments: Ground.allCases)
        func unusable(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground) { pipeline in
                pipeline.configuration("c1", #""calendarIds": ["work"], "strategy": {"name": "events", "days": 40}"#)
                try await pipeline.settle()
                var entry = try pipeline.entry("c1")
                #expect(entry.phase == .error)
                #expect(entry.message?.code == .configurationInvalid)
                #expect(entry.message?.text.contains("days") == true && entry.message?.text.contains("31") == true)
                #expect(entry.relevance?.score == 0.3)
                #expect(try pipeline.timeline("c1").timeline.policy == .never)
                try await pipeline.settle(at: "12:00")
                #expect(pipeline.history("c1").count == 1)

                pipeline.configuration("c1", #""calendarIds": ["work"], "strategy": {"name": "events", "days": 1}"#)
                try await pipeline.settle()
                entry = try pipeline.entry("c1")
                #expect(entry.phase == .day)
                #expect(pipeline.reloads("c1").map(\.reason) == [.configurationChanged, .configurationChanged])
            }
        }

        @Test("An error of a configuration goes to the kind, family and recipient that its record names")
        func unusableFrame() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.configuration(
                    "c1", #""kind": "Board", "family": "systemLarge", "recipient": "wall", "strategy": "nothing""#)
                pipeline.configuration("c2", #""kind": 7, "recipient": 8"#)
                pipeline.configuration("c3", #""kind": null"#)
                try await pipeline.settle()
                let timelines = try ["c1", "c2", "c3"].map { try pipeline.timeline($0) }
                #expect(timelines.map(\.timeline.entries[0].phase) == [.error, .error, .error])
                #expect(timelines.map(\.kind) == ["Board", "7", ""])
                #expect(timelines.map(\.recipient) == ["wall", "8", "c3"])
                #expect(timelines[0].family == .systemLarge)
                #expect(pipeline.reloads("wall").map(\.kind) == ["Board"])
                #expect(pipeline.reloads("8").map(\.kind) == ["7"])
            }
        }

        @Test(
            "What is allowed is said of each key",
            arguments: [
                (#""vehicleId": "v1", "strategy": {"name": "status", "evry": "PT2M"}"#, "evry"),
                (#""vehicleId": "v1", "family": "systemHuge""#, "family"),
                (#""timeZone": "Europe/Nowhere""#, "timeZone"),
                (#""strategy": "statuz""#, "strategy"),
                (#""maximumEntries": 501"#, "maximumEntries"),
                (#""preEventLead": "P1M""#, "preEventLead"),
                (#""calendarIds": "work""#, "calendarIds"),
                (#""sinks": ["a,b"]"#, "sinks"),
                (#""kind": """#, "kind"),
            ])
        func messages(_ fields: String, _ key: String) async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.configuration("c1", fields)
                try await pipeline.settle()
                let entry = try pipeline.entry("c1")
                #expect(entry.phase == .error)
                #expect(entry.message?.text.contains(key) == true, "\(entry.message?.text ?? "no message")")
                #expect(pipeline.outputs.deadLetters.isEmpty)
            }
        }

        @Test("Signed out: one entry without vehicle, event and parameters, and back")
        func signedOut() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1", "parameters": {"a": 1}"#)
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1", "parameters": {"a": 1}, "signedIn": false"#)
                try await pipeline.settle()
                let entry = try pipeline.entry("c1")
                #expect(entry.phase == .signedOut)
                #expect(entry.vehicle == nil && entry.event == nil && entry.parameters.isEmpty)
                #expect(try pipeline.timeline("c1").timeline.policy == .after(at("08:15")))
                pipeline.parked("v1", "08:01")
                try await pipeline.settle(at: "08:01")
                #expect(pipeline.history("c1").count == 2)
                try await pipeline.settle(at: "08:15")
                #expect(try pipeline.timeline("c1").generatedAt == at("08:15"))
                pipeline.configuration("c1", #""vehicleId": "v1", "parameters": {"a": 1}"#)
                try await pipeline.settle()
                #expect(try pipeline.entry("c1").vehicle?.status == "IgnitionOff")
                #expect(try !pipeline.entry("c1").parameters.isEmpty)
            }
        }

        @Test("maximumEntries and the family limit the entries")
        func limits() async throws {
            try await PipelineFixture.run { pipeline in
                for hour in 10..<20 { pipeline.event("work", "E\(hour)", "\(hour):00", "\(hour):30") }
                try await pipeline.settle()
                pipeline.configuration("small", #""calendarIds": ["work"], "family": "systemSmall""#)
                pipeline.configuration("medium", #""calendarIds": ["work"]"#)
                pipeline.configuration("large", #""calendarIds": ["work"], "family": "systemLarge""#)
                pipeline.configuration("three", #""calendarIds": ["work"], "maximumEntries": 3"#)
                try await pipeline.settle()
                let counts = try ["small", "medium", "large", "three"].map { try pipeline.phases($0).count }
                #expect(counts == [5, 10, 20, 3])
                #expect(try pipeline.outline("three") == ["day 00:00", "preEvent 09:30 E10", "day 03 00:00"])
                #expect(try pipeline.timeline("three").timeline.nextUpdate == at("10:00"))
                try await pipeline.settle(at: "10:00")
                #expect(try pipeline.outline("three") == ["start 10:00 E10", "end 10:30 E10", "day 03 00:00"])
            }
        }

        @Test("A configuration that comes again as it was is made again, with the same revision and no reload")
        func sameAgain() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                #expect(pipeline.history("c1").map(\.revision) == [1, 1])
                #expect(pipeline.history("c1").map(\.refreshCount) == [1, 2])
                #expect(pipeline.reloads("c1").count == 1)
            }
        }

        @Test(
            "Sources name the configuration's record, then the vehicle's and the calendars' newest",
            arguments: Ground.allCases)
        func sources(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground, .init(partitions: [1, 1, 1])) { pipeline in
                pipeline.moving("v1", "07:59")
                pipeline.moving("v1", "08:00")
                pipeline.event("a", "A", "10:00", "11:00")
                pipeline.event("b", "B", "10:00", "11:00")
                try await pipeline.settle()
                pipeline.configuration("c1", #""strategy": "events", "vehicleId": "v1", "calendarIds": ["b", "a"]"#)
                try await pipeline.settle()
                let topics = pipeline.topics
                #expect(
                    try pipeline.timeline("c1").sources == [
                        SourceOffset(topic: topics.configurations, partition: 0, offset: 0),
                        SourceOffset(topic: topics.telemetry, partition: 0, offset: 1),
                        SourceOffset(topic: topics.calendarEvents, partition: 0, offset: 1),
                        SourceOffset(topic: topics.calendarEvents, partition: 0, offset: 0),
                    ])
            }
        }

        @Test("A timeline too large becomes an error that says so, and a smaller one comes back")
        func tooLarge() async throws {
            try await PipelineFixture.run { pipeline in
                let long = String(repeating: "x", count: 60_000)
                pipeline.event("work", "A", "10:00", "11:00")
                try await pipeline.settle()
                pipeline.configuration(
                    "c1", #""calendarIds": ["work"], "family": "systemLarge", "parameters": {"text": "\#(long)"}"#)
                try await pipeline.settle()
                #expect(try pipeline.phases("c1").count == 5)
                for hour in 11..<20 { pipeline.event("work", "E\(hour)", "\(hour):00", "\(hour):30") }
                try await pipeline.settle()
                let entry = try pipeline.entry("c1")
                #expect(entry.phase == .error)
                #expect(entry.message?.text.contains("1000000") == true, "\(entry.message?.text ?? "")")
                #expect(entry.parameters.isEmpty)
                for hour in 11..<20 { pipeline.removeEvent("work/E\(hour)") }
                try await pipeline.settle()
                #expect(try pipeline.phases("c1").count == 5)
            }
        }

        @Test("At most one timeline per configuration and transaction, and none is lost")
        func oncePerTransaction() async throws {
            try await PipelineFixture.run(.init(partitions: [3, 3, 3])) { pipeline in
                for minute in 0..<30 {
                    let text = "08:\(minute < 10 ? "0" : "")\(minute)"
                    if minute % 3 == 0 { pipeline.configuration("c1", #""vehicleId": "v1", "kind": "K\#(minute)""#) }
                    if minute % 2 == 0 { pipeline.moving("v1", text) } else { pipeline.parked("v1", text) }
                    pipeline.advance(to: text)
                    try pipeline.step()
                }
                try await pipeline.settle()
                #expect(try pipeline.timeline("c1").kind == "K27")
                #expect(try pipeline.entry("c1").vehicle?.status == "IgnitionOff")
            }
        }
    }
}
