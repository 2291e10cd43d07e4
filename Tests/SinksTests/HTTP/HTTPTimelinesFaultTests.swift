import Foundation
import HTTPClient
import RecordLog
import Simulation
import Sinks
import Testing

@Suite("The sink of timelines over HTTP: faults")
struct HTTPTimelinesFaultTests {
    private let stage = TimelineStage()
    private let base = "https://t.example/timelines"

    @Test("a target that is down at the start, for long and in the middle costs nothing but time")
    func down() throws {
        for number in 0..<20 { stage.append("c\(number)", 1) }
        stage.fault = { [unowned stage] _ in stage.service.clock.now < .seconds(7200) ? .broken : nil }
        let summary = try stage.run()
        #expect(summary.delivered == 20 && summary.deadLetters == 0 && stage.held.count == 20)
        #expect(stage.notices.count { if case .holding = $0 { true } else { false } } < 200)
        for number in 0..<20 { stage.append("c\(number)", 2) }
        var count = 0
        stage.fault = { _ in
            count += 1
            return (8..<40).contains(count) ? .broken : nil
        }
        try stage.run()
        for number in 0..<20 {
            #expect(stage.held["\(base)/c\(number)"] == TimelineStage.timeline("c\(number)", 2))
        }
    }

    @Test(
        "one that turns all away is waited for, which is told once, and once when it is over",
        arguments: [401, 402, 403, 404, 405, 410, 421, 423, 426])
    func turnsAway(status: Int) throws {
        for number in 0..<5 { stage.append("c\(number)", 1) }
        var count = 0
        stage.fault = { _ in
            count += 1
            return count < 9 ? .status(status) : nil
        }
        let summary = try stage.run()
        #expect(summary.delivered == 5 && summary.deadLetters == 0 && stage.position == 5)
        #expect(stage.notices.count == 2 && "\(stage.notices[0])".contains("the target at t.example: status \(status)"))
        #expect("\(stage.notices[1])".contains("takes records again, after "))
    }

    @Test("a proxy on the way that wants credentials holds up all for the host, and no timeline is a dead letter")
    func proxy() throws {
        for number in 0..<5 { stage.append("c\(number)", 1) }
        stage.fault = { [unowned stage] _ in stage.service.clock.now < .seconds(7200) ? .status(407) : nil }
        let summary = try stage.run(change: { $0.pace.ageMax = .seconds(60) })
        #expect(summary.delivered == 5 && summary.deadLetters == 0 && stage.position == 5)
        let (told, over) = (try #require(stage.notices.first), try #require(stage.notices.last))
        #expect(told.description.contains("t.example: status 407, a proxy on the way wants credentials"))
        #expect(over.description.contains("takes records again, after "))
    }

    @Test("one that is told of all and redirects ends the run before the position of what it did not take")
    func redirects() throws {
        stage.append("a", 1)
        stage.fault = { _ in .status(308) }
        #expect { try stage.run(base) } throws: { "\($0)".contains("redirections are not followed") }
        #expect(stage.position == 0)
    }

    @Test("what was sent before a kill is not followed by something older: what there was at the start is read first")
    func neverBack() throws {
        stage.append("stuck", 1)
        stage.append("a", 1)
        // The first is never answered, so the position stays before it.
        stage.service.respond = { [unowned stage] request in
            request.url.hasSuffix("/stuck") ? nil : stage.take(request)
        }
        for revision in 2...6 {
            stage.append("a", revision)
            try stage.run(rounds: 60)
        }
        #expect(stage.position == 0 && stage.held["\(base)/a"] == TimelineStage.timeline("a", 6))
        stage.service.respond = { [unowned stage] in stage.take($0) }
        stage.append("b", 1)
        try stage.run(change: { $0.reading.batchMaximum = 1 })
        let revisions = stage.requests.filter { $0.url.hasSuffix("/a") }
            .compactMap { Int($0.header("ce-revision") ?? "") }
        #expect(revisions == revisions.sorted(), "\(revisions)")
        #expect(stage.position == stage.cluster.records(TimelineStage.timelines).count)
        let ids = Dictionary(grouping: stage.requests) { $0.header("ce-revision") ?? "" }
            .mapValues { Set($0.filter { $0.url.hasSuffix("/a") }.map { $0.header("webhook-id") }).count }
        #expect(ids.values.allSatisfy { $0 <= 1 }, "redelivered with the same id: \(ids)")
    }

    @Test("a stop waits for the answers to what was sent, and the next run goes on behind them")
    func stops() throws {
        for number in 0..<5 { stage.append("c\(number)", 1) }
        stage.service.latency = .milliseconds(900)
        var isStopping = false
        stage.fault = { _ in
            isStopping = true
            return nil
        }
        let summary = try stage.run(stop: { isStopping })
        #expect(summary.wasStopped && summary.delivered == 5 && stage.position == 5)
        #expect(try stage.run().records == 0)
    }

    @Test("a second instance ends the first, which says so; nothing is lost")
    func fences() throws {
        stage.append("a", 1)
        var rounds = 0
        #expect {
            try stage.run(
                stop: {
                    rounds += 1
                    if rounds == 8 { _ = try? stage.run() }
                    if rounds == 12 { stage.append("a", 2) }
                    return rounds > 200
                }, change: { $0.reading.untilCaughtUp = false })
        } throws: {
            $0 as? DeliveryError == .replaced(name: "http")
        }
        try stage.run()
        #expect(stage.position == 2 && stage.held["\(base)/a"] == TimelineStage.timeline("a", 2))
    }

    @Test("one whose positions are taken away ends, and may begin again; one that was replaced may not")
    func reset() throws {
        stage.append("a", 1)
        var rounds = 0
        #expect {
            try stage.run(
                stop: {
                    rounds += 1
                    if rounds == 8 { #expect(throws: Never.self) { try takeAway() } }
                    if rounds == 12 { stage.append("a", 2) }
                    return rounds > 200
                }, change: { $0.reading.untilCaughtUp = false })
        } throws: {
            $0 as? DeliveryError == .reset(name: "http")
        }
        #expect(!DeliveryError.reset(name: "http").isFinal && DeliveryError.replaced(name: "http").isFinal)
        #expect(try stage.run().records == 2)
    }

    private func takeAway() throws {
        let requests = PatientRequests(clock: stage.service.clock, shouldStop: { false })
        try LedgerReset(application: "app", cluster: stage.cluster, requests: requests).reset("http")
    }

    @Test("a host whose name cannot be found is waited for, and said in other words than one that does not answer")
    func unknownHost() throws {
        stage.append("a", 1)
        var count = 0
        stage.fault = { _ in
            count += 1
            return count < 4 ? .failure(HTTPClientError(.unknownHost, "Couldn't resolve host name")) : nil
        }
        #expect(try stage.run().delivered == 1)
        let told = stage.notices.compactMap { if case .holding(let reason, _) = $0 { reason } else { nil } }
        #expect(
            told.first == "t.example: the name of the host cannot be found (Couldn't resolve host name): see whether"
                + " the address is spelt right, and DNS answers")
    }

    @Test("a topic that was made again while it is read, and filled beyond the position, is sent from its beginning")
    func recreatedMeanwhile() throws {
        for number in 1...3 { stage.append("old\(number)", 1) }
        var rounds = 0
        let summary = try stage.run(
            stop: {
                rounds += 1
                if rounds == 50 {
                    stage.cluster.recreateTopic(TimelineStage.timelines)
                    for number in 1...6 { stage.append("new\(number)", 1) }
                    stage.time.advance(by: .seconds(31))
                }
                return rounds > 200
            }, change: { $0.reading.untilCaughtUp = false })
        #expect(summary.startedOver == 1 && stage.position == 6, "\(stage.notices)")
        for number in 1...6 { #expect(stage.held["\(base)/new\(number)"] != nil, "\(number)") }
    }

    @Test("a topic that was made again is sent from its beginning, under ids of its own")
    func recreated() throws {
        for revision in 1...3 { stage.append("a", revision) }
        try stage.run()
        stage.cluster.recreateTopic(TimelineStage.timelines)
        for revision in 1...3 { stage.append("a", revision + 10) }
        let summary = try stage.run()
        #expect(summary.startedOver == 1 && stage.held["\(base)/a"] == TimelineStage.timeline("a", 13))
        #expect(Set(stage.requests.map { $0.header("webhook-id") }).count == stage.requests.count)
    }
}
