import Messages
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// Who is told to load anew, and why (L1 to L9, T6), where changes are not
    /// gathered and there are tokens.
    @Suite struct ReloadTests {
        @Test(
            "A visible change is announced to its recipient, with kind, revision and reason", arguments: Ground.allCases
        )
        func visibleChange(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground) { pipeline in
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1", "kind": "Tracker", "recipient": "phone""#)
                try await pipeline.settle()
                pipeline.parked("v1", "08:01")
                try await pipeline.settle(at: "08:01")
                #expect(
                    pipeline.reloads("phone") == [
                        ReloadNotification(
                            recipient: "phone", kind: "Tracker", configurationIds: ["c1"],
                            reason: .configurationChanged, revision: 1, issuedAt: at("08:00"),
                            budget: ReloadBudget(limit: 48, remaining: 10, resetsAt: at("08:00"))),
                        ReloadNotification(
                            recipient: "phone", kind: "Tracker", configurationIds: ["c1"], reason: .statusChanged,
                            revision: 2, issuedAt: at("08:01"),
                            budget: ReloadBudget(limit: 48, remaining: 9, resetsAt: at("08:38:53.685"))),
                    ])
            }
        }

        @Test("A renewal at its own nextUpdate is not announced, whatever it shows")
        func renewal() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.event("work", "A", "2026-03-03T10:00:00Z", "2026-03-03T11:00:00Z")
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                pipeline.configuration("c2", #""calendarIds": ["work"]"#)
                try await pipeline.settle()
                pipeline.moving("v1", "08:01", speed: 99)
                try await pipeline.settle(at: "08:02")
                try await pipeline.settle(at: "2026-03-03T00:00:00Z")
                #expect(try pipeline.timeline("c1").revision > 1)
                #expect(pipeline.history("c2").count == 2)
                #expect(pipeline.reloads("c1").map(\.reason) == [.configurationChanged])
                #expect(pipeline.reloads("c2").map(\.reason) == [.configurationChanged])
            }
        }

        @Test("A change beyond the nextUpdate of what is shown, and one that shows nothing, are not announced")
        func invisible() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.event("work", "A", "10:00", "11:00")
                pipeline.event("work", "Next", "2026-03-03T09:00:00Z", "2026-03-03T09:30:00Z")
                try await pipeline.settle()
                pipeline.configuration("c1", #""calendarIds": ["work"], "family": "systemLarge""#)
                try await pipeline.settle()
                // After the next local midnight, when the timeline is renewed anyway.
                pipeline.event("work", "B", "2026-03-03T10:00:00Z", "2026-03-03T11:00:00Z")
                try await pipeline.settle()
                // Nothing that is shown.
                pipeline.event("work", "A", "10:00", "11:00", #""sequence": 1, "updatedAt": "2026-03-02T08:00:00Z""#)
                try await pipeline.settle()
                #expect(pipeline.history("c1").map(\.revision) == [1, 2])
                #expect(pipeline.reloads("c1").map(\.revision) == [1])
                pipeline.event("work", "C", "12:00", "13:00")
                try await pipeline.settle()
                #expect(pipeline.reloads("c1").map(\.revision) == [1, 3])
            }
        }

        @Test(
            "One reload names all configurations of a recipient and kind that changed together",
            arguments: Ground.allCases)
        func together(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground, .init(partitions: [1, 1, 1])) { pipeline in
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                for id in ["c3", "c1", "c2"] {
                    pipeline.configuration(id, #""vehicleId": "v1", "recipient": "r", "kind": "A""#)
                }
                pipeline.configuration("c4", #""vehicleId": "v1", "recipient": "r", "kind": "B""#)
                pipeline.configuration("c5", #""vehicleId": "v1", "recipient": "s", "kind": "A""#)
                try await pipeline.settle()
                let before = pipeline.outputs.reloads.count
                pipeline.parked("v1", "08:01")
                try await pipeline.settle(at: "08:01")
                let new = pipeline.outputs.reloads.map(\.reload).filter { $0.issuedAt == at("08:01") }
                #expect(pipeline.outputs.reloads.count - before == 3)
                #expect(
                    Set(new.map { "\($0.recipient) \($0.kind) \($0.configurationIds)" }) == [
                        #"r A ["c1", "c2", "c3"]"#, #"r B ["c4"]"#, #"s A ["c5"]"#,
                    ])
                #expect(new.allSatisfy { $0.reason == .statusChanged && $0.revision == 2 })
            }
        }

        @Test("Of several reasons in one transaction the strongest is named")
        func strongestReason() async throws {
            try await PipelineFixture.run(.init(partitions: [1, 1, 1])) { pipeline in
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                pipeline.configuration("c1", #""strategy": "events", "vehicleId": "v1", "calendarIds": ["work"]"#)
                try await pipeline.settle()
                pipeline.event("work", "A", "10:00", "11:00")
                pipeline.event("work", "B", "10:00", "11:00", #""vehicleId": "v1""#)
                pipeline.parked("v1", "08:01")
                try await pipeline.settle(at: "08:01")
                #expect(pipeline.reloads("c1").map(\.reason) == [.configurationChanged, .statusChanged])
            }
        }

        @Test("Sensitivity is a change of data")
        func dataChanged() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.moving("v1", "08:00", speed: 10)
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1", "sensitivity": {"speed": 5}"#)
                try await pipeline.settle()
                pipeline.moving("v1", "08:00:10", speed: 20)
                try await pipeline.settle(at: "08:00:10")
                #expect(pipeline.reloads("c1").map(\.reason) == [.configurationChanged, .dataChanged])
            }
        }

        @Test("Falling silent, and being heard of again, is a change of status")
        func silence() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1", "strategy": {"name": "status", "every": "PT20M"}"#)
                try await pipeline.settle()
                for text in ["08:20", "08:30"] { try await pipeline.settle(at: text) }
                pipeline.moving("v1", "08:31")
                try await pipeline.settle(at: "08:31")
                #expect(
                    pipeline.reloads("c1").map(\.reason) == [.configurationChanged, .statusChanged, .statusChanged])
            }
        }

        @Test("A configuration that is deleted is not announced")
        func deletion() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.configuration("c1", #""strategy": "status""#)
                try await pipeline.settle()
                pipeline.removeConfiguration("c1")
                try await pipeline.settle()
                #expect(pipeline.reloads("c1").count == 1)
            }
        }
    }
}
