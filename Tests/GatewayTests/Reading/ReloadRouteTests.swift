import Messages
import RecordLog
import Simulation
import TestSupport
import Testing
import Timelines

@testable import Gateway

@Suite("Reloads over HTTP")
struct ReloadRouteTests {
    private func revisions(_ answer: Answer) -> [Int] {
        (answer.object["items"] as? [[String: Any]] ?? []).compactMap { $0["revision"] as? Int }
    }

    private func cursor(_ answer: Answer) throws -> String { try #require(answer.object["cursor"] as? String) }

    @Test("whoever was offline gets what came since, page by page, from any server")
    func pages() throws {
        let cluster = ReadingCluster()
        let (one, other) = (try ReadingStage(on: cluster).start(), try ReadingStage(on: cluster).start())
        let start = try cursor(try one.get("/v1/reloads?recipient=ana"))
        for number in 1...25 {
            cluster.memory.reload("ana", number)
            cluster.memory.reload("ben", 100 + number)
        }
        try one.read()
        try other.read()
        var found: [Int] = []
        var cursor = start
        for page in 0..<4 {
            let answer = try (page % 2 == 0 ? one : other).get("/v1/reloads?recipient=ana&limit=10&since=\(cursor)")
            found += revisions(answer)
            #expect(answer.object["complete"] as? Bool == (page >= 2))
            cursor = try self.cursor(answer)
        }
        #expect(found == Array(1...25))
        #expect(try one.get("/v1/reloads?recipient=ana").object["complete"] as? Bool == true)
    }

    @Test("since an instant: those that were announced then or later")
    func instants() throws {
        let stage = try ReadingStage().start()
        for number in 1...5 {
            stage.cluster.reload("ana", number)
            stage.clock.advance(by: .seconds(60))
        }
        try stage.read()
        let answer = try stage.get("/v1/reloads?recipient=ana&since=2026-03-02T08:02:00Z&limit=2")
        #expect(revisions(answer) == [3, 4])
        #expect(revisions(try stage.get("/v1/reloads?recipient=ana&since=\(try cursor(answer))")) == [5])
        #expect(revisions(try stage.get("/v1/reloads?recipient=ana&since=2026-03-03T00:00:00Z")) == [])
    }

    @Test("what the window has dropped, by count or by age, makes an answer incomplete, and only then")
    func window() throws {
        let stage = try ReadingStage(on: ReadingCluster(partitions: 1)) { $0.reloadsMaximum = 10 }.start()
        let start = try cursor(try stage.get("/v1/reloads?recipient=ana"))
        for number in 1...10 { stage.cluster.reload("ana", number) }
        try stage.read()
        let whole = try stage.get("/v1/reloads?recipient=ana&since=\(start)")
        #expect(revisions(whole) == Array(1...10) && whole.object["complete"] as? Bool == true)
        stage.cluster.reload("ana", 11)
        try stage.read()
        let cut = try stage.get("/v1/reloads?recipient=ana&since=\(start)")
        #expect(revisions(cut) == Array(2...11) && cut.object["complete"] as? Bool == false)
        #expect(
            try stage.get("/v1/reloads?recipient=ana&since=\(try cursor(whole))").object["complete"] as? Bool == true)
        stage.clock.advance(by: .seconds(86_401))
        stage.cluster.reload("ben", 1)
        try stage.read()
        #expect(stage.context.views.counts.reloads == 1)
        let aged = try stage.get("/v1/reloads?recipient=ana&since=2026-03-02T08:00:00Z")
        #expect(revisions(aged) == [] && aged.object["complete"] as? Bool == false)
    }

    @Test("a server that starts later says that it does not know what the topic has dropped")
    func lateStart() throws {
        let cluster = ReadingCluster(partitions: 1)
        let early = try ReadingStage(on: cluster).start()
        let start = try cursor(try early.get("/v1/reloads?recipient=ana"))
        for number in 1...6 { cluster.memory.reload("ana", number) }
        try cluster.memory.makeAdmin().deleteRecords(before: [(.init("timeline.reloads", 0), 4)], timeout: .zero)
        let late = try ReadingStage(on: cluster).start()
        let answer = try late.get("/v1/reloads?recipient=ana&since=\(start)")
        #expect(revisions(answer) == [5, 6] && answer.object["complete"] as? Bool == false)
        #expect(try late.get("/v1/reloads?recipient=ana&since=r4").object["complete"] as? Bool == true)
        try cluster.memory.makeAdmin().deleteRecords(before: [(.init("timeline.reloads", 0), 6)], timeout: .zero)
        let none = try ReadingStage(on: cluster).start()
        #expect(try none.get("/v1/reloads?recipient=ana&since=r4").object["complete"] as? Bool == false)
        #expect(try none.get("/v1/reloads?recipient=ana&since=r6").object["complete"] as? Bool == true)
    }

    @Test("a cursor that is none, or of other topics, is refused by name")
    func wrong() throws {
        let stage = try ReadingStage().start()
        for since in ["x", "r", "r-1", "t1", "r1_t1", "r1_r1", "r%201", "2026-03-02", "r9223372036854775808zzz"] {
            let answer = try stage.get("/v1/reloads?recipient=ana&since=\(since)")
            #expect(answer.status == 400 && answer.wrongFields == ["since"], "\(since): \(answer.text)")
        }
        #expect(try stage.get("/v1/reloads").wrongFields == ["recipient"])
    }
}
