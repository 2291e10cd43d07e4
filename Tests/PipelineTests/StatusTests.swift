import Messages
import Pipeline
import Simulation
import StreamCore
import StreamRuntime
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// Strategy `status`, end to end (T23, T12).
    @Suite struct StatusTests {
        @Test(
            "A vehicle not yet heard of is a placeholder, and its first record makes a status at once",
            arguments: Ground.allCases)
        func placeholderFirst(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground) { pipeline in
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                #expect(try pipeline.outline("c1") == ["placeholder 08:00"])
                #expect(try pipeline.entry("c1").vehicle?.registration == "Loading...")
                #expect(try pipeline.timeline("c1").timeline.policy == .after(at("08:02")))

                pipeline.advance(to: "08:00:30")
                pipeline.moving("v1", "08:00:29")
                try await pipeline.settle()
                let timeline = try pipeline.timeline("c1")
                #expect(try pipeline.outline("c1") == ["status 08:00:30", "stale 08:06:30"])
                #expect(timeline.revision == 2)
                #expect(timeline.timeline.policy == .after(at("08:02:30")))
                #expect(timeline.timeline.validUntil == at("08:06:30"))
                #expect(timeline.timeline.entries[0].vehicle?.status == "Moving")
            }
        }

        @Test(
            "A vehicle known before its configuration is shown at once, without a placeholder",
            arguments: Ground.allCases)
        func vehicleFirst(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground) { pipeline in
                pipeline.moving("v1", "07:59")
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                #expect(pipeline.history("c1").map(\.timeline.entries[0].phase) == [.status])
                #expect(try pipeline.entry("c1").vehicle?.observedAt == at("07:59"))
            }
        }

        @Test("A moving vehicle is refreshed every two minutes, at the due date", arguments: Ground.allCases)
        func refresh(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground) { pipeline in
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                pipeline.moving("v1", "08:01:50", speed: 50)
                try await pipeline.settle(at: "08:01:59")
                #expect(pipeline.history("c1").count == 1)
                try await pipeline.settle(at: "08:02:03")
                #expect(pipeline.history("c1").count == 2)
                let timeline = try pipeline.timeline("c1")
                #expect(timeline.generatedAt == at("08:02"))
                #expect(timeline.revision == 2)
                #expect(timeline.refreshCount == 2)
                #expect(timeline.timeline.entries[0].vehicle?.speed == 50)
                #expect(timeline.timeline.nextUpdate == at("08:04"))
            }
        }

        @Test("A refresh without news has the same revision and a higher refresh count")
        func refreshWithoutNews() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                for text in ["08:02", "08:04", "08:06"] { try await pipeline.settle(at: text) }
                #expect(pipeline.history("c1").map(\.revision) == [1, 1, 1, 1])
                #expect(pipeline.history("c1").map(\.refreshCount) == [1, 2, 3, 4])
                #expect(
                    pipeline.history("c1").map(\.generatedAt) == ["08:00", "08:02", "08:04", "08:06"].map { at($0) })
            }
        }

        @Test(
            "A parked vehicle is refreshed every quarter of an hour and never falls silent", arguments: Ground.allCases)
        func parked(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground) { pipeline in
                pipeline.parked("v1", "08:00")
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                #expect(try pipeline.outline("c1") == ["status 08:00", "stale 08:45"])
                try await pipeline.settle(at: "08:14:59")
                #expect(pipeline.history("c1").count == 1)
                for text in ["08:15", "08:30", "08:45"] { try await pipeline.settle(at: text) }
                #expect(
                    pipeline.history("c1").map(\.generatedAt) == ["08:00", "08:15", "08:30", "08:45"].map { at($0) })
                #expect(try pipeline.entry("c1").vehicle?.status == "IgnitionOff")
                #expect(try pipeline.timeline("c1").revision == 1)
            }
        }

        @Test("After a pause a refresh is made for now, once")
        func pause() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.parked("v1", "08:00")
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                try await pipeline.settle(at: "11:07:10")
                #expect(pipeline.history("c1").map(\.generatedAt) == [at("08:00"), at("11:07:10")])
            }
        }

        @Test(
            "A change of status makes a timeline at once; other telemetry waits for the refresh",
            arguments: Ground.allCases)
        func statusChange(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground) { pipeline in
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                pipeline.advance(to: "08:00:20")
                pipeline.moving("v1", "08:00:20", speed: 90)
                try await pipeline.settle()
                #expect(pipeline.history("c1").count == 1)
                pipeline.advance(to: "08:00:40")
                pipeline.parked("v1", "08:00:40")
                try await pipeline.settle()
                #expect(try pipeline.timeline("c1").generatedAt == at("08:00:40"))
                #expect(try pipeline.entry("c1").vehicle?.status == "IgnitionOff")
                // From the change on by the interval of parked vehicles.
                #expect(try pipeline.timeline("c1").timeline.nextUpdate == at("08:15:40"))
                try await pipeline.settle(at: "08:10")
                #expect(pipeline.history("c1").count == 2)
            }
        }

        @Test("Sensitivity makes a timeline when speed or place changed enough since the last one")
        func sensitivity() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.telemetry("v1", "08:00", #""speed": 40, "latitude": 47.0, "longitude": 8.0"#)
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1", "sensitivity": {"speed": 20, "distance": 1000}"#)
                try await pipeline.settle()
                pipeline.telemetry("v1", "08:00:10", #""speed": 55, "latitude": 47.001, "longitude": 8.0"#)
                try await pipeline.settle(at: "08:00:10")
                #expect(pipeline.history("c1").count == 1)
                pipeline.telemetry("v1", "08:00:20", #""speed": 60, "latitude": 47.001, "longitude": 8.0"#)
                try await pipeline.settle(at: "08:00:20")
                #expect(pipeline.history("c1").count == 2)
                #expect(try pipeline.entry("c1").vehicle?.speed == 60)
                pipeline.telemetry("v1", "08:00:30", #""speed": 60, "latitude": 47.02, "longitude": 8.0"#)
                try await pipeline.settle(at: "08:00:30")
                #expect(pipeline.history("c1").count == 3)
                #expect(pipeline.history("c1").map(\.generatedAt) == ["08:00", "08:00:20", "08:00:30"].map { at($0) })
            }
        }

        @Test(
            "A silent vehicle is stale and Offline from observedAt + offlineAfter, until it is heard of",
            arguments: Ground.allCases)
        func silence(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground) { pipeline in
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                pipeline.configuration(
                    "c1",
                    #""vehicleId": "v1", "strategy": {"name": "status", "every": "PT10M", "offlineAfter": "PT15M"}"#)
                try await pipeline.settle()
                try await pipeline.settle(at: "08:10")
                try await pipeline.settle(at: "08:15:07")
                #expect(try pipeline.outline("c1") == ["stale 08:15"])
                #expect(try pipeline.entry("c1").vehicle?.status == "Offline")
                #expect(try pipeline.timeline("c1").timeline.nextUpdate == at("08:30"))
                pipeline.moving("v1", "08:16")
                try await pipeline.settle(at: "08:16")
                #expect(try pipeline.outline("c1") == ["status 08:16", "stale 08:46"])
                #expect(
                    pipeline.history("c1").map(\.generatedAt) == ["08:00", "08:10", "08:15", "08:16"].map { at($0) })
            }
        }

        @Test("A record that arrives already too old makes the vehicle Offline at once")
        func silentFromTheStart() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                pipeline.moving("v1", "06:00")
                try await pipeline.settle()
                #expect(try pipeline.outline("c1") == ["stale 08:00"])
            }
        }

        @Test("Late telemetry is dropped and counted", arguments: Ground.allCases)
        func late(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground) { pipeline in
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                pipeline.parked("v1", "07:58")
                pipeline.telemetry("v1", "07:59", #""registration": "OLD""#)
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                #expect(try pipeline.entry("c1").vehicle?.status == "Moving")
                #expect(try pipeline.entry("c1").vehicle?.registration == nil)
                if let counters = pipeline.memory?.counters {
                    #expect(counters[.lateTelemetry] == 2)
                    #expect(counters.records == 4)
                }
            }
        }

        @Test("Of equal observedAt the later to arrive wins")
        func equalObservedAt() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                pipeline.moving("v1", "08:00")
                pipeline.parked("v1", "08:00")
                try await pipeline.settle()
                #expect(try pipeline.entry("c1").vehicle?.status == "IgnitionOff")
            }
        }

        @Test("Master data stays known, leaves status and place as they were, and null clears it")
        func masterData() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.configuration("c1", #""vehicleId": "v1", "sensitivity": {"speed": 0}"#)
                pipeline.moving("v1", "08:00")
                pipeline.telemetry("v1", "08:00:10", #""registration": "ZH 1", "alias": "Van""#)
                try await pipeline.settle()
                #expect(try pipeline.entry("c1").vehicle?.registration == "ZH 1")
                #expect(try pipeline.entry("c1").vehicle?.status == "Moving")
                #expect(try pipeline.entry("c1").vehicle?.observedAt == at("08:00"))
                pipeline.moving("v1", "08:00:20")
                pipeline.telemetry("v1", "08:00:30", #""alias": null"#)
                try await pipeline.settle(at: "08:01")
                #expect(try pipeline.entry("c1").vehicle?.registration == "ZH 1")
                #expect(try pipeline.entry("c1").vehicle?.alias == nil)
            }
        }

        @Test("A vehicle of which only master data came is not heard of yet")
        func masterDataAlone() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                pipeline.telemetry("v1", "08:00", #""registration": "ZH 1""#)
                try await pipeline.settle()
                #expect(try pipeline.phases("c1") == ["placeholder"])
            }
        }

        @Test("Ids that are numbers are their decimal text", arguments: Ground.allCases)
        func numericIds(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground) { pipeline in
                pipeline.put(
                    pipeline.topics.telemetry, key: "4711",
                    #"{"vehicleId": 4711, "observedAt": "2026-03-02T08:00:00Z", "speed": 12}"#)
                pipeline.put(
                    pipeline.topics.configurations, key: "7", #"{"configurationId": 7, "kind": "K", "vehicleId": 4711}"#
                )
                try await pipeline.settle()
                #expect(try pipeline.entry("7").vehicle?.vehicleId == "4711")
                #expect(try pipeline.entry("7").vehicle?.status == "Moving")
            }
        }

        @Test("Ids may hold any character")
        func oddIds() async throws {
            try await PipelineFixture.run { pipeline in
                let odd = #"a\u0000b: é/%"#
                pipeline.put(
                    pipeline.topics.telemetry, key: "odd",
                    #"{"vehicleId": "\#(odd)", "observedAt": "2026-03-02T08:00:00Z", "speed": 12}"#)
                pipeline.put(
                    pipeline.topics.configurations, key: "odd",
                    #"{"configurationId": "\#(odd)", "kind": "K", "vehicleId": "\#(odd)"}"#)
                for restarts in 0..<2 {
                    try await pipeline.settle()
                    #expect(try pipeline.entry("a\u{0}b: é/%").phase == .status)
                    #expect(pipeline.history("a\u{0}b: é/%").count >= restarts + 1)
                    try await pipeline.restart()
                    pipeline.advance(.minutes(2))
                }
            }
        }

        @Test("Nobody chose a vehicle: the widget asks for one, every quarter of an hour", arguments: ["", "0"])
        func selectVehicle(_ vehicleId: String) async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.configuration("c1", #""strategy": "status", "vehicleId": "\#(vehicleId)""#)
                try await pipeline.settle()
                #expect(try pipeline.outline("c1") == ["selectVehicle 08:00"])
                try await pipeline.settle(at: "08:15")
                #expect(try pipeline.outline("c1") == ["selectVehicle 08:15"])
                #expect(try pipeline.timeline("c1").revision == 1)
            }
        }

        @Test("In lowFrequency a moving vehicle is refreshed as if it were parked")
        func lowFrequency() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1", "mode": "lowFrequency""#)
                try await pipeline.settle()
                #expect(try pipeline.outline("c1") == ["status 08:00", "stale 08:45"])
                try await pipeline.settle(at: "08:14")
                #expect(pipeline.history("c1").count == 1)
            }
        }

        @Test("A status that changes and changes back within one transaction does not lose a refresh that was due")
        func refreshSurvivesFlicker() async throws {
            try await PipelineFixture.run { pipeline in
                // Some steps are one transaction.
                pipeline.plan.settings.commitInterval = MemoryStage.stepTime * 5
                try await pipeline.restart()
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                try await pipeline.settle()
                pipeline.advance(to: "08:02")
                pipeline.parked("v1", "08:01:30")
                try pipeline.step()
                pipeline.moving("v1", "08:01:40")
                try pipeline.step()
                try await pipeline.settle()
                try await pipeline.settle(at: "08:04:30")
                #expect(try pipeline.timeline("c1").generatedAt >= at("08:04"))
            }
        }
    }
}
