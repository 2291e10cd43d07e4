import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// `explain` about reloads that were not sent, from what a pipeline has left in the topics.
    @Suite struct ExplainedReloadTests {
        private func reasons(_ id: String, at instant: String, _ application: Application) async throws -> [Reason] {
            let result = try await application.run("explain", id, "--at", instant)
            return try result.standardOutput.split(separator: "\n")
                .map { try JSONDecoder().decode(Reason.self, from: Data($0.utf8)) }.filter { $0.about == "reload" }
        }

        private struct Reason: Decodable {
            var about: String
            var text: String
            var rules: [String]
        }

        @Test("a change for which no reload was left is said to be held, with the rule and when the budget is full")
        func budgetUsedUp() async throws {
            var application = try await Application("explained", partitions: 2)
            application.settings = ["--set", "reload.limit=1", "--set", "reload.burst=1"]
            try await application.publish(
                configurations: #"{"configurationId": "van", "kind": "Bus", "vehicleId": "v", "recipient": "ana"}"#)
            var reloads: [Int] = []
            var last: [Reason] = []
            for (minute, ignition, speed) in [(30, true, 40), (31, false, 0), (32, true, 50)] {
                let line = """
                    {"vehicleId": "v", "observedAt": "2026-11-20T06:\(minute):00Z", "ignition": \(ignition), \
                    "speed": \(speed)}

                    """
                try await application.run("produce", "telemetry", "--json", try application.file("t.jsonl", line))
                reloads.append(try await application.process(clock: "2026-11-20T06:\(minute):00Z").reloads)
                let before = last
                last = try await reasons("van", at: "2026-11-20T06:\(minute):30Z", application)
                guard minute == 32 else { continue }
                #expect(before.count == 1 && before[0].text.contains("0 of its reloads were left then"), "\(before)")
            }
            // The first timeline costs nothing, the first change the only reload.
            #expect(reloads == [1, 1, 0])
            let held = try #require(last.last)
            #expect(held.rules == ["L6", "L3"], "\(last)")
            #expect(held.text.contains("no reload was left, so the change is held until there is one"), "\(last)")
            #expect(held.text.contains("the budget is full again at 2026-11-2"), "\(last)")
            #expect(last.first?.text.contains("the newest reload that names it was issued at ") == true, "\(last)")
            show("explain: \(held.text)")
        }

        @Test("a change that shows only after the next timeline is due is said to be no visible one")
        func nothingVisible() async throws {
            let application = try await Application("invisible", partitions: 2)
            try await application.publish(
                configurations: """
                    {"configurationId": "wall", "kind": "Agenda", "calendarIds": ["studio"], "recipient": "ana", \
                    "timeZone": "Europe/Berlin"}
                    """)
            func publish(_ uid: String, _ start: String, _ end: String) async throws {
                let line = """
                    {"calendarId": "studio", "uid": "\(uid)", "title": "\(uid)", "start": "\(start)", "end": "\(end)"}

                    """
                try await application.run("produce", "calendar", "--json", try application.file("e.jsonl", line))
            }
            try await publish("life", "2026-11-20T09:30:00Z", "2026-11-20T10:00:00Z")
            try await publish("ink", "2026-11-21T08:00:00Z", "2026-11-21T09:00:00Z")
            #expect(try await application.process(clock: "2026-11-20T06:30:00Z").reloads == 1)
            // Behind the event of tomorrow that is the next one by then, and behind midnight, when all is made anew.
            try await publish("oil", "2026-11-21T15:00:00Z", "2026-11-21T16:00:00Z")
            let second = try await application.process(clock: "2026-11-20T06:31:00Z")
            #expect(second.timelines > 0 && second.reloads == 0, "\(second)")
            let found = try await reasons("wall", at: "2026-11-20T06:33:00Z", application)
            let last = try #require(found.last)
            #expect(last.rules == ["L1", "T6"], "\(found)")
            #expect(last.text.contains("which is no visible change"), "\(found)")
            show("explain: \(last.text)")
        }
    }
}
