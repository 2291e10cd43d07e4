import Foundation
import HTTPClient
import Messages
import RecordLog
import Simulation
import Sinks
import Testing

@Suite("Pushes that fail for now")
struct PushRetryTests {
    private let stage = ReloadStage()

    @Test("are sent again, ever later: with half of the delay fixed and half drawn", arguments: [0.0, 0.5])
    func backsOff(random: Double) async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        stage.service.script([
            "aa01": [.status(500, "InternalServerError"), .status(503), .status(429, "TooManyRequests"), .status(500)]
        ])
        let summary = try await stage.push(random: { random })
        #expect(summary.retries == 4 && summary.delivered == 1)
        let half = [0.5, 1, 2, 4]
        #expect(pauses == half.map { .milliseconds(Int64($0 * 1000 * (1 + random))) })
        #expect(stage.position() == 1)
    }

    @Test("wait as long as Retry-After says, in seconds or as a date")
    func retryAfter() async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        // The simulation begins with the year 2026; that was a Thursday.
        stage.service.script([
            "aa01": [
                .status(429, "TooManyRequests", retryAfter: "7"),
                .status(503, retryAfter: "Thu, 01 Jan 2026 00:01:00 GMT"), .status(503, retryAfter: "soon"),
                .status(503, retryAfter: "Thursday, 01-Jan-26 00:02:00 GMT"),
                .status(503, retryAfter: "Thu Jan  1 00:03:00 2026"),
                .status(503, retryAfter: "Thu, 01 Jan 2147483000 00:00:00 GMT"),
            ]
        ])
        try await stage.push(change: { $0.pace.ageMax = .seconds(200_000) })
        #expect(pauses[0] == .seconds(7))
        #expect(stage.service.requests[2].at == .seconds(60))
        #expect(pauses[2] == .seconds(2))
        #expect(stage.service.requests[4].at == .seconds(120) && stage.service.requests[5].at == .seconds(180))
        #expect(pauses[5] == .seconds(86_400), "a server that asks for longer is not believed")
    }

    @Test("never wait longer than the longest back-off")
    func longest() async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        stage.service.script(["aa01": Array(repeating: .status(500), count: 40)])
        try await stage.push(change: { $0.pace.backoff.most = .seconds(20) })
        #expect(pauses.max() == .seconds(10))
    }

    @Test("keep the sink from reading on when their records have as many bytes as may wait", arguments: [1, 1 << 20])
    func bytes(most: Int) async throws {
        for device in ["a", "b", "c"] {
            stage.configure(device, token: device + device + "01")
            stage.reload(device, [device])
        }
        stage.service.respond = { _ in nil }
        var rounds = 0
        let summary = try await stage.push(
            stop: {
                rounds += 1
                return rounds > 200
            },
            change: {
                $0.reading.untilCaughtUp = false
                $0.reading.batchMaximum = 1
                $0.outstandingBytesMax = most
            })
        let expected = most == 1 ? 1 : 3
        #expect(summary.records == expected)
        #expect(summary.delivered == 0)
    }

    @Test("keep the sink from reading on sooner while memory is short", arguments: [false, true])
    func shortMemory(isShort: Bool) async throws {
        for number in 10..<50 {
            stage.configure("c\(number)", token: "aa\(number)")
            stage.reload("r\(number)", ["c\(number)"])
        }
        stage.service.respond = { _ in nil }
        var rounds = 0
        let summary = try await stage.push(
            stop: {
                rounds += 1
                return rounds > 1000
            }, memory: SteadyMemory(isShort: isShort),
            change: {
                $0.reading.untilCaughtUp = false
                $0.outstandingMax = 30
            })
        #expect(summary.records == (isShort ? 3 : 30))
    }

    @Test("take newer reloads of their device with them, and hold up no other device")
    func replaced() async throws {
        stage.configure("a", token: "aa01")
        stage.configure("b", token: "bb02")
        stage.reload("r", ["a"])
        stage.service.script(["aa01": Array(repeating: .status(429, "TooManyRequests", retryAfter: "60"), count: 1)])
        var rounds = 0
        let summary = try await stage.push(
            stop: {
                rounds += 1
                if rounds == 20 {
                    stage.reload("r", ["a"], reason: .requested)
                    stage.reload("other", ["b"])
                    stage.reload("r", ["a"])
                }
                return rounds > 2000 || (rounds > 40 && stage.position() == 4)
            }, change: { $0.reading.untilCaughtUp = false })
        #expect(stage.service.tokens == ["aa01", "bb02", "aa01"])
        #expect(stage.service.requests.last?.request.header("apns-priority") == "10")
        #expect(stage.service.requests[1].at < .seconds(30))
        #expect(summary.conflated == 2 && stage.position() == 4)
    }

    @Test("that fail while a newer reload of their device came take that with them, too", arguments: [200, 503])
    func comesMeanwhile(status: Int) async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        stage.service.latency = .milliseconds(100)
        stage.service.script(["aa01": [.status(status)]])
        var rounds = 0
        let summary = try await stage.push(
            stop: {
                if stage.service.requests.isEmpty { return false }
                rounds += 1
                if rounds == 1 { stage.reload("r", ["a"], reason: .requested) }
                return rounds > 200
            }, change: { $0.reading.untilCaughtUp = false })
        #expect(stage.service.requests.map { $0.request.header("apns-priority") } == ["5", "10"])
        #expect(summary.delivered == (status == 200 ? 2 : 1) && stage.position() == 2)
    }

    @Test("are not sent once no configuration names their token any more")
    func unwanted() async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        stage.service.respond = { _ in .status(503) }
        var rounds = 0
        let summary = try await stage.push(stop: {
            rounds += 1
            if rounds == 20 { stage.cluster.appendKeyed(ReloadStage.configurations, key: "a", value: nil) }
            return rounds > 5000
        })
        #expect(!summary.wasStopped && summary.skipped == 1 && stage.position() == 1)
    }

    @Test("hold up all that goes to a server that cannot be reached, which is told, and no other server")
    func unreachable() async throws {
        for number in 10..<30 {
            stage.configure("c\(number)", token: "aa\(number)")
            stage.reload("r", ["c\(number)"])
        }
        stage.configure("s", token: "bb02", environment: "sandbox")
        stage.reload("s", ["s"])
        var failures = 3
        stage.service.respond = { request in
            guard request.url.contains("//api.push"), failures > 0 else { return .status(200) }
            failures -= 1
            return .broken
        }
        let summary = try await stage.push(change: { $0.pace.requestsMax = 1 })
        #expect(summary.delivered == 21)
        #expect(stage.service.requests.count == 24, "each pause lets one request find out")
        let sandbox = stage.service.requests.first { $0.request.url.contains("sandbox") }
        #expect(sandbox.map { $0.at < .seconds(1) } == true)
        let holding = stage.notices.filter { if case .holding = $0 { true } else { false } }
        #expect(holding.count == 3 && holding[0].description.contains("api.push.apple.com"))
    }

    @Test("hold up no other device where a single one is never answered")
    func timesOut() async throws {
        stage.configure("a", token: "aa01")
        stage.configure("b", token: "bb02")
        stage.reload("r", ["a"])
        stage.reload("r", ["b"])
        stage.service.script(["aa01": [.failure(HTTPClientError(.timedOut, "no answer"))]])
        try await stage.push(random: { 0.9 }, change: { $0.pace.requestsMax = 1 })
        #expect(stage.service.tokens == ["aa01", "bb02", "aa01"])
        #expect(stage.service.requests[1].at - stage.service.requests[0].at < .milliseconds(100))
    }

    @Test("for the team's too many provider tokens, all wait for as long as Apple says")
    func throttledTeam() async throws {
        stage.configure("a", token: "aa01")
        stage.configure("b", token: "bb02")
        stage.reload("r", ["a"])
        stage.reload("r", ["b"])
        stage.service.script(["aa01": [.status(429, "TooManyProviderTokenUpdates", retryAfter: "600")]])
        try await stage.push(change: { $0.pace.requestsMax = 1 })
        #expect(stage.service.requests.dropFirst().allSatisfy { $0.at >= .seconds(600) })
        #expect(stage.position() == 2)
    }

    /// Between the attempts.
    private var pauses: [Duration] {
        let times = stage.service.requests.map(\.at)
        return zip(times.dropFirst(), times).map { $0 - $1 }
    }
}

/// Memory that is as short as the test says, for all the time.
private struct SteadyMemory: MemoryState {
    let isShort: Bool
    var trimCount: Int { 0 }

    func release() {}
}
