import Messages
import Pipeline
import RecordLog
import Simulation
import Testing
import Timelines

extension PipelineTests {
    /// Declared kinds (M6).
    @Suite struct KindTests {
        private static let gameCharacter: WidgetKind = {
            var kind = WidgetKind(kind: "GameCharacter")
            kind.displayName = "Game Character"
            kind.supportedFamilies = [.systemSmall]
            kind.strategy = .string("hourly")
            kind.parameters = [
                .init(key: "alliances", title: "Alliances", type: .array, defaultValue: .array([])),
                .init(key: "avatar", title: "Avatar", type: .string, defaultValue: .string("Player 1")),
                .init(key: "city", title: "City", type: .string, defaultValue: .string("San Francisco")),
                .init(key: "health", title: "Health", type: .number, defaultValue: .number("100.0")),
                .init(key: "name", title: "Name", type: .string),
            ]
            return kind
        }()

        /// A kind whose configurations show their calendars, whether or not they name a vehicle.
        private static func board(_ change: (inout WidgetKind) -> Void = { _ in }) -> WidgetKind {
            var kind = WidgetKind(kind: "Board")
            kind.strategy = .string("events")
            change(&kind)
            return kind
        }

        @Test("A configuration of a declared kind gets its defaults, and an error where it breaks its rules")
        func declared() async throws {
            var options = PipelineFixture.Options()
            options.change = { $0.kinds = WidgetKinds([Self.gameCharacter]) }
            try await PipelineFixture.run(options) { pipeline in
                let kind = #""kind": "GameCharacter""#
                pipeline.configuration("good", kind + #", "parameters": {"name": "Ada", "health": 7}"#)
                pipeline.configuration("type", kind + #", "parameters": {"name": "Ada", "health": "full"}"#)
                pipeline.configuration("missing", kind)
                pipeline.configuration("family", kind + #", "family": "systemLarge", "parameters": {"name": "Ada"}"#)
                pipeline.configuration("other", #""kind": "Other", "parameters": {"health": "full"}"#)
                try await pipeline.settle()
                let good = try pipeline.timeline("good")
                #expect(good.family == .systemSmall)
                #expect(good.timeline.entries.count == 5)
                for entry in good.timeline.entries {
                    #expect(entry.phase == .tick)
                    #expect(entry.parameters["avatar"] == .string("Player 1"))
                    #expect(entry.parameters["alliances"] == .array([]))
                    #expect(entry.parameters["health"] == .number("7"))
                    #expect(entry.parameters["city"] == .string("San Francisco"))
                }
                for (id, key) in [("type", "parameters.health"), ("missing", "parameters.name"), ("family", "family")] {
                    let entry = try pipeline.entry(id)
                    #expect(entry.phase == .error)
                    #expect(entry.message?.text.hasPrefix("\(key): ") == true)
                    #expect(entry.message?.text.contains("Game Character") == true)
                    #expect(entry.parameters["avatar"] == .string("Player 1"))
                }
                #expect(try pipeline.entry("other").parameters["health"] == .string("full"))

                pipeline.configuration("type", kind + #", "parameters": {"name": "Ada", "health": 1.5}"#)
                try await pipeline.settle()
                #expect(try pipeline.entry("type").parameters["health"] == .number("1.5"))
            }
        }

        @Test(
            "After a restart with other kinds a configuration is what its record says under them",
            arguments: Ground.allCases)
        func redeclared(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground, .init(partitions: [3, 3, 3])) { pipeline in
                try await fill(pipeline)
                #expect(try pipeline.phases("c1") == ["status", "stale"])
                try await pipeline.restart(declaring: Self.board())
                try await pipeline.settle()
                #expect(try pipeline.outline("c1").contains("start 12:00 A"))
                #expect(try pipeline.timeline("c1").revision == 2)
                #expect(pipeline.reloads("c1").map(\.reason) == [.configurationChanged, .configurationChanged])
                #expect(pipeline.history("other").count == 1)

                // The vehicle's refreshes are not this configuration's any more, and its calendar is listened to.
                try await pipeline.settle(at: "08:05")
                #expect(pipeline.history("c1").count == 2)
                pipeline.event("work", "New", "10:00", "10:30")
                try await pipeline.settle()
                #expect(try pipeline.outline("c1").contains("start 10:00 New"))

                try await pipeline.restart()
                try await pipeline.settle()
                #expect(pipeline.history("c1").count == 3)
                try await pipeline.restart(declaring: WidgetKind(kind: "Another"))
                try await pipeline.settle()
                #expect(try pipeline.phases("c1") == ["status", "stale"])
                pipeline.event("work", "Newer", "11:00", "11:30")
                try await pipeline.settle()
                #expect(pipeline.history("c1").count == 4)
            }
        }

        @Test("What goes wrong while configurations are adopted anew changes nothing of it", arguments: 0..<6)
        func redeclaredWithAbort(_ steps: Int) async throws {
            try await PipelineFixture.run(.init(partitions: [3, 3, 3])) { pipeline in
                try await fill(pipeline)
                let memory = try #require(pipeline.memory).memory
                try await pipeline.restart(declaring: Self.board())
                for _ in 0..<steps { try pipeline.step() }
                pipeline.parked("v2", "08:00")
                let cause = LogError(.other, name: "TEST", "ordered")
                let fault = memory.inject(.abortable(cause), into: .commit)
                try await pipeline.settle()
                #expect(memory.timesFired(fault) == 1)
                #expect(try pipeline.outline("c1").contains("start 12:00 A"))
                #expect(pipeline.history("c1").map(\.revision) == [1, 2])
                pipeline.event("work", "New", "10:00", "10:30")
                try await pipeline.settle()
                #expect(pipeline.history("c1").map(\.revision) == [1, 2, 3])
                #expect(pipeline.published("gone").last?.record.value == nil)
            }
        }

        @Test("What a declaration says beside families, strategy and parameters makes no timeline anew")
        func description() async throws {
            try await PipelineFixture.run { pipeline in
                try await pipeline.restart(declaring: Self.board())
                try await fill(pipeline)
                let before = pipeline.outputs.timelines.count
                try await pipeline.restart(
                    declaring: Self.board { kind in
                        kind.description = "What comes."
                        kind.reload.limit = 5
                    })
                try await pipeline.settle()
                #expect(pipeline.outputs.timelines.count == before)
                try await pipeline.restart(declaring: Self.board { $0.supportedFamilies = [.systemLarge] })
                try await pipeline.settle()
                #expect(try pipeline.timeline("c1").family == .systemLarge)
            }
        }

        /// A configuration that names a vehicle and a calendar, another kind's, and one that was deleted.
        private func fill(_ pipeline: PipelineFixture) async throws {
            pipeline.moving("v1", "08:00")
            pipeline.event("work", "A", "12:00", "13:00")
            let sources = #", "vehicleId": "v1", "calendarIds": ["work"]"#
            pipeline.configuration("gone", #""kind": "Board""# + sources)
            try await pipeline.settle()
            pipeline.configuration("c1", #""kind": "Board""# + sources)
            pipeline.configuration("other", #""kind": "Other", "calendarIds": ["work"]"#)
            pipeline.removeConfiguration("gone")
            try await pipeline.settle()
        }
    }
}
