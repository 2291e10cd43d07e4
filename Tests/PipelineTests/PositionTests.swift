import Messages
import Pipeline
import Positions
import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// What the devices of a reader say together (P1 to P8).
    @Suite struct PositionTests {
        // MARK: - Merging

        @Test(
            "Two devices of a reader make one merged record, whose position is the newest", arguments: Ground.allCases)
        func twoDevices(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground, .init(partitions: [3, 3, 3, 5])) { pipeline in
                pipeline.position("ana", "c1", "phone", "tick/2026-03-02T07:00:00Z", "07:30", #""fraction": 0.5"#)
                pipeline.position(
                    "ana", "c1", "watch", "e2", "07:40", #""readEntries": [{"entryId": "e1", "at": 1772436600000}]"#)
                pipeline.position("ben", "c1", nil, "e3", "07:45")
                try await pipeline.settle()
                let ana = try pipeline.merged("ana/c1")
                #expect(ana.readerId == "ana" && ana.configurationId == "c1")
                #expect(ana.position?.entryId == "e2")
                #expect(ana.devices.map(\.deviceId) == ["phone", "watch"])
                #expect(ana.devices[0].position.fraction == 0.5)
                #expect(ana.devices[0].position.entryDate == at("07:00"), "its id names the date (T7)")
                #expect(ana.readEntries == [EntryMark(entryId: "e1", at: at("07:30"))])
                let ben = try pipeline.merged("ben/c1")
                #expect(ben.devices.map(\.deviceId) == [nil] && ben.position?.entryId == "e3")
                // What came late changes nothing of the position.
                pipeline.position("ana", "c1", "phone", "e4", "07:35")
                try await pipeline.settle()
                #expect(try pipeline.merged("ana/c1").position?.entryId == "e2")
                #expect(try pipeline.merged("ana/c1").devices[0].position.entryId == "e4")
                #expect(pipeline.outputs.deadLetters.isEmpty)
            }
        }

        @Test("A transaction publishes one merged record for a reader, and what brings nothing new none")
        func conflated() async throws {
            try await PipelineFixture.run(.init(partitions: [1, 1, 1])) { pipeline in
                for second in 10..<60 { pipeline.position("ana", "c1", "phone", "e\(second)", "07:30:\(second)") }
                try await pipeline.settle()
                #expect(pipeline.mergedHistory("ana/c1").count == 1)
                #expect(try pipeline.merged("ana/c1").position?.entryId == "e59")
                pipeline.position("ana", "c1", "phone", "e59", "07:30:59")
                pipeline.position("ana", "c1", "phone", "e58", "07:30:57")
                try await pipeline.settle()
                #expect(pipeline.mergedHistory("ana/c1").count == 1)
                #expect(try #require(pipeline.memory).counters[.latePositions] == 2)
            }
        }

        @Test("Merged records are CloudEvents with the trace of their input; a tombstone has no content type")
        func headers() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.position("a/b", "c1", "phone", "e1", "07:30", headers: [HeaderTests.trace])
                try await pipeline.settle()
                pipeline.removePosition("a%2Fb/c1/phone")
                try await pipeline.settle(at: "08:01")
                let records = pipeline.mergedHistory("a%2Fb/c1").map(\.record)
                try #require(records.count == 2)
                #expect(records[0].header("ce_type") == "tideline.timeline.positions.merged.v1")
                #expect(records[0].header("ce_id") == "a%2Fb/c1/1/2026-03-02T08:00:00Z")
                #expect(records[0].header("ce_subject") == "a%2Fb/c1")
                #expect(records[0].header("content-type") == "application/json")
                #expect(
                    records[0].header("traceparent")
                        == HeaderTests.trace.value.map { String(decoding: $0, as: UTF8.self) })
                #expect(records[1].value == nil && records[1].header("content-type") == nil)
                #expect(records[1].header("ce_id") == "a%2Fb/c1/deleted/2026-03-02T08:01:00Z")
                #expect(records[1].header("traceparent") == nil)
            }
        }

        // MARK: - Described by the timeline

        @Test("A place is described by the event at which it is, and stays so when the event has gone")
        func describedByEvent() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.event("team", "A", "09:00", "10:00", #""location": "Room 1""#)
                pipeline.event("team", "B", "11:00", "12:00")
                try await pipeline.settle()
                pipeline.configuration("c1", #""calendarIds": ["team"]"#)
                try await pipeline.settle()
                let id = "start/team/A/2026-03-02T09:00:00Z"
                pipeline.position("ana", "c1", "phone", id, "07:59")
                try await pipeline.settle()
                var position = try #require(try pipeline.merged("ana/c1").position)
                #expect(position.entryDate == at("09:00") && position.title == "A" && position.location == "Room 1")
                pipeline.removeEvent("team/A")
                try await pipeline.settle(at: "08:01")
                pipeline.position("ana", "c1", "phone", id, "08:01", #""fraction": 1"#)
                pipeline.position("ben", "c1", "phone", id, "08:01", #""title": "mine""#)
                try await pipeline.settle()
                position = try #require(try pipeline.merged("ana/c1").position)
                #expect(position.fraction == 1 && position.title == "A" && position.entryDate == at("09:00"))
                let ben = try #require(try pipeline.merged("ben/c1").position)
                #expect(ben.title == "mine" && ben.entryDate == nil, "nothing is known of the entry any more")
            }
        }

        @Test("A place is described when its timeline comes, also after a restart", arguments: [false, true])
        func describedLater(_ restarts: Bool) async throws {
            try await PipelineFixture.run(.init(partitions: [3, 3, 3])) { pipeline in
                pipeline.position("ana", "c1", "phone", "start/team/A/2026-03-02T09:00:00Z", "07:59")
                pipeline.position("ana", "c2", "phone", "status/2026-03-02T08:00:00Z", "07:59")
                try await pipeline.settle()
                #expect(try pipeline.merged("ana/c1").position?.title == nil)
                #expect(try pipeline.merged("ana/c2").position?.entryDate == at("08:00"))
                if restarts { try await pipeline.restart() }
                pipeline.telemetry(
                    "v1", "07:58", #""alias": "Van", "registration": "AB 1", "speed": 40, "address": "Quay""#)
                pipeline.event("team", "A", "09:00", "10:00")
                try await pipeline.settle()
                pipeline.configuration("c1", #""calendarIds": ["team"]"#)
                pipeline.configuration("c2", #""vehicleId": "v1""#)
                try await pipeline.settle()
                #expect(try pipeline.merged("ana/c1").position?.title == "A")
                #expect(try pipeline.merged("ana/c1").position?.entryDate == at("09:00"))
                let status = try #require(try pipeline.merged("ana/c2").position)
                #expect(status.title == "Van" && status.location == "Quay")
                #expect(pipeline.mergedHistory("ana/c1").count == 2)
            }
        }

        @Test("An entry that never was is kept as it is")
        func unknownEntry() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.configuration("c1", #""calendarIds": ["team"]"#)
                try await pipeline.settle()
                pipeline.position(
                    "ana", "c1", "phone", "start/team/never/2026-03-02T09:00:00Z", "07:59",
                    #""entryDate": "2026-03-02T09:05:00Z", "index": 4"#)
                try await pipeline.settle()
                let position = try #require(try pipeline.merged("ana/c1").position)
                #expect(position.entryDate == at("09:05") && position.index == 4 && position.title == nil)
            }
        }

        @Test("Places stay when their configuration is deleted, and go on with the one that comes after it")
        func configurationDeleted() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.event("team", "A", "09:00", "10:00")
                pipeline.configuration("c1", #""calendarIds": ["team"]"#)
                try await pipeline.settle()
                pipeline.position("ana", "c1", "phone", "e1", "07:59")
                try await pipeline.settle()
                pipeline.removeConfiguration("c1")
                try await pipeline.settle(at: "08:01")
                #expect(try pipeline.merged("ana/c1").position?.entryId == "e1")
                pipeline.position("ana", "c1", "watch", "start/team/A/2026-03-02T09:00:00Z", "08:01")
                try await pipeline.settle()
                #expect(try pipeline.merged("ana/c1").position?.title == nil, "there is no timeline")
                pipeline.configuration("c1", #""calendarIds": ["team"]"#)
                try await pipeline.settle(at: "08:02")
                #expect(try pipeline.merged("ana/c1").position?.title == "A")
            }
        }

        // MARK: - Forgetting

        @Test("A tombstone forgets one device, the last one all that is left", arguments: Ground.allCases)
        func tombstones(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground, .init(partitions: [2, 2, 2, 3])) { pipeline in
                pipeline.position(
                    "ana", "c1", "phone", "e1", "07:30", #""dismissed": [{"entryId": "e9", "at": 1772436600000}]"#)
                pipeline.position("ana", "c1", nil, "e2", "07:40")
                try await pipeline.settle()
                pipeline.removePosition("ana/c1/")
                pipeline.removePosition("ana/c1/unknown")
                pipeline.removePosition("nobody/c1/phone")
                try await pipeline.settle()
                #expect(try pipeline.merged("ana/c1").devices.map(\.deviceId) == ["phone"])
                #expect(try pipeline.merged("ana/c1").position?.entryId == "e1")
                #expect(pipeline.mergedHistory("nobody/c1").isEmpty)
                pipeline.removePosition("ana/c1/phone")
                try await pipeline.settle()
                #expect(pipeline.mergedHistory("ana/c1").last?.record.value == nil)
                pipeline.position("ana", "c1", "phone", "e1", "07:50")
                try await pipeline.settle()
                #expect(try pipeline.merged("ana/c1").dismissed.isEmpty, "the marks went with the last device")
            }
        }

        @Test("What is older than the expiry goes by a timer, in the end with a tombstone, also after a restart")
        func expiry() async throws {
            try await PipelineFixture.run(.init(partitions: [2, 2, 2])) { pipeline in
                pipeline.position("ana", "c1", "phone", "e1", "07:30")
                pipeline.position("ana", "c1", "watch", "e2", "07:40")
                pipeline.position("ana", "c1", "old", "e3", "2026-01-02T00:00:00Z")
                try await pipeline.settle()
                #expect(try pipeline.merged("ana/c1").devices.map(\.deviceId) == ["phone", "watch"])
                #expect(try #require(pipeline.memory).counters[.expiredPositions] == 1)
                // Written long ago, as after a pause: forgotten before anybody is told.
                pipeline.position("old", "c1", nil, "e4", "2026-01-02T00:00:00Z", timestamp: "2026-01-02T00:00:00Z")
                try await pipeline.settle()
                #expect(pipeline.mergedHistory("old/c1").isEmpty)
                #expect(try #require(pipeline.memory).counters[.expiredPositions] == 2)
                try await pipeline.restart()
                try await pipeline.settle(at: "2026-04-01T07:29:59Z")
                #expect(pipeline.mergedHistory("ana/c1").count == 1)
                try await pipeline.settle(at: "2026-04-01T07:30:00Z")
                #expect(try pipeline.merged("ana/c1").devices.map(\.deviceId) == ["watch"])
                try await pipeline.restart()
                try await pipeline.settle(at: "2026-04-02T00:00:00Z")
                #expect(pipeline.mergedHistory("ana/c1").count == 3)
                #expect(pipeline.mergedHistory("ana/c1").last?.record.value == nil)
            }
        }

        @Test("Positions that are off are refused and counted, and what is known stays")
        func refused() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.position("ana", "c1", "phone", "e1", "07:30")
                try await pipeline.settle()
                try await pipeline.restart { $0.positions.enabled = false }
                pipeline.position("ana", "c1", "phone", "e2", "07:31")
                pipeline.removePosition("ana/c1/phone")
                pipeline.put(pipeline.topics.positions, key: "bad", "bad")
                try await pipeline.settle()
                #expect(pipeline.mergedHistory("ana/c1").count == 1)
                #expect(pipeline.outputs.deadLetters.isEmpty)
                #expect(try #require(pipeline.memory).counters[.refusedPositions] == 3)
            }
        }

        // MARK: - Wrong clocks, and sizes

        @Test("A clock that is an hour fast does not win for longer than five seconds")
        func fastClock() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.position("ana", "c1", "fast", "e1", "09:00")
                try await pipeline.settle()
                #expect(try pipeline.merged("ana/c1").position?.observedAt == at("08:00:05"))
                #expect(try #require(pipeline.memory).counters[.futurePositions] == 1)
                pipeline.advance(to: "08:00:06")
                pipeline.position("ana", "c1", "right", "e2", "08:00:06")
                try await pipeline.settle()
                #expect(try pipeline.merged("ana/c1").position?.entryId == "e2")
                // The producer's clock may be the one that is wrong.
                pipeline.position("ana", "c1", "fast", "e3", "10:00", timestamp: "10:00")
                try await pipeline.settle()
                #expect(try pipeline.merged("ana/c1").position?.observedAt == at("08:00:11"))
            }
        }

        @Test("A reader whose record would be too large forgets what is oldest, and never the newest place")
        func tooLarge() async throws {
            var options = PipelineFixture.Options()
            options.change = { $0.positionsBytesMax = 20_000 }
            try await PipelineFixture.run(options) { pipeline in
                let title = String(repeating: "t", count: 1_000)
                for device in 0..<60 {
                    pipeline.position(
                        "ana", "c1", "d\(device)", "e\(device)", "07:\(10 + device % 50):\(10 + device / 50)",
                        #""title": "\#(title)""#)
                }
                try await pipeline.settle()
                let merged = try pipeline.merged("ana/c1")
                let sizes = pipeline.mergedHistory("ana/c1").compactMap { $0.record.value?.count }
                #expect(sizes.allSatisfy { $0 <= 20_000 } && sizes.max()! > 5_000)
                #expect(merged.position?.observedAt == at("07:59:10"))
                let trimmed = try #require(pipeline.memory).counters[.trimmedPositions]
                #expect(trimmed > 30 && merged.devices.count == 60 - trimmed)
                // All of one instant: no age decides.
                for device in 0..<60 {
                    pipeline.position("ben", "c1", "d\(device)", "e", "07:30", #""title": "\#(title)""#)
                }
                try await pipeline.settle()
                #expect(try pipeline.merged("ben/c1").position?.entryId == "e")
                #expect(pipeline.mergedHistory("ben/c1").allSatisfy { $0.record.value!.count <= 20_000 })
            }
        }

        // MARK: - Cost

        @Test("A configuration that nobody reads writes no state for readers")
        func nothingWithoutReaders() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.event("team", "A", "09:00", "10:00")
                pipeline.configuration("c1", #""calendarIds": ["team"]"#)
                try await pipeline.settle()
                try await pipeline.settle(at: "10:00")
                #expect(try readerState(pipeline) == [])
                pipeline.position("ana", "c1", "phone", "e1", "08:00")
                try await pipeline.settle()
                #expect(try readerState(pipeline) == [10, 11])
                pipeline.removePosition("ana/c1/phone")
                try await pipeline.settle()
                #expect(try readerState(pipeline) == [], "the entries go with the last reader")
                pipeline.position("ben", "c1", "phone", "e1", "2026-01-01T08:00:00Z")
                try await pipeline.settle()
                #expect(try readerState(pipeline) == [], "nothing is kept for a place that has expired")
            }
        }

        /// The numbers of the stores of readers that have a value in the changelog.
        private func readerState(_ pipeline: PipelineFixture) throws -> [UInt8] {
            let memory = try #require(pipeline.memory).memory
            var values: [[UInt8]: Bool] = [:]
            for record in memory.records(pipeline.plan.settings.stateTopic) {
                guard let key = record.key, key[0] & ~StateFormat.versionedKey >= 10 else { continue }
                values[key] = record.value != nil
            }
            return values.filter(\.value).keys.map { $0[0] & ~StateFormat.versionedKey }.sorted()
        }
    }
}
