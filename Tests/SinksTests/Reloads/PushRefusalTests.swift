import HTTPClient
import RecordLog
import Simulation
import Sinks
import Testing

@Suite("Refusals of widget pushes")
struct PushRefusalTests {
    private let stage = ReloadStage()
    private let bad = Result<HTTPClientResponse, HTTPClientError>.status(400, "BadDeviceToken")

    @Test("retire a token for its topic and environment alone")
    func registration() async throws {
        stage.configure("app", token: "aa01")
        stage.configure("other", token: "aa01", topic: "com.example.other")
        stage.configure("sandbox", token: "aa01", environment: "sandbox")
        stage.reload("r", ["app"])
        stage.service.script(["aa01": [bad]])
        #expect(try await stage.push().retired == 1)
        stage.service.forget()
        for _ in 0..<2 {
            stage.reload("r", ["app", "other", "sandbox"])
            #expect(try await stage.push().delivered == 2)
        }
        let hosts = stage.service.requests.map { $0.request.url.contains("sandbox") }
        #expect(hosts.count == 4 && hosts.count { $0 } == 2)
    }

    @Test(
        "of many devices in a row end the run: nothing is retired, and no position moves past them",
        arguments: ["BadDeviceToken", "DeviceTokenNotForTopic", "TopicDisallowed", "SomethingNew"])
    func row(reason: String) async throws {
        for number in 10..<40 { stage.configure("c\(number)", token: "aa\(number)") }
        for number in 10..<40 { stage.reload("r", ["c\(number)"]) }
        stage.service.script(["aa10": [.status(200)]])
        let script = stage.service.respond
        stage.service.respond = { $0.url.hasSuffix("aa10") ? script($0) : .status(400, reason) }
        await #expect { try await stage.push(change: { $0.pace.requestsMax = 4 }) } throws: {
            "\($0)".contains("20 with \(reason)") && "\($0)".contains("api.push.apple.com")
        }
        #expect(stage.position() == 1 && stage.deadLetters.isEmpty)
        #expect(!stage.kept.keys.contains { $0.hasPrefix("retired/") })
        stage.service.script([:])
        #expect(try await stage.push().delivered == 29)
        #expect(stage.position() == 30)
    }

    @Test("are believed when a device takes a push after them, however many they are in all")
    func believed() async throws {
        for number in 10..<60 {
            stage.configure("c\(number)", token: "aa\(number)")
            stage.reload("r", ["c\(number)"])
        }
        stage.service.respond = { $0.url.hasSuffix("5") ? .status(200) : .status(400, "BadDeviceToken") }
        let summary = try await stage.push(change: { $0.pace.requestsMax = 1 })
        #expect(summary.delivered == 5 && summary.retired == 45 && summary.deadLetters == 45)
        #expect(stage.position() == 50)
    }

    @Test("wait for that, so that a stop before it retires nothing")
    func waits() async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        stage.service.respond = { _ in bad }
        var rounds = 0
        try await stage.push(
            stop: {
                rounds += 1
                return rounds > 40
            }, change: { $0.reading.untilCaughtUp = false })
        #expect(stage.service.tokens == ["aa01"])
        #expect(stage.position() == 0 && stage.deadLetters.isEmpty)
        #expect(!stage.kept.keys.contains { $0.hasPrefix("retired/") })
    }

    @Test("are believed after a day without any other answer")
    func doubted() async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        stage.service.respond = { _ in bad }
        var rounds = 0
        try await stage.push(
            stop: {
                rounds += 1
                if rounds == 20 { stage.time.advance(by: .seconds(86_400)) }
                return rounds > 40
            }, change: { $0.reading.untilCaughtUp = false })
        #expect(stage.position() == 1 && stage.deadLetters.count == 1)
    }
}
