import Foundation
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    /// The reloads that recipients get, seen from outside.
    @Suite struct ReloadTests {
        private static let configurations = """
            {"configurationId": "a", "kind": "Board", "recipient": "lobby", "strategy": "status"}
            {"configurationId": "b", "kind": "Board", "recipient": "lobby", "strategy": "status"}
            {"configurationId": "c", "kind": "Board", "recipient": "roof", "strategy": "status"}
            {"configurationId": "d", "kind": "Other", "recipient": "lobby", "strategy": "status"}
            """

        @Test("reload asks for a kind, or for one recipient of it, outside the budget, and says who is not there")
        func byHand() async throws {
            let application = try await Application("reload-by-hand", partitions: 2)
            try await application.publish(configurations: Self.configurations)
            let first = try await application.process(clock: "2026-11-20T06:25:00Z")
            #expect(first.reloads == 3)

            let result = try await application.run(
                "reload", "--kind", "Board", "--recipient", "lobby", "--recipient", "nobody")
            let unasked = try await tideline(["reload", "--kind", "Board"] + application.options)
            #expect(unasked.status == 64 && unasked.standardError.contains("--yes"), "\(unasked.failure)")
            #expect(
                result.standardOutput
                    == "{\"kind\":\"Board\",\"recipients\":1,\"configurations\":2,\"skipped\":1}\n")
            let skipped = "'nobody' has no configuration of kind 'Board' and is skipped; nothing is near it;"
            #expect(result.standardError.contains("\(skipped) recipients are 'lobby', 'roof'"), "\(result.failure)")
            let second = try await application.process(clock: "2026-11-20T06:26:00Z")
            #expect(second.reloads == 1)

            try await application.run("reload", "--kind", "Board", "--yes")
            let third = try await application.process(clock: "2026-11-20T06:27:00Z")
            #expect(third.reloads == 2)
            let fourth = try await application.process(clock: "2026-11-20T06:28:00Z")
            #expect(fourth.reloads == 0)

            let told = try await application.records(of: "timeline.reloads").map {
                String(decoding: $0.value ?? [], as: UTF8.self)
            }
            let requested = told.filter { $0.contains("\"reason\":\"requested\"") }
            #expect(requested.count == 3)
            #expect(requested.count { $0.contains("\"configurationIds\":[\"a\",\"b\"]") } == 2)
            #expect(requested.allSatisfy { $0.contains("\"remaining\":10") })
        }

        @Test("Where no recipient that is named has the kind, reload sends nothing and names the ids near it")
        func unknownRecipients() async throws {
            let application = try await Application("reload-unknown", partitions: 1)
            try await application.publish(configurations: Self.configurations)
            _ = try await application.process(clock: "2026-11-20T06:25:00Z")
            for (words, message) in [
                (["--recipient", "loby"], "of kind 'Board' there is no recipient 'loby'; near it is 'lobby'"),
                (
                    ["--recipient", "rof", "--recipient", "loby"],
                    "no recipient 'loby'; near it is 'lobby'; there is no recipient 'rof'; near it is 'roof'"
                ),
            ] {
                let refused = try await tideline(["reload", "--kind", "Board"] + words + application.options)
                #expect(refused.status == 64, "\(words): \(refused.failure)")
                #expect(refused.standardError.contains(message), "\(words): \(refused.failure)")
                #expect(refused.standardOutput.isEmpty, "\(words): \(refused.failure)")
            }
            let other = try await tideline(
                ["reload", "--kind", "Other", "--recipient", "roof"] + application.options)
            #expect(other.status == 64, "it has another kind alone: \(other.failure)")
            let later = try await application.process(clock: "2026-11-20T06:26:00Z")
            #expect(later.reloads == 0)
        }

        @Test("An unknown kind, and settings that cannot be, are refused by name")
        func refusals() async throws {
            let application = try await Application("reload-refusals", partitions: 1)
            try await application.publish(configurations: Self.configurations)
            let kind = try await tideline(["reload", "--kind", "Bord"] + application.options)
            #expect(kind.status == 64 && kind.standardError.contains("'Bord'; near it is 'Board'"), "\(kind.failure)")
            let far = try await tideline(["reload", "--kind", "Zzz"] + application.options)
            let kinds = "nothing is near it; kinds are 'Board', 'Other'"
            #expect(far.status == 64 && far.standardError.contains(kinds), "\(far.failure)")
            let never = try await tideline(["reload", "--kind", "Board"] + application.options)
            #expect(never.status == 69 && never.standardError.contains("has never run"))
            for (setting, word) in [
                ("reload.limit=0", "reload.limit"), ("reload.coalesce=-PT2S", "reload.coalesce"),
                ("reload.burst=0", "reload.burst"), ("reload.burst=49", "reload.burst"),
                (#"kinds={"K": {"reload": {"limit": 0}}}"#, "kinds.K.reload.limit"),
                (#"kinds={"K": {"reload": {"coalesce": "-PT1S"}}}"#, "kinds.K.reload.coalesce"),
            ] {
                let refused = try await tideline(["process", "--set", setting] + application.options)
                #expect(refused.status == 64, "\(setting)")
                #expect(refused.standardError.contains(word), "\(setting): \(refused.standardError)")
            }
        }
    }
}
