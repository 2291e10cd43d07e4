import Foundation
import HTTPClient
import Messages
import RecordLog
import Simulation
import Sinks
import Testing

@Suite("Widget pushes")
struct PushTests {
    private let stage = ReloadStage()

    @Test("a device gets one push for all kinds and configurations that changed, with the highest priority")
    func conflates() async throws {
        stage.configure("a", token: "AA01")
        stage.configure("b", token: "aa01")
        stage.configure("c", token: "cc03")
        stage.reload("r", ["a"], kind: "One")
        stage.reload("r", ["b"], kind: "Two", reason: .statusChanged)
        stage.reload("r", ["a", "b", "c"], kind: "Three", reason: .scheduled)
        let summary = try await stage.push()
        #expect(stage.service.tokens.sorted() == ["aa01", "cc03"])
        #expect(priorities == ["aa01": "10", "cc03": "5"])
        #expect(summary.records == 3 && summary.delivered == 2 && summary.conflated == 2)
        #expect(stage.position() == 3)
    }

    @Test("a push has the headers and the body that WidgetKit's pushes have")
    func form() async throws {
        stage.configure("a", token: "aa01", environment: "sandbox")
        stage.configure("b", token: "bb02", topic: "com.example.app.push-type.widgets")
        stage.reload("r", ["a", "b"], reason: .requested)
        try await stage.push()
        let requests = stage.service.requests.map(\.request)
        #expect(
            requests.map(\.url) == [
                "https://api.sandbox.push.apple.com/3/device/aa01", "https://api.push.apple.com/3/device/bb02",
            ])
        for request in requests {
            #expect(request.requiresHTTP2)
            #expect(request.header("apns-push-type") == "widgets")
            #expect(request.header("apns-topic") == "com.example.app.push-type.widgets")
            #expect(request.header("apns-priority") == "10")
            #expect(request.header("apns-expiration") == "0")
            #expect((1...64).contains(request.header("apns-collapse-id")?.utf8.count ?? 0))
            #expect(request.header("authorization")?.hasPrefix("bearer ey") == true)
            #expect(String(decoding: request.body, as: UTF8.self) == #"{"aps":{"content-changed":true}}"#)
        }
    }

    @Test(
        "priority is high where somebody waits, low elsewhere",
        arguments: zip(
            ReloadNotification.Reason.allCases, ["10", "10", "10", "5", "5", "5"]))
    func priority(reason: ReloadNotification.Reason, priority: String) async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"], reason: reason)
        try await stage.push()
        #expect(priorities == ["aa01": priority])
    }

    @Test("unknown configurations and those without push are counted and skipped; their positions move")
    func skips() async throws {
        stage.configure("plain", token: nil)
        stage.configure("gone", token: "dd04")
        stage.cluster.appendKeyed(ReloadStage.configurations, key: "gone", value: nil)
        stage.reload("r", ["plain", "unknown"])
        stage.reload("r", ["gone"])
        let summary = try await stage.push()
        #expect(stage.service.tokens.isEmpty)
        #expect(summary.skipped == 2)
        #expect(stage.position() == 2)
    }

    @Test("a push that cannot be used is told with its field, and skipped")
    func unusable() async throws {
        stage.configure("a", token: "not hexadecimal")
        stage.configure("b", token: "bb02", topic: "no bundle")
        stage.configure("c", token: "cc03", environment: "staging")
        stage.reload("r", ["a", "b", "c"])
        #expect(try await stage.push().skipped == 1)
        let reasons = stage.notices.map(\.description).sorted()
        #expect(reasons.count == 3)
        for (reason, field) in zip(reasons, ["push.token", "push.topic", "push.environment"]) {
            #expect(reason.contains(field), "\(reason)")
        }
        #expect(!reasons.contains { $0.contains("not hexadecimal") }, "a token is told")
    }

    @Test("a configuration that comes before its reload is known, whichever is fetched first")
    func configurationComes() async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        var rounds = 0
        try await stage.push(
            stop: {
                rounds += 1
                if rounds == 10 {
                    // What the sink reads first now, its configurations, gives nothing; the reloads come all the same.
                    let failure = LogError(.timedOut, name: "_TIMED_OUT", "late", isRetriable: true)
                    stage.cluster.inject(failure, into: .poll, client: "tideline-sink-apns")
                    stage.configure("late", token: "ee05")
                    stage.reload("r", ["late"])
                    stage.configure("a", token: "ff06")
                    stage.reload("r", ["a"])
                }
                return rounds > 60
            }, change: { $0.reading.untilCaughtUp = false })
        #expect(stage.cluster.pendingFaults.isEmpty)
        #expect(stage.service.tokens == ["aa01", "ee05", "ff06"])
    }

    @Test("a record that is no reload is a dead letter")
    func unreadable() async throws {
        stage.cluster.appendKeyed(ReloadStage.reloads, key: "r", value: "not JSON", headers: [Header("x", "y")])
        #expect(try await stage.push().deadLetters == 1)
        let letter = try #require(stage.deadLetters.first)
        #expect(letter.value == Array("not JSON".utf8) && letter.header("x") == "y")
        #expect(letter.header("__streams.errors.exception") == "MessageProblem.unreadable")
        #expect(letter.header("__streams.errors.topic") == ReloadStage.reloads)
        #expect(stage.position() == 1)
    }

    @Test("no more requests are under way than the settings allow, and nothing is read beyond the room for it")
    func bounds() async throws {
        for number in 10..<60 { stage.configure("c\(number)", token: "aa\(number)") }
        for number in 10..<60 { stage.reload("r\(number)", ["c\(number)"]) }
        var open = 0
        var most = 0
        stage.service.respond = { _ in
            open += 1
            most = max(most, open)
            return .status(200)
        }
        stage.service.completed = { open -= $0 }
        let summary = try await stage.push(change: {
            $0.pace.requestsMax = 3
            $0.outstandingMax = 7
        })
        #expect(most == 3)
        #expect(summary.delivered == 50 && stage.position() == 50)
    }

    private var priorities: [String: String] {
        Dictionary(
            uniqueKeysWithValues: zip(
                stage.service.tokens, stage.service.requests.map { $0.request.header("apns-priority") ?? "" }))
    }
}
