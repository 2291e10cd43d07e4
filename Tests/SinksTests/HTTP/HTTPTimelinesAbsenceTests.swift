import HTTPClient
import RecordLog
import Simulation
import Sinks
import Testing

@Suite("The sink of timelines over HTTP: a target that says of something that it is not there")
struct HTTPTimelinesAbsenceTests {
    private let stage = TimelineStage()
    private let base = "https://t.example/timelines"

    /// From now on the target answers 404 to everything, for so long.
    private func deploy(for time: Duration) {
        let end = stage.service.clock.now + time
        stage.fault = { [unowned stage] _ in stage.service.clock.now < end ? .status(404) : nil }
    }

    @Test(
        "while it says so of everything, none that is deleted is taken to be gone; it is gone in the end",
        arguments: [["courier", "c1"], ["c1", "courier"], ["courier"]], [1, 16])
    func deployed(changed: [String], concurrency: Int) throws {
        for id in ["courier", "c1"] { stage.append(id, 1) }
        try stage.run()
        #expect(stage.held.count == 2)
        deploy(for: .seconds(10))
        for id in changed {
            if id == "courier" { stage.append(id, value: nil) } else { stage.append(id, 2) }
        }
        let summary = try stage.run(change: { $0.pace.requestsMax = concurrency })
        #expect(stage.held.keys.sorted() == ["\(base)/c1"], "\(stage.sent)")
        #expect(summary.delivered == changed.count && summary.deadLetters == 0)
        #expect(stage.position == 2 + changed.count)
    }

    @Test("what a target took before says nothing, nor does what it takes after the answer: it is asked again")
    func between() throws {
        stage.append("courier", 1)
        try stage.run()
        stage.append("a", 1)
        stage.append("courier", value: nil)
        stage.append("b", 1)
        var hasAnswered = false
        stage.fault = { request in
            guard request.method == .DELETE, !hasAnswered else { return nil }
            hasAnswered = true
            return .status(410)
        }
        try stage.run(change: { $0.pace.requestsMax = 1 })
        #expect(stage.held.keys.sorted() == ["\(base)/a", "\(base)/b"])
        #expect(stage.sent.filter { $0 == "DELETE \(base)/courier" }.count == 2)
    }

    @Test("a run with nothing but what was never there ends, half a minute later; beside others, sooner")
    func neverThere() throws {
        let start = stage.service.clock.now
        for number in 0..<50 { stage.append("never-there-\(number)", value: nil) }
        let summary = try stage.run(change: { $0.pace.requestsMax = 4 })
        let alone = stage.service.clock.now - start
        #expect(summary.delivered == 50 && stage.position == 50 && stage.notices.isEmpty)
        #expect(alone >= .seconds(30) && alone < .seconds(40), "\(alone)")
        for number in 0..<50 { stage.append("never-there-\(number)", value: nil) }
        stage.append("a", 1)
        let between = stage.service.clock.now
        try stage.run(change: { $0.pace.requestsMax = 4 })
        #expect(stage.position == 101 && stage.service.clock.now - between < .seconds(10))
    }

    @Test("a target that turned away a timeline which is deleted then, and takes nothing else, is believed in the end")
    func turnedAwayAndDeleted() throws {
        deploy(for: .seconds(86_400))
        stage.append("a", 1)
        let start = stage.service.clock.now
        var hasDeleted = false
        var away: Set<String> = []
        let summary = try stage.run(
            stop: {
                if !hasDeleted, !stage.requests.isEmpty {
                    hasDeleted = true
                    stage.append("a", value: nil)
                }
                return false
            }, progress: { for host in $0.hostsAway { away.insert(host.reason) } })
        let time = stage.service.clock.now - start
        #expect(summary.deadLetters == 0 && stage.position == 2 && time >= .seconds(300) && time < .seconds(330))
        #expect(away.contains { $0.contains("status 404") } && away.contains { $0.contains("is not there") }, "\(away)")
    }

    @Test("a stop meanwhile leaves the position before it, and the next run asks again")
    func stopped() throws {
        stage.append("courier", 1)
        try stage.run()
        deploy(for: .seconds(3600))
        stage.append("courier", value: nil)
        try stage.run(rounds: 40)
        #expect(stage.position == 1 && stage.sent.last == "DELETE \(base)/courier")
        stage.fault = { _ in nil }
        try stage.run()
        #expect(stage.held.isEmpty && stage.position == 2)
    }

    @Test("where a timeline is stays in the ledger until it is taken to be gone from there")
    func ledger() throws {
        let address = "https://{recipient}.example/{configurationId}"
        stage.append("a", 1)
        try stage.run(address, hosts: ["*.example"])
        deploy(for: .seconds(10))
        stage.append("a", value: nil)
        var wasKept = false
        try stage.run(
            address, hosts: ["*.example"],
            stop: {
                if stage.sent.last == "DELETE https://ana.example/a", !stage.held.isEmpty {
                    wasKept = stage.kept["address/http/a"] != nil
                }
                return false
            })
        #expect(wasKept && stage.held.isEmpty && stage.kept["address/http/a"] == nil)
    }
}
