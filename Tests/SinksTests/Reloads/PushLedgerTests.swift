import Foundation
import HTTPClient
import RecordLog
import Simulation
import Sinks
import TestSupport
import Testing

@Suite("The ledger of a sink of reloads")
struct PushLedgerTests {
    private let stage = ReloadStage()

    @Test("a position stays before what is not settled, and what was under way at a stop is sent again")
    func stopsBeforeTheUnsettled() async throws {
        stage.configure("a", token: "aa01")
        stage.configure("b", token: "bb02")
        // One partition, in this order.
        let places = [stage.reload("r", ["b"]), stage.reload("r", ["a"]), stage.reload("r", ["b"])]
        #expect(Set(places.map(\.partition)).count == 1)
        stage.service.respond = { $0.url.hasSuffix("aa01") ? nil : .status(200) }
        var rounds = 0
        let summary = try await stage.push(stop: {
            rounds += 1
            return rounds > 50
        })
        #expect(summary.wasStopped && summary.delivered >= 1)
        #expect(stage.position() == 1)
        stage.service.forget()
        stage.service.script([:])
        try await stage.push()
        #expect(Set(stage.service.tokens) == ["aa01", "bb02"])
        #expect(stage.position() == 3)
    }

    @Test("a stop waits for the answers to what was sent")
    func drains() async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        var isStopping = false
        stage.service.respond = { _ in
            isStopping = true
            return .status(200)
        }
        #expect(try await stage.push(stop: { isStopping }).delivered == 1)
        #expect(stage.position() == 1)
    }

    @Test("the ledger is made compacted, and another topic of its name is refused")
    func topic() async throws {
        try await stage.push()
        let admin = try stage.cluster.makeAdmin()
        let found = try admin.describeTopics([ReloadStage.ledger], timeout: .seconds(1))[ReloadStage.ledger]
        #expect(found?.settings["cleanup.policy"] == "compact" && found?.partitions == 1)

        let other = ReloadStage()
        other.cluster.createTopic(ReloadStage.ledger, partitions: 1, settings: [.init("cleanup.policy", "delete")])
        await #expect { try await other.push() } throws: {
            "\($0)".contains("must be compact: 'tideline topics --apply' sets it")
        }
    }

    @Test("sinks of different names keep positions of their own in one ledger")
    func names() async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        try await stage.push()
        try stage.post()
        #expect(stage.position("apns") == 1 && stage.position("hook") == 1)
        #expect(stage.service.requests.count == 2)
    }

    @Test("a second instance ends the first, which says so, and loses nothing")
    func fencing() async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        var rounds = 0
        var second: DeliverySummary?
        let key = try await ReloadStage.pem.value
        await #expect {
            try await stage.push(
                stop: {
                    rounds += 1
                    // Between the first's reading and its commit, on this very thread.
                    if rounds == 8 { second = try? stage.pushNow(key: key) }
                    if rounds == 12 { stage.reload("r", ["a"]) }
                    return rounds > 100
                }, change: { $0.reading.untilCaughtUp = false })
        } throws: {
            $0 as? DeliveryError == .replaced(name: "apns")
        }
        #expect(second?.wasStopped == false)
        try await stage.push()
        #expect(stage.position() == 2)
    }

    @Test(
        "whatever happens to a commit, dead letters are written once and positions move",
        arguments: [
            TransactionError.retriable(.init(.timedOut, name: "_TIMED_OUT", "no answer", isRetriable: true)),
            .abortable(.init(.other, name: "ABORT", "abort")), .fenced(.init(.other, name: "_FENCED", "timed out")),
            .fatal(.init(.fatal, name: "_FATAL", "fatal")),
        ], [FaultMoment.beforeEffect, .afterEffect])
    func commitFails(error: TransactionError, moment: FaultMoment) async throws {
        if case .abortable = error, moment == .afterEffect { return }
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        stage.service.respond = { _ in
            // The commit that follows is the one with the dead letter.
            stage.cluster.inject(error, into: .commit, moment)
            return .status(400, "BadDeviceToken")
        }
        let summary = try await stage.push()
        #expect(stage.cluster.pendingFaults.isEmpty)
        #expect(!summary.wasStopped && stage.deadLetters.count == 1)
        #expect(stage.position() == 1)
        #expect(stage.kept.keys.contains { $0.hasPrefix("retired/apns/") })
    }

    @Test("a producer that fails five times in a row ends the run")
    func failsForGood() async throws {
        stage.cluster.inject(.fatal(.init(.fatal, name: "_FATAL", "no rights")), into: .produce, times: 20)
        await #expect { try await stage.push() } throws: { "\($0)".contains("no rights") }
    }

    @Test("a kept position behind the end of the topic is told, and the topic is read from its beginning")
    func anotherTopic() async throws {
        stage.configure("a", token: "aa01")
        for _ in 0..<5 { stage.reload("r", ["a"]) }
        try await stage.push()
        let anew = ReloadStage()
        anew.configure("a", token: "aa01")
        anew.cluster.createTopic(ReloadStage.ledger, partitions: 1, settings: [.init("cleanup.policy", "compact")])
        let partition = anew.reload("r", ["a"]).partition
        anew.cluster.append(
            ReloadStage.ledger, 0, key: "position/apns/\(ReloadStage.reloads)/\(partition)", value: "5")
        try await anew.push()
        #expect(anew.service.tokens == ["aa01"] && anew.position() == 1)
        #expect(
            anew.notices.contains(
                .startedOver(TopicPartition(ReloadStage.reloads, partition), Offset(5), because: .behindEnd)))
    }

    @Test("whatever fails and whenever it stops, every reload is pushed, retired or a dead letter", arguments: 0..<40)
    func nothingIsLost(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let tokens = ["aa01", "bb02", "cc03", "dd04"]
        for token in tokens { stage.configure("c-\(token)", token: token) }
        /// By token, when it was last told with success.
        var told: [String: Duration] = [:]
        /// By token, when it was last to be told.
        var wanted: [String: Duration] = [:]
        var hasStopped = false
        stage.service.respond = { request in
            let token = String(request.url.suffix(4))
            stage.service.latency = .milliseconds(Int.random(in: 0...100, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0: return .status(503)
            case 1: return .broken
            case 2: return .status(429, "TooManyRequests", retryAfter: "3")
            case 3 where !hasStopped: return nil
            default:
                told[token] = stage.service.clock.now
                return .status(200)
            }
        }
        for _ in 0..<12 {
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let chosen = tokens.filter { _ in Bool.random(using: &random) }
                if chosen.isEmpty { continue }
                let recipient = "r\(Int.random(in: 0..<5, using: &random))"
                stage.reload(recipient, chosen.map { "c-\($0)" })
                for token in chosen { wanted[token] = stage.service.clock.now }
            }
            if Bool.random(using: &random) {
                let fault = LogError(.fatal, name: "_FATAL", "chance")
                let moment = Bool.random(using: &random) ? FaultMoment.beforeEffect : .afterEffect
                stage.cluster.inject(.fatal(fault), into: .commit, moment)
            }
            var rounds = Int.random(in: 0..<60, using: &random)
            try await stage.push(
                stop: {
                    rounds -= 1
                    return rounds < 0
                },
                change: {
                    $0.drainTimeout = .zero
                    $0.commitInterval = .milliseconds(40)
                })
        }
        hasStopped = true
        stage.cluster.cancelFaults()
        var rounds = 0
        let summary = try await stage.push(stop: {
            rounds += 1
            return rounds > 20_000
        })
        #expect(!summary.wasStopped, "something is never settled")
        for (token, moment) in wanted {
            #expect(told[token].map { $0 >= moment } == true, "\(token) is not told of its last reload")
        }
        let records = stage.cluster.records(ReloadStage.reloads).count
        #expect(stage.position() == records)
        #expect(stage.deadLetters.isEmpty)
    }
}
