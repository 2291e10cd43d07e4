import Messages
import RecordLog
import Simulation
import Sinks
import Testing

@Suite("Pushes that wait for more to go with them")
struct PushGatherTests {
    private let stage = ReloadStage()

    @Test("stand for the reloads of their device that come within that time of the first", arguments: [1, 0])
    func gathers(seconds: Int) async throws {
        try await comeApart { $0.pace.gather = .seconds(seconds) }
        #expect(stage.service.tokens == Array(repeating: "aa01", count: seconds == 0 ? 6 : 2))
        let times = stage.service.requests.map(\.at)
        if seconds > 0 { #expect(times[0] >= .seconds(1) && times[0] < .seconds(2)) }
        #expect(stage.position() == 6)
    }

    @Test("do so too where they come while another push is under way")
    func underWay() async throws {
        stage.service.latency = .milliseconds(300)
        try await comeApart { $0.pace.gather = .seconds(1) }
        #expect(stage.service.tokens == ["aa01", "aa01"])
        #expect(stage.position() == 6)
    }

    @Test("go at once when all is read that is to be sent, and when there is no room to read more", arguments: [2, 50])
    func flushes(room: Int) async throws {
        stage.configure("a", token: "aa01")
        for _ in 0..<10 { stage.reload("r", ["a"]) }
        try await stage.push(change: {
            $0.pace.gather = .seconds(60)
            $0.outstandingMax = room
        })
        #expect(stage.service.tokens.count == (room == 2 ? 5 : 1))
        #expect(stage.service.requests.allSatisfy { $0.at < .seconds(10) })
        #expect(stage.position() == 10)
    }

    /// Four reloads of one device within a second, some time after that two more.
    private func comeApart(_ change: (inout DeliverySettings) -> Void) async throws {
        stage.configure("a", token: "aa01")
        let start = stage.service.clock.now
        var due: [Duration] = [0, 200, 400, 600, 5000, 5500].map { start + .milliseconds($0) }
        try await stage.push(
            stop: {
                stage.time.advance(by: .milliseconds(10))
                while let first = due.first, stage.service.clock.now >= first {
                    stage.reload("r", ["a"])
                    due.removeFirst()
                }
                return stage.service.clock.now > start + .seconds(12)
            },
            change: {
                $0.reading.untilCaughtUp = false
                change(&$0)
            })
    }
}
