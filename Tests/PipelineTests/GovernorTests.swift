import Messages
import Pipeline
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// Budget, gathering, holding and dropping of reloads (L1 to L9).
    @Suite struct GovernorTests {
        /// Two tokens at once, one more every hour.
        private static func options(
            _ change: @escaping (inout WidgetKind.Reload) -> Void = { _ in }
        ) -> PipelineFixture.Options {
            var options = PipelineFixture.Options()
            options.change = { settings in
                settings.reload.coalesce = .seconds(2)
                settings.reload.limit = 26
                settings.reload.burst = 2
                change(&settings.reload)
            }
            return options
        }

        /// A vehicle at eight, and `c1` of it, whose timeline is due again after six hours; it has been announced.
        private func begin(_ pipeline: PipelineFixture, every: String = "PT6H") async throws {
            pipeline.moving("v1", "08:00")
            try await pipeline.settle()
            for id in ["c1"] { configure(pipeline, id, every) }
            try await pipeline.settle()
            try await pipeline.settle(at: "08:00:02")
            #expect(pipeline.reloads("phone").map(\.reason) == [.configurationChanged])
        }

        private func configure(_ pipeline: PipelineFixture, _ id: String, _ every: String = "PT6H", _ more: String = "")
        {
            pipeline.configuration(
                id,
                #""vehicleId": "v1", "kind": "K", "recipient": "phone", "strategy": {"name": "status", "#
                    + #""every": "\#(every)", "parkedEvery": "\#(every)", "offlineAfter": "P1D"}\#(more)"#)
        }

        private func told(_ pipeline: PipelineFixture) -> [String] {
            pipeline.reloads("phone").dropFirst().map { reload in
                let time = reload.issuedAt.rfc3339.dropFirst(11).dropLast()
                return "\(time) \(reload.reason.rawValue) r\(reload.revision) \(reload.budget.remaining)"
            }
        }

        /// Parks and moves the vehicle in turn, each time long enough to be told of.
        private func spend(_ pipeline: PipelineFixture) async throws {
            pipeline.parked("v1", "08:10")
            try await pipeline.settle(at: "08:10")
            try await pipeline.settle(at: "08:10:02")
            pipeline.moving("v1", "08:20")
            try await pipeline.settle(at: "08:20")
            try await pipeline.settle(at: "08:20:02")
            #expect(told(pipeline) == ["08:10:02 statusChanged r2 1", "08:20:02 statusChanged r3 0"])
        }

        @Test("Changes within two seconds of the first go out together then, with the last revision")
        func gathering() async throws {
            try await PipelineFixture.run(Self.options()) { pipeline in
                try await begin(pipeline)
                pipeline.parked("v1", "08:10:00")
                try await pipeline.settle(at: "08:10:00")
                pipeline.idling("v1", "08:10:01.500")
                try await pipeline.settle(at: "08:10:01.500")
                try await pipeline.settle(at: "08:10:01.999")
                #expect(told(pipeline) == [])
                try await pipeline.settle(at: "08:10:02")
                #expect(told(pipeline) == ["08:10:02 statusChanged r3 1"])
                try await pipeline.settle(at: "08:11")
                #expect(told(pipeline).count == 1)
            }
        }

        @Test("A change after one that was withdrawn is the first, with a restart between or without", arguments: 0..<3)
        func firstAgain(restartAfter step: Int) async throws {
            try await PipelineFixture.run(Self.options()) { pipeline in
                try await begin(pipeline)
                pipeline.parked("v1", "08:10:00")
                try await pipeline.settle(at: "08:10:00")
                if step == 1 { try await pipeline.restart() }
                pipeline.moving("v1", "08:10:01")
                try await pipeline.settle(at: "08:10:01")
                if step == 2 { try await pipeline.restart() }
                pipeline.parked("v1", "08:10:01.500")
                try await pipeline.settle(at: "08:10:01.500")
                try await pipeline.settle(at: "08:10:03.499")
                #expect(told(pipeline) == [])
                try await pipeline.settle(at: "08:10:03.500")
                #expect(told(pipeline) == ["08:10:03.500 statusChanged r4 1"])
            }
        }

        @Test("What is as it was before when the gathering closes is not announced, and costs nothing")
        func undone() async throws {
            try await PipelineFixture.run(Self.options()) { pipeline in
                try await begin(pipeline)
                pipeline.parked("v1", "08:10:00")
                try await pipeline.settle(at: "08:10:00")
                pipeline.moving("v1", "08:10:01")
                try await pipeline.settle(at: "08:10:01")
                try await pipeline.settle(at: "08:10:05")
                #expect(told(pipeline) == [])
                pipeline.parked("v1", "08:11")
                try await pipeline.settle(at: "08:11")
                try await pipeline.settle(at: "08:11:02")
                #expect(told(pipeline) == ["08:11:02 statusChanged r4 1"])
            }
        }

        @Test(
            "Without a token a change is held, later ones take its place, and the last goes out when a token is there")
        func holding() async throws {
            try await PipelineFixture.run(Self.options()) { pipeline in
                try await begin(pipeline)
                try await spend(pipeline)
                pipeline.parked("v1", "08:30")
                try await pipeline.settle(at: "08:30")
                pipeline.idling("v1", "08:40")
                try await pipeline.settle(at: "08:40")
                try await pipeline.settle(at: "09:10:01.999")
                #expect(told(pipeline).count == 2)
                // An hour after the first was taken.
                try await pipeline.settle(at: "09:10:02")
                #expect(told(pipeline).dropFirst(2) == ["09:10:02 statusChanged r5 0"])
                #expect(pipeline.reloads("phone").last?.budget.resetsAt == at("11:10:02"))
            }
        }

        @Test("What is held is dropped as soon as the old content is visible again")
        func dropping() async throws {
            try await PipelineFixture.run(Self.options()) { pipeline in
                try await begin(pipeline)
                try await spend(pipeline)
                pipeline.parked("v1", "08:30")
                try await pipeline.settle(at: "08:30")
                try await pipeline.settle(at: "08:30:02")
                pipeline.moving("v1", "08:40")
                try await pipeline.settle(at: "08:40")
                try await pipeline.settle(at: "10:00")
                #expect(told(pipeline).count == 2)
                // The token that nobody took is there, and another.
                pipeline.parked("v1", "10:30")
                try await pipeline.settle(at: "10:30")
                try await pipeline.settle(at: "10:30:02")
                #expect(told(pipeline).dropFirst(2) == ["10:30:02 statusChanged r6 1"])
            }
        }

        @Test("What is held is dropped once the recipient has come back by itself")
        func cameBack() async throws {
            try await PipelineFixture.run(Self.options()) { pipeline in
                try await begin(pipeline, every: "PT50M")
                try await spend(pipeline)
                pipeline.parked("v1", "08:30")
                try await pipeline.settle(at: "08:30")
                try await pipeline.settle(at: "08:30:02")
                // What was seen is due again at 09:10; the next token comes two seconds later.
                for text in ["09:10", "09:10:02", "09:20"] { try await pipeline.settle(at: text) }
                #expect(told(pipeline).count == 2)
                // And what stood then is what was seen: going back to it is nothing new, another status is.
                pipeline.moving("v1", "09:21")
                try await pipeline.settle(at: "09:21")
                try await pipeline.settle(at: "09:21:02")
                #expect(told(pipeline).dropFirst(2) == ["09:21:02 statusChanged r5 0"])
            }
        }

        @Test("A change of the configuration costs nothing, and takes along what is held")
        func free() async throws {
            try await PipelineFixture.run(Self.options()) { pipeline in
                try await begin(pipeline)
                try await spend(pipeline)
                pipeline.parked("v1", "08:30")
                try await pipeline.settle(at: "08:30")
                try await pipeline.settle(at: "08:30:02")
                configure(pipeline, "c1", "PT6H", #", "parameters": {"colour": "red"}"#)
                try await pipeline.settle(at: "08:31")
                try await pipeline.settle(at: "08:31:02")
                configure(pipeline, "c1", "PT6H", #", "signedIn": false"#)
                try await pipeline.settle(at: "08:32")
                try await pipeline.settle(at: "12:00")
                #expect(
                    told(pipeline).dropFirst(2) == [
                        "08:31:02 configurationChanged r5 0", "12:00:00 configurationChanged r6 2",
                    ])
            }
        }

        @Test("A reload names those that have a token, with the budget of the poorest; the others wait for theirs")
        func several() async throws {
            try await PipelineFixture.run(Self.options()) { pipeline in
                try await begin(pipeline)
                try await spend(pipeline)
                configure(pipeline, "c2")
                try await pipeline.settle(at: "08:21")
                try await pipeline.settle(at: "08:21:02")
                pipeline.parked("v1", "08:30")
                try await pipeline.settle(at: "08:30")
                for text in ["08:30:02", "09:10:02"] { try await pipeline.settle(at: text) }
                let last = pipeline.reloads("phone").suffix(3)
                #expect(last.map(\.configurationIds) == [["c2"], ["c2"], ["c1"]])
                #expect(last.map(\.issuedAt) == [at("08:21:02"), at("08:30:02"), at("09:10:02")])
                pipeline.moving("v1", "10:30")
                try await pipeline.settle(at: "10:30")
                try await pipeline.settle(at: "10:30:02")
                let both = try #require(pipeline.reloads("phone").last)
                #expect(both.configurationIds == ["c1", "c2"] && both.budget.remaining == 0)
            }
        }

        @Test("Nothing that is gathered or held is lost by a restart", arguments: Ground.allCases)
        func restart(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground, Self.options()) { pipeline in
                try await begin(pipeline)
                pipeline.parked("v1", "08:10:00")
                try await pipeline.settle(at: "08:10:00")
                try await pipeline.restart()
                try await pipeline.settle(at: "08:10:02")
                #expect(told(pipeline) == ["08:10:02 statusChanged r2 1"])
                pipeline.moving("v1", "08:20")
                try await pipeline.settle(at: "08:20")
                try await pipeline.settle(at: "08:20:02")
                pipeline.parked("v1", "08:30")
                try await pipeline.settle(at: "08:30")
                try await pipeline.settle(at: "08:30:02")
                try await pipeline.restart()
                try await pipeline.settle(at: "09:10:02")
                #expect(told(pipeline).dropFirst(2) == ["09:10:02 statusChanged r4 0"])
                // What was seen is state, too.
                try await pipeline.restart()
                pipeline.moving("v1", "10:30")
                try await pipeline.settle(at: "10:30")
                pipeline.parked("v1", "10:30:01")
                try await pipeline.settle(at: "10:30:01")
                try await pipeline.settle(at: "10:40")
                #expect(told(pipeline).count == 3)
            }
        }

        @Test("Every change is accounted for, by kind and reason")
        func account() async throws {
            try await PipelineFixture.run(Self.options()) { pipeline in
                try await begin(pipeline)
                try await spend(pipeline)
                pipeline.parked("v1", "08:30")
                for text in ["08:30", "08:30:02"] { try await pipeline.settle(at: text) }
                pipeline.idling("v1", "08:31")
                for text in ["08:31", "08:31:02"] { try await pipeline.settle(at: text) }
                pipeline.moving("v1", "08:40")
                for text in ["08:40", "08:40:02"] { try await pipeline.settle(at: text) }
                pipeline.parked("v1", "08:50")
                for text in ["08:50", "08:50:02", "09:10:02"] { try await pipeline.settle(at: text) }
                pipeline.moving("v1", "10:00")
                for text in ["10:00", "10:00:02", "10:10:02"] { try await pipeline.settle(at: text) }
                pipeline.moving("v1", "10:20", speed: 90)
                for text in ["10:20", "16:00", "16:10"] { try await pipeline.settle(at: text) }
                let rows = try #require(pipeline.memory).counters.reloads
                #expect(
                    rows.map { "\($0.kind) \($0.reason.rawValue)" } == [
                        "K configurationChanged", "K statusChanged", "K scheduled",
                    ])
                let counts: [ReloadCount] = [
                    .seen, .visible, .suppressed, .replaced, .held, .dropped, .announced, .sent,
                ]
                #expect(counts.map { rows[0][$0] } == [1, 1, 0, 0, 0, 0, 1, 1])
                // Of seven two are told at once; one is held, replaced, and withdrawn by the next, which is suppressed;
                // two are held and told.
                #expect(counts.map { rows[1][$0] } == [7, 6, 1, 1, 3, 1, 4, 4])
                #expect(counts.map { rows[2][$0] } == [1, 0, 1, 0, 0, 0, 0, 0])
            }
        }

        @Test("A timeline says what was left when it was made")
        func budgetOfTimelines() async throws {
            try await PipelineFixture.run(Self.options()) { pipeline in
                try await begin(pipeline)
                try await spend(pipeline)
                pipeline.parked("v1", "08:50")
                try await pipeline.settle(at: "08:50")
                let budgets = pipeline.history("c1").map { $0.budget?.remaining }
                #expect(budgets == [2, 2, 1, 0])
                #expect(try pipeline.timeline("c1").budget?.resetsAt == at("10:10:02"))
            }
        }

        @Test("Renewals are announced where the kind asks for that, while there are tokens, and never held")
        func scheduled() async throws {
            try await PipelineFixture.run(Self.options { $0.scheduled = true }) { pipeline in
                try await begin(pipeline, every: "PT10M")
                for (index, minute) in ["08:10", "08:20", "08:30", "08:40"].enumerated() {
                    pipeline.moving("v1", minute, speed: 50 + index)
                    try await pipeline.settle(at: minute)
                    try await pipeline.settle(at: minute + ":02")
                }
                try await pipeline.settle(at: "09:30")
                #expect(told(pipeline).prefix(2) == ["08:10:02 scheduled r2 1", "08:20:02 scheduled r3 0"])
                #expect(told(pipeline).count == 2)
            }
        }

        @Test("Of a configuration that moves to another recipient, or goes, the old one is told nothing any more")
        func moving() async throws {
            try await PipelineFixture.run(Self.options()) { pipeline in
                try await begin(pipeline)
                try await spend(pipeline)
                pipeline.parked("v1", "08:30")
                try await pipeline.settle(at: "08:30")
                pipeline.configuration("c1", #""vehicleId": "v1", "kind": "K", "recipient": "watch""#)
                try await pipeline.settle(at: "08:30:01")
                try await pipeline.settle(at: "08:30:03")
                let watch = try #require(pipeline.reloads("watch").first)
                #expect(watch.reason == .configurationChanged && watch.budget.remaining == 2)
                pipeline.moving("v1", "08:40")
                try await pipeline.settle(at: "08:40")
                pipeline.removeConfiguration("c1")
                try await pipeline.settle(at: "08:40:01")
                try await pipeline.settle(at: "12:00")
                #expect(told(pipeline).count == 2 && pipeline.reloads("watch").count == 1)
            }
        }

        @Test("A run that leaves when it has caught up waits for no gathering")
        func bringUp() async throws {
            try await PipelineFixture.run(Self.options()) { pipeline in
                pipeline.moving("v1", "08:00")
                configure(pipeline, "c1")
                try await pipeline.settle()
                #expect(pipeline.reloads("phone").isEmpty)
                try await pipeline.bringUp()
                let last = try pipeline.timeline("c1").revision
                #expect(pipeline.reloads("phone").map(\.revision) == [last])
                #expect(pipeline.reloads("phone").map(\.issuedAt) == [at("08:00")])
            }
        }
    }
}
