import HTTPClient
import Messages
import RecordLog
import Simulation
import Sinks
import Testing

@Suite("Pushes to devices that register anew")
struct PushMovesTests {
    private let stage = ReloadStage()

    @Test("that wait go to the new token, each configuration's to its own")
    func waiting() async throws {
        stage.configure("a", token: "aa01")
        stage.configure("b", token: "aa01")
        stage.reload("r", ["a", "b"], reason: .requested)
        stage.service.script(["aa01": [.status(429, "TooManyRequests", retryAfter: "60")]])
        var rounds = 0
        let summary = try await stage.push(stop: {
            rounds += 1
            if rounds == 20 { stage.configure("b", token: "bb02") }
            return rounds > 2000
        })
        #expect(stage.service.tokens.first == "aa01")
        #expect(stage.service.tokens.dropFirst().sorted() == ["aa01", "bb02"])
        #expect(stage.service.requests.allSatisfy { $0.request.header("apns-priority") == "10" })
        #expect(summary.delivered == 2 && summary.skipped == 0 && stage.position() == 1)
    }

    @Test("while the old one is found gone, or bad, go to the new one", arguments: [410, 400])
    func underWay(status: Int) async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        stage.service.latency = .milliseconds(400)
        stage.service.respond = { request in
            guard request.url.hasSuffix("aa01") else { return .status(200) }
            stage.configure("a", token: "bb02")
            return .status(status, status == 410 ? "Unregistered" : "BadDeviceToken", timestamp: stage.time.now)
        }
        let summary = try await stage.push()
        #expect(stage.service.tokens == ["aa01", "bb02"])
        #expect(summary.delivered == 1 && summary.retired == 0 && summary.deadLetters == 0)
        #expect(stage.position() == 1)
    }
}
