import HTTPClient
import RecordLog
import Simulation
import Sinks
import Testing

/// A position of a sink of reloads knows of which cluster and which topic it is one.
@Suite("The places in a sink's ledger")
struct PushPlaceTests {
    private let stage = ReloadStage()

    private func sendAndMakeAnew() async throws {
        stage.configure("a", token: "aa01")
        for _ in 0..<3 { stage.reload("r", ["a"]) }
        try await stage.push()
        #expect(stage.position() == 3)
        stage.cluster.recreateTopic(ReloadStage.reloads)
        stage.service.forget()
        stage.notices = []
    }

    @Test("a topic of reloads that was made anew is sent from its beginning, though it is longer than before")
    func recreated() async throws {
        try await sendAndMakeAnew()
        for _ in 0..<5 { stage.reload("r", ["a"]) }
        let summary = try await stage.push()
        #expect(summary.records == 5 && summary.startedOver == 1)
        let told = stage.notices.contains {
            if case .startedOver(_, Offset(3), because: .otherRecord) = $0 { true } else { false }
        }
        #expect(told, "\(stage.notices)")
        #expect(stage.position() == 5)
        let again = try await stage.push()
        #expect(again.records == 0)
    }

    @Test("a topic that is made anew while its records wait for their target is sent anew, and counts alone")
    func recreatedMeanwhile() throws {
        func append(_ key: String, _ value: String) {
            stage.cluster.append(ReloadStage.reloads, 0, key: key, value: value)
        }
        for key in ["a", "b", "c"] { append(key, "old") }
        stage.service.respond = { _ in .status(503) }
        var rounds = 0
        try stage.post(stop: {
            rounds += 1
            if rounds == 20 {
                stage.cluster.recreateTopic(ReloadStage.reloads)
                for key in ["c", "d"] { append(key, "new") }
            }
            if rounds == 40 { stage.service.respond = { _ in .status(200) } }
            return rounds > 400
        }) { $0.reading.untilCaughtUp = false }
        let bodies = stage.service.requests.filter { $0.request.body == Array("new".utf8) }
        #expect(bodies.count >= 2)
        #expect(stage.position("hook") == 2)
        let rest = try stage.post()
        #expect(rest.startedOver == 0 && rest.records == 0)
    }

    @Test("a place of another cluster is refused by name until that is accepted; a position without a place is read on")
    func cluster() async throws {
        stage.configure("a", token: "aa01")
        stage.reload("r", ["a"])
        try await stage.push()
        let place = try #require(stage.kept.first { $0.key.hasPrefix("place/apns/") })
        #expect(place.value.hasPrefix("1 memory 0 "))
        stage.cluster.append(ReloadStage.ledger, 0, key: place.key, value: "1 elsewhere")
        await #expect(throws: DeliveryError.otherCluster(kept: "elsewhere", present: "memory")) {
            try await stage.push()
        }
        stage.reload("r", ["a"])
        stage.reload("s", ["a"])
        let accepted = try await stage.push(change: { $0.reading.acceptsMovedCluster = true })
        let after = try await stage.push()
        #expect(accepted.records == 2 && after.records == 0, "accepted once for all")
        // A release without places moved the position.
        stage.cluster.append(ReloadStage.ledger, 0, key: place.key, value: "7 elsewhere 6 1 ff")
        let moved = try await stage.push()
        #expect(moved.startedOver == 0)
    }

    @Test("before what is not settled the place names the last record that is")
    func unsettled() async throws {
        stage.configure("a", token: "aa01")
        stage.configure("b", token: "bb02")
        stage.reload("r", ["b"])
        stage.reload("r", ["a"])
        stage.reload("r", ["b"])
        stage.service.respond = { $0.url.hasSuffix("aa01") ? nil : .status(200) }
        var rounds = 0
        try await stage.push(stop: {
            rounds += 1
            return rounds > 50
        })
        let place = try #require(stage.kept.first { $0.key.hasPrefix("place/apns/") }?.value)
        #expect(place.hasPrefix("1 memory 0 "), "\(place)")
        stage.service.script([:])
        let rest = try await stage.push()
        #expect(rest.startedOver == 0)
        #expect(stage.position() == 3)
    }

    @Test("of thousands behind a reload that is not answered little is kept, and the place before it stays right")
    func thousandsBehind() throws {
        func append(_ key: String, _ value: String) {
            stage.cluster.append(ReloadStage.reloads, 0, key: key, value: value)
        }
        append("a", "first")
        append("b", "stuck")
        for number in 0..<6000 { append("r\(number % 100)", "well") }
        append("c", "stuck")
        for number in 0..<6000 { append("r\(number % 100)", "well") }
        stage.service.respond = { $0.body == Array("stuck".utf8) ? nil : .status(200) }
        var rounds = 0
        try stage.post(stop: {
            rounds += 1
            return rounds > 10_000 || stage.service.requests.count >= 12_003
        })
        #expect(stage.service.requests.count == 12_003)
        let place = try #require(stage.kept.first { $0.key.hasPrefix("place/hook/") }?.value)
        #expect(place.hasPrefix("1 memory 0 "), "\(place)")
        stage.service.respond = { _ in .status(200) }
        let rest = try stage.post()
        #expect(rest.startedOver == 0 && stage.position("hook") == 12_003)
    }
}
