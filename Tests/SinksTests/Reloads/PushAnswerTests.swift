import Foundation
import HTTPClient
import RecordLog
import Simulation
import Sinks
import Testing

@Suite("Answers to widget pushes")
struct PushAnswerTests {
    private let stage = ReloadStage()

    @Test("a token that is gone is retired over restarts, until a newer configuration record names it")
    func gone() async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        stage.service.script(["aa01": [.status(410, "Unregistered", timestamp: stage.time.now)]])
        #expect(try await stage.push().retired == 1)
        #expect(stage.kept.keys.filter { $0.hasPrefix("retired/apns/") }.count == 1)
        #expect(!stage.kept.description.contains("aa01"), "tokens are not written in the clear")
        #expect(stage.position() == 1 && stage.deadLetters.isEmpty)

        stage.reload("r", ["a"])
        #expect(try await stage.push().skipped == 1)
        #expect(stage.service.tokens == ["aa01"])

        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        #expect(try await stage.push().delivered == 1)
        #expect(!stage.kept.keys.contains { $0.hasPrefix("retired/") }, "what is valid again is forgotten")
    }

    @Test("a token that a configuration named after it was gone stays valid, and the push is sent once more")
    func registeredAnew() async throws {
        let gone = stage.time.now - .seconds(1)
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        stage.service.script(["aa01": [.status(410, "ExpiredToken", timestamp: gone)]])
        let summary = try await stage.push()
        #expect(summary.retired == 0 && summary.delivered == 1 && summary.retries == 1)
        #expect(stage.position() == 1)
        stage.reload("r", ["a"])
        stage.service.respond = { _ in .status(410, "ExpiredToken", timestamp: gone) }
        #expect(try await stage.push().delivered == 0)
        #expect(stage.service.requests.count == 4 && stage.position() == 2)
    }

    @Test("a retired token that no configuration names any more is forgotten")
    func forgotten() async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        stage.service.script(["aa01": [.status(410, "Unregistered", timestamp: stage.time.now)]])
        try await stage.push()
        stage.cluster.appendKeyed(ReloadStage.configurations, key: "a", value: nil)
        stage.reload("r", ["a"])
        try await stage.push()
        #expect(!stage.kept.keys.contains { $0.hasPrefix("retired/") })
    }

    @Test(
        "a bad token makes its reloads dead letters once, and is retired; a bad topic retires nothing",
        arguments: [
            ("BadDeviceToken", "push.token", true), ("DeviceTokenNotForTopic", "push.token", true),
            ("BadTopic", "push.topic", false), ("TopicDisallowed", "push.topic", false),
            ("MissingTopic", "push.topic", false),
        ])
    func bad(reason: String, field: String, isRetired: Bool) async throws {
        stage.configure("a", token: "aa01")
        stage.configure("b", token: "bb02")
        let origin = stage.reload("r", ["a", "b"])
        stage.service.script(["aa01": [.status(400, reason)], "bb02": [.status(400, reason)]])
        let summary = try await stage.push()
        #expect(summary.deadLetters == 1 && summary.retired == (isRetired ? 2 : 0))
        let letters = stage.deadLetters
        #expect(letters.count == 1)
        let letter = try #require(letters.first)
        #expect(letter.key == Array("r".utf8) && letter.header("ce_type") == "tideline.reload.v1")
        let told = "reload of recipient r, field \(field): was refused by APNs: \(reason)"
        #expect(letter.header("__streams.errors.message") == told)
        #expect(letter.header("__streams.errors.offset") == origin.offset.description)
        #expect(letter.header("__streams.errors.partition") == origin.partition.description)

        stage.reload("r", ["a"])
        let next = try await stage.push()
        #expect(next.skipped == (isRetired ? 1 : 0) && next.delivered == (isRetired ? 0 : 1))
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        #expect(try await stage.push().delivered == 1)
        #expect(stage.deadLetters.count == 1)
    }

    @Test("another complaint about one push makes a dead letter, and leaves the token valid")
    func badRequest() async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        stage.service.script(["aa01": [.status(400, "SomethingNew")]])
        let summary = try await stage.push()
        #expect(summary.deadLetters == 1 && summary.retired == 0)
        stage.reload("r", ["a"])
        #expect(try await stage.push().delivered == 1)
    }

    @Test("an expired provider token is minted anew once, for all that carried it")
    func expired() async throws {
        stage.configure("a", token: "aa01")
        stage.configure("b", token: "bb02")
        stage.reload("r", ["a", "b"])
        let old = Result<HTTPClientResponse, HTTPClientError>.status(403, "ExpiredProviderToken")
        stage.service.script(["aa01": [old], "bb02": [old]])
        #expect(try await stage.push().delivered == 2)
        #expect(stage.service.tokens.sorted() == ["aa01", "aa01", "bb02", "bb02"])
        #expect(Set(authorisations).count == 2 && Set(authorisations.suffix(2)).count == 1)
    }

    @Test("a provider token that is expired when it is new ends the run, and nothing is lost")
    func expiredForGood() async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        stage.service.respond = { _ in .status(403, "ExpiredProviderToken") }
        await #expect { try await stage.push() } throws: { "\($0)".contains("clock") }
        #expect(stage.service.requests.count == 2)
        #expect(stage.position() == 0)
    }

    @Test(
        "what all pushes would be refused for ends the run, with what to look at; the next run sends what is left",
        arguments: [(403, "InvalidProviderToken"), (400, "BadPriority"), (404, "BadPath"), (413, "PayloadTooLarge")])
    func refused(status: Int, reason: String) async throws {
        stage.configure("a", token: "aa01")
        stage.configure("b", token: "bb02")
        stage.reload("r", ["b"])
        stage.reload("r", ["a"])
        stage.service.script(["aa01": [.status(status, reason)]])
        await #expect { try await stage.push() } throws: { error in
            let text = "\(error)"
            return text.contains(reason) && text.contains("apns.key-id") && !text.contains("aa01")
        }
        #expect(stage.position() == 1, "what was delivered before is kept")
        stage.service.forget()
        try await stage.push()
        #expect(stage.service.tokens == ["aa01"] && stage.position() == 2)
        #expect(stage.deadLetters.isEmpty)
    }

    @Test("what is answered together with a refusal of all is settled before the run ends")
    func refusedAmongOthers() async throws {
        stage.configure("a", token: "aa01")
        stage.configure("b", token: "bb02")
        stage.reload("r", ["a"])
        stage.reload("r", ["b"])
        stage.service.script([
            "aa01": [.status(403, "InvalidProviderToken")],
            "bb02": [.status(410, "Unregistered", timestamp: stage.time.now)],
        ])
        await #expect { try await stage.push() } throws: { "\($0)".contains("InvalidProviderToken") }
        #expect(stage.kept.keys.contains { $0.hasPrefix("retired/") })
        #expect(stage.position() == 0)
    }

    @Test("provider tokens live 50 minutes, whatever is sent meanwhile")
    func providerTokens() async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        var rounds = 0
        try await stage.push(
            stop: {
                rounds += 1
                if rounds.isMultiple(of: 10) {
                    stage.time.advance(by: .seconds(600))
                    stage.reload("r", ["a"])
                }
                return rounds > 130
            }, change: { $0.reading.untilCaughtUp = false })
        // A token lasts for the pushes at 0, 10, … 40 minutes.
        var runs: [Int] = []
        for (index, text) in authorisations.enumerated() {
            if index > 0, text == authorisations[index - 1] { runs[runs.count - 1] += 1 } else { runs.append(1) }
        }
        #expect(runs.dropLast().allSatisfy { $0 == 5 } && runs.count >= 2, "\(runs)")
        #expect(Set(authorisations).count == runs.count)
    }

    private var authorisations: [String] {
        stage.service.requests.map { $0.request.header("authorization") ?? "" }
    }
}
