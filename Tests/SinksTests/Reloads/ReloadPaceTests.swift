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
}
