import Testing

@testable import Sinks

/// The pace of reloads that changes while a run goes on.
@Suite struct ReloadPaceTests {
    private let stage = ReloadStage()

    @Test("a pace that changes in a run counts from its next round")
    func change() async throws {
        for number in 10..<60 { stage.configure("c\(number)", token: "aa\(number)") }
        for number in 10..<60 { stage.reload("r\(number)", ["c\(number)"]) }
        var (open, most, answered) = (0, 0, 0)
        var mostOfFirst = 0
        stage.service.respond = { _ in
            open += 1
            most = max(most, open)
            if answered < 10 { mostOfFirst = max(mostOfFirst, open) }
            return .status(200)
        }
        stage.service.completed = {
            open -= $0
            answered += $0
        }
        let summary = try await stage.push(
            pace: {
                var pace = DeliveryPace()
                pace.gather = .zero
                pace.requestsMax = answered < 10 ? 1 : 5
                return pace
            })
        #expect(summary.delivered == 50)
        #expect(mostOfFirst == 1 && most == 5)
    }

    @Test("records that more requests would have sent are told with how long they have waited for their turn")
    func turns() throws {
        for number in 0..<20 { stage.reload("r\(number)", ["c"]) }
        stage.service.latency = .seconds(5)
        var waits: [Duration] = []
        let summary = try stage.post(
            change: { $0.pace.requestsMax = 1 }, progress: { waits.append($0.turnWait) })
        #expect(summary.delivered == 20)
        // Each is sent when the one before it is answered: the last after nineteen answers.
        let most = try #require(waits.max())
        #expect(most >= .seconds(85) && most <= .seconds(100), "\(most)")
        #expect(waits.last == .zero)
    }

    @Test("what waits for the back-off of its server waits for no turn")
    func backoff() throws {
        for number in 0..<20 { stage.reload("r\(number)", ["c"]) }
        let clock = stage.service.clock
        stage.service.respond = { _ in .status(clock.now < .seconds(120) ? 503 : 200) }
        var waits: [Duration] = []
        let summary = try stage.post(progress: { waits.append($0.turnWait) })
        #expect(summary.delivered == 20 && clock.now >= .seconds(120))
        #expect(waits.allSatisfy { $0 < .seconds(2) }, "\(waits.max() ?? .zero)")
    }
}
