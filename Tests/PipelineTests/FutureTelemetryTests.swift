import Messages
import Pipeline
import RecordLog
import Simulation
import StreamCore
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// Telemetry of trackers whose clocks are ahead: its arrival is what counts.
    @Suite struct FutureTelemetryTests {
        private static let future = "2099-01-01T00:00:00Z"

        @Test("One record of 2099 freezes nothing: it counts as observed at its arrival, in whatever task")
        func oneRecord() async throws {
            for partition in Partition(0)..<3 {
                try await PipelineFixture.run(.init(partitions: [3, 3, 3])) { pipeline in
                    pipeline.configuration("c1", #""vehicleId": "v1""#)
                    pipeline.telemetry("v1", Self.future, #""ignition": true, "speed": 40"#, partition: partition)
                    try await pipeline.settle()
                    #expect(try pipeline.entry("c1").vehicle?.observedAt == at("08:00"))
                    #expect(try pipeline.entry("c1").vehicle?.status == "Moving")
                    pipeline.telemetry(
                        "v1", "08:00:30", #""ignition": false, "speed": 0"#, partition: partition.advanced(by: 1) % 3)
                    try await pipeline.settle(at: "08:01")
                    #expect(try pipeline.entry("c1").vehicle?.observedAt == at("08:00:30"))
                    #expect(try pipeline.entry("c1").vehicle?.status == "IgnitionOff")
                    let counters = try #require(pipeline.memory).counters
                    #expect(counters[.futureTelemetry] == 1 && counters[.lateTelemetry] == 0)
                }
            }
        }

        @Test("Five minutes are taken for clocks that differ; another time is a setting, and so is none")
        func margin() async throws {
            func observed(_ text: String, _ future: ElapsedTime?) async throws -> Instant? {
                var result: Instant?
                var options = PipelineFixture.Options()
                options.change = { $0.telemetryFuture = future }
                try await PipelineFixture.run(options) { pipeline in
                    pipeline.configuration("c1", #""vehicleId": "v1""#)
                    pipeline.moving("v1", text)
                    try await pipeline.settle()
                    result = try pipeline.entry("c1").vehicle?.observedAt
                }
                return result
            }
            #expect(PipelineSettings().telemetryFuture == .minutes(5))
            #expect(try await observed("08:05", .minutes(5)) == at("08:05"))
            #expect(try await observed("08:05:00.001", .minutes(5)) == at("08:00"))
            #expect(try await observed("08:01", .seconds(59)) == at("08:00"))
            #expect(try await observed("08:00:00.001", .zero) == at("08:00"))
            #expect(try await observed(Self.future, nil) == at(Self.future))
        }

        @Test("A record arrives at its timestamp, but not later than the task's clock says, and without one by that")
        func arrival() async throws {
            func observed(timestamp: Instant, _ text: String) async throws -> Instant? {
                var result: Instant?
                try await PipelineFixture.run { pipeline in
                    pipeline.configuration("c1", #""vehicleId": "v1""#)
                    pipeline.moving("v1", text)
                    pipeline.inputs[pipeline.inputs.count - 1].timestamp = timestamp
                    try await pipeline.settle()
                    result = try pipeline.entry("c1").vehicle?.observedAt
                }
                return result
            }
            // It waited for an hour, as what a process that was down finds.
            #expect(try await observed(timestamp: at("07:40"), "07:45") == at("07:45"))
            #expect(try await observed(timestamp: at("07:40"), "07:46") == at("07:40"))
            // The producer's clock is the tracker's.
            #expect(try await observed(timestamp: at(Self.future), Self.future) == at("08:00"))
            for none in [.noTimestamp, Instant(milliseconds: 0)] {
                #expect(try await observed(timestamp: none, "08:04") == at("08:04"))
                #expect(try await observed(timestamp: none, "09:00") == at("08:00"))
            }
        }

        @Test("A tracker that is always ahead is silent from its last arrival on", arguments: [false, true])
        func silence(restarts: Bool) async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.configuration("own", #""vehicleId": "v1", "strategy": {"name": "fetched", "every": "P1D"}"#)
                pipeline.configuration(
                    "status", #""vehicleId": "v1", "strategy": {"name": "status", "every": "PT12H"}"#)
                pipeline.telemetry("v1", "2027-01-01T00:00:00Z", #""ignition": true, "speed": 40"#)
                try await pipeline.settle()
                pipeline.telemetry("v1", "2027-01-01T00:10:00Z", #""ignition": true, "speed": 50"#)
                try await pipeline.settle(at: "08:10")
                if restarts { try await pipeline.restart() }
                try await pipeline.settle(at: "08:39:59")
                for id in ["own", "status"] { #expect(try pipeline.timeline(id).generatedAt == at("08:00"), "\(id)") }
                try await pipeline.settle(at: "08:40")
                #expect(try pipeline.phases("own") == ["placeholder"])
                #expect(try pipeline.phases("status") == ["stale"])
                #expect(try pipeline.entry("status").vehicle?.speed == 50)
            }
        }

        @Test(
            "State that holds 2099 from before heals with the next record, master data as well",
            arguments: [
                #""ignition": true, "speed": 50"#, #""alias": "Bus 7""#,
            ])
        func healing(next: String) async throws {
            var options = PipelineFixture.Options()
            options.change = { $0.telemetryFuture = nil }
            try await PipelineFixture.run(options) { pipeline in
                pipeline.configuration("own", #""vehicleId": "v1", "strategy": {"name": "fetched", "every": "P1D"}"#)
                pipeline.configuration("status", #""vehicleId": "v1""#)
                pipeline.telemetry("v1", Self.future, #""ignition": true, "speed": 40"#)
                try await pipeline.settle()
                pipeline.moving("v1", "08:01")
                try await pipeline.settle(at: "08:01")
                #expect(try #require(pipeline.memory).counters[.lateTelemetry] == 1, "it was frozen")
                try await pipeline.restart { $0.telemetryFuture = .minutes(5) }
                pipeline.telemetry("v1", "08:01:50", next)
                try await pipeline.settle(at: "08:02")
                #expect(try #require(pipeline.memory).counters[.lateTelemetry] == 0)
                let isMasterData = next.contains("alias")
                let observedAt = at(isMasterData ? "08:02" : "08:01:50")
                try await pipeline.settle(at: "08:04")
                #expect(try pipeline.entry("status").vehicle?.observedAt == observedAt)
                #expect(try pipeline.entry("status").vehicle?.alias == (isMasterData ? "Bus 7" : nil))
                #expect(try pipeline.timeline("own").generatedAt == at("08:00"))
                try await pipeline.settle(at: (observedAt + .minutes(30)).rfc3339)
                #expect(try pipeline.phases("own") == ["placeholder"], "its silence is reckoned anew")
                #expect(try pipeline.phases("status") == ["stale"])
                pipeline.parked("v1", (observedAt + .minutes(31)).rfc3339)
                try await pipeline.settle(at: (observedAt + .minutes(31)).rfc3339)
                #expect(try pipeline.entry("status").vehicle?.status == "IgnitionOff")
            }
        }

        @Test("Master data of 2099 leaves what was observed, and what comes after it is not late")
        func masterData() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                pipeline.moving("v1", "07:59")
                pipeline.telemetry("v1", Self.future, #""alias": "Bus 7""#)
                try await pipeline.settle()
                #expect(try pipeline.entry("c1").vehicle?.observedAt == at("07:59"))
                #expect(try pipeline.entry("c1").vehicle?.alias == "Bus 7")
                pipeline.parked("v1", "07:59:30")
                try await pipeline.settle()
                #expect(try pipeline.entry("c1").vehicle?.status == "IgnitionOff")
            }
        }

        @Test("An old record that comes late, of another partition perhaps, is older still")
        func lateArrival() async throws {
            try await PipelineFixture.run(.init(partitions: [2, 2, 2])) { pipeline in
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                pipeline.parked("v1", "07:59")
                try await pipeline.settle()
                pipeline.moving("v1", "06:00")
                pipeline.inputs[0].timestamp = at("06:00")
                pipeline.inputs[0].partition = 1
                try await pipeline.settle()
                #expect(try pipeline.entry("c1").vehicle?.status == "IgnitionOff")
                #expect(try #require(pipeline.memory).counters[.lateTelemetry] == 1)
            }
        }

        @Test("What was observed before the clock went back yields to what comes after")
        func clockWentBack() async throws {
            try await PipelineFixture.run(at: "13:00") { pipeline in
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                pipeline.moving("v1", "13:00")
                try await pipeline.settle()
                pipeline.jump(to: "08:00")
                pipeline.parked("v1", "08:00")
                try await pipeline.settle()
                #expect(try pipeline.entry("c1").vehicle?.status == "IgnitionOff")
                #expect(try pipeline.entry("c1").vehicle?.observedAt == at("08:00"))
            }
        }

        @Test("Each is counted; of each vehicle it is said once, when that is committed")
        func said() async throws {
            try await PipelineFixture.run(.init(partitions: [1, 1, 1])) { pipeline in
                try await pipeline.settle()
                let memory = try #require(pipeline.memory)
                let fault = memory.memory.inject(.abortable(LogError(.other, name: "TEST", "ordered")), into: .commit)
                pipeline.moving("v1", Self.future)
                try pipeline.step()
                #expect(memory.memory.timesFired(fault) == 1)
                #expect(pipeline.stage.events.now.warnings.isEmpty)
                try await pipeline.settle()
                let warnings = pipeline.stage.events.now.warnings
                #expect(warnings.count == 1)
                #expect(warnings[0].hasPrefix("vehicle.telemetry[0]@0: vehicle v1 "), "\(warnings[0])")
                #expect(warnings[0].contains(Self.future) && warnings[0].contains("2026-03-02T08:00:00Z"))
                pipeline.moving("v1", Self.future)
                pipeline.moving("v2", Self.future)
                try await pipeline.settle()
                #expect(pipeline.stage.events.now.warnings.count == 2)
                #expect(memory.counters[.futureTelemetry] == 3)
            }
        }

        @Test("Of many vehicles in one transaction each is named once, all in one go or with its next record")
        func namedOnce() async throws {
            for count in [25, 300] {
                try await PipelineFixture.run(.init(partitions: [1, 1, 1])) { pipeline in
                    try await pipeline.settle()
                    let ids = (1...count).map { "v\($0)" }
                    for _ in 0..<(count == 25 ? 1 : 3) {
                        for id in ids { pipeline.moving(id, Self.future) }
                        try await pipeline.settle()
                    }
                    let warnings = pipeline.stage.events.now.warnings
                    #expect(warnings.count == count)
                    for id in ids { #expect(warnings.count { $0.contains(" vehicle \(id) ") } == 1, "\(id)") }
                }
            }
        }

        @Test("What is late as well is dropped: counted as late alone, and not said to count")
        func futureAndLate() async throws {
            try await PipelineFixture.run(.init(partitions: [1, 1, 1])) { pipeline in
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                pipeline.parked("v1", "07:59")
                try await pipeline.settle()
                pipeline.moving("v1", "07:00")
                pipeline.inputs[0].timestamp = at("06:00")
                try await pipeline.settle()
                let counters = try #require(pipeline.memory).counters
                #expect(counters[.lateTelemetry] == 1 && counters[.futureTelemetry] == 0)
                #expect(pipeline.stage.events.now.warnings.isEmpty)
                #expect(try pipeline.entry("c1").vehicle?.status == "IgnitionOff")
            }
        }

        @Test("What is read later, all at once, is judged by its timestamps as it was when it came")
        func replay() async throws {
            func observed(allAtOnce: Bool) async throws -> [Instant?] {
                var result: [Instant?] = []
                try await PipelineFixture.run { pipeline in
                    let ids = ["v1", "v2", "v3"]
                    for id in ids { pipeline.configuration(id, #""vehicleId": "\#(id)""#) }
                    try await pipeline.settle()
                    var held: [InputSpec] = []
                    for (minute, said) in [(1, Self.future), (2, "08:06:30"), (3, "08:09"), (4, "08:03:30")] {
                        for (index, id) in ids.enumerated() where minute <= 2 + index {
                            pipeline.moving(id, said)
                            pipeline.inputs[pipeline.inputs.count - 1].timestamp = at("08:0\(minute)")
                        }
                        if allAtOnce {
                            held += pipeline.inputs
                            pipeline.inputs = []
                        } else {
                            try await pipeline.settle(at: "08:0\(minute)")
                        }
                    }
                    pipeline.inputs = held
                    try await pipeline.settle(at: "08:20")
                    result = try ids.map { try pipeline.entry($0).vehicle?.observedAt }
                }
                return result
            }
            let once = try await observed(allAtOnce: true)
            #expect(once == [at("08:06:30"), at("08:06:30"), at("08:06:30")])
            #expect(try await observed(allAtOnce: false) == once)
        }
    }
}
