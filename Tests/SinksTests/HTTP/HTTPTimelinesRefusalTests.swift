import HTTPClient
import RecordLog
import Simulation
import Sinks
import Testing

@Suite("The sink of timelines over HTTP: targets that refuse one timeline after the other")
struct HTTPTimelinesRefusalTests {
    private let stage = TimelineStage()

    private var turnedAway: [String] {
        stage.notices.filter { if case .turnedAway = $0 { true } else { false } }.map(\.description)
    }

    @Test("all alike: the target is waited for, which is told once, and few are dead letters", arguments: [1, 50])
    func misconfigured(batch: Int) throws {
        for number in 0..<200 { stage.append("c\(number)", 1) }
        stage.fault = { [unowned stage] _ in stage.service.clock.now < .seconds(3000) ? .status(400) : nil }
        let address = "https://t.example/v1/" + (batch == 1 ? "{configurationId}" : "told") + "?key=hunter2"
        let summary = try stage.run(address, batch: batch, change: { $0.pace.requestsMax = 16 })
        #expect(summary.deadLetters == 19 && stage.deadLetters.count == 19)
        #expect(summary.delivered == 181 && stage.position == 200)
        #expect(turnedAway.count == 1, "\(stage.notices)")
        let told = try #require(turnedAway.first)
        let path = batch == 1 ? "/v1/{configurationId}?…" : "/v1/told?…"
        #expect(told.contains("t.example: status 400 for \(path), 20 records in a row"), "\(told)")
        #expect(told.contains("Those before this one are dead letters: 'tideline dead-letters replay'"), "\(told)")
        #expect(told.hasSuffix("; what waits is tried again until one is taken") && !told.contains("nothing is lost"))
        #expect(told.contains("webhook.refusals=0") && !told.contains("hunter2"), "\(told)")
        #expect(stage.notices.last?.description.hasPrefix("t.example takes records again, after ") == true)
    }

    @Test("when it takes another, those that it refused before are dead letters, however many they are")
    func wrongRecords() throws {
        for number in 0..<100 { stage.append("bad\(number)", 1) }
        stage.append("good", 1)
        stage.fault = { $0.url.contains("/bad") ? .status(422) : nil }
        let summary = try stage.run(change: { $0.pace.requestsMax = 16 })
        #expect(summary.deadLetters == 100 && summary.delivered == 1 && stage.position == 101)
        let good = try #require(stage.service.requests.first { $0.request.url.hasSuffix("/good") })
        #expect(good.at < .seconds(60))
    }

    @Test("in batches, too: by what is taken behind them, or by what comes later", arguments: [true, false])
    func wrongInBatches(areFirst: Bool) throws {
        let bad = (0..<40).map { "bad\($0)" }
        let good = (0..<40).map { "c\($0)" }
        for id in areFirst ? bad + good : good + bad { stage.append(id, 1) }
        stage.fault = { [unowned stage] request in
            let isBad = stage.subjects(request).contains { $0.hasPrefix("bad") }
            return isBad ? .status(422) : nil
        }
        var hasAppended = false
        let summary = try stage.run(
            "https://t.example/told", batch: 8,
            stop: {
                if stage.service.clock.now > .seconds(10), !hasAppended {
                    hasAppended = true
                    stage.append("late", 1)
                }
                return false
            }, change: { $0.pace.requestsMax = 16 })
        #expect(hasAppended != areFirst && summary.deadLetters == 40)
        #expect(summary.delivered == (areFirst ? 40 : 41) && stage.position == (areFirst ? 80 : 81))
    }

    @Test("none waits where the answers differ, or nobody wants that")
    func neverWaits() throws {
        for (statuses, most) in [([400, 422], 20), ([400], 0)] {
            let stage = TimelineStage()
            for number in 0..<100 { stage.append("c\(number)", 1) }
            stage.fault = { [unowned stage] _ in .status(statuses[stage.requests.count % statuses.count]) }
            let summary = try stage.run(change: { $0.pace.declinedMax = most })
            #expect(summary.deadLetters == 100 && stage.position == 100)
            #expect(try #require(stage.service.requests.last).at < .seconds(100))
        }
    }

    @Test(
        "a target that knows no such address is told of with the path, without what of it may be a secret",
        arguments: [
            ("https://t.example/timelines/{configurationId}", "/timelines/{configurationId}"),
            ("https://t.example/T0001/xoxb-hunter2-long/{configurationId}?key=hunter2", "/T0001/…/{configurationId}?…"),
            ("https://t.example/xoxb-hunter2-{configurationId}", "/…"), ("https://t.example", "/"),
        ])
    func path(address: String, shown: String) throws {
        stage.append("c", 1)
        stage.fault = { _ in .status(404) }
        try stage.run(
            address, stop: { !stage.notices.isEmpty || stage.service.clock.now > .seconds(60) },
            change: { $0.reading.untilCaughtUp = false })
        let told = try #require(stage.notices.first).description
        #expect(told.contains("t.example: status 404 for \(shown); look at its address"), "\(told)")
        #expect(!told.contains("hunter2") && stage.deadLetters.isEmpty)
    }
}
