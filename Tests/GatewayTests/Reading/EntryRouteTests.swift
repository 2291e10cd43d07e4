import Messages
import Positions
import Simulation
import TestSupport
import Testing
import Timelines
import Times

@testable import Gateway

@Suite("Entries over HTTP")
struct EntryRouteTests {
    /// Ticks at 30 minutes' distance from 08:00, so many.
    private func stage(entries count: Int) throws -> ReadingStage {
        let stage = try ReadingStage { $0.positions.scrollBufferSize = 6 }.start()
        let entries = (0..<count).map { index in
            let minutes = 8 * 60 + index * 30
            let text = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
            return (time: "\(text(minutes / 60)):\(text(minutes % 60))", text: "\(index)")
        }
        stage.cluster.publish("a", entries: entries)
        try stage.read()
        return stage
    }

    private func window(_ answer: Answer) -> (items: [Int], first: Int?, total: Int?, position: Int?) {
        let items = answer.items("message").compactMap { Int($0) }
        let object = answer.object
        return (items, object["first"] as? Int, object["total"] as? Int, object["position"] as? Int)
    }

    private func id(_ index: Int) -> String {
        let minutes = 8 * 60 + index * 30
        let instant = at("00:00") + ElapsedTime.minutes(Int64(minutes))
        return "tick/\(instant.rfc3339)"
    }

    @Test(
        "around an entry: scrollBufferSize entries, renderAheadCount after it where there are so many",
        arguments: [(0, 0, 5), (1, 1, 6), (10, 10, 15), (3, 3, 8), (18, 14, 19), (19, 14, 19)])
    func around(index: Int, first: Int, last: Int) throws {
        let stage = try stage(entries: 20)
        let found = window(try stage.get("/v1/timelines/a/entries?around=\(id(index))"))
        #expect(found.items.contains(index) && found.position == index && found.total == 20)
        #expect(found.items.count == 6 && found.items == Array(first...last), "\(found)")
        #expect(found.first == first)
    }

    @Test("a short timeline is given whole; pages by offset go on to its end")
    func small() throws {
        let stage = try stage(entries: 4)
        #expect(window(try stage.get("/v1/timelines/a/entries?around=\(id(2))")).items == [0, 1, 2, 3])
        #expect(window(try stage.get("/v1/timelines/a/entries?offset=1&limit=2")).items == [1, 2])
        #expect(window(try stage.get("/v1/timelines/a/entries?offset=3")).items == [3])
        let behind = window(try stage.get("/v1/timelines/a/entries?offset=9"))
        #expect(behind.items == [] && behind.total == 4)
        #expect(try stage.get("/v1/timelines/a/entries?around=tick/none").status == 404)
        let both = try stage.get("/v1/timelines/a/entries?around=x&offset=1")
        #expect(both.status == 400 && both.wrongFields == ["around"])
    }

    @Test("the entry in force at an instant is the last whose date has come, with the one after it")
    func inForce() throws {
        let stage = try stage(entries: 3)
        func entry(_ target: String, _ key: String) throws -> String? {
            (try stage.get(target).object[key] as? [String: Any])?["message"] as? String
        }
        let path = "/v1/timelines/a/at?instant="
        #expect(try entry(path + "2026-03-02T08:29:59Z", "entry") == "0")
        #expect(try entry(path + "2026-03-02T08:30:00Z", "entry") == "1")
        #expect(try entry(path + "2026-03-02T08:30:00Z", "next") == "2")
        #expect(try entry(path + "2026-03-02T09:30:00%2B01:00", "entry") == "1", "an offset")
        #expect(try entry(path + "2026-03-03T00:00:00Z", "entry") == "2")
        #expect(try entry(path + "2026-03-03T00:00:00Z", "next") == nil)
        #expect(try entry(path + "\(at("08:45").milliseconds)", "entry") == "1", "milliseconds")
        #expect(try stage.get(path + "2026-03-02T07:59:59Z").status == 404)
        for wrong in ["", "tomorrow", "2026-03-02", "2026-02-30T00:00:00Z"] {
            let answer = try stage.get(path + wrong)
            #expect(answer.status == 400 && answer.wrongFields == ["instant"], "\(wrong)")
        }
        #expect(try stage.get("/v1/timelines/a/at").wrongFields == ["instant"])
        stage.clock.advance(by: .seconds(45 * 60))
        #expect(try entry("/v1/timelines/a/snapshot", "entry") == "1")
        #expect(try entry("/v1/timelines/a/snapshot", "next") == nil)
    }

    @Test("upcoming entries are dated after now; a phase that nobody knows is refused with those that are")
    func upcoming() throws {
        let stage = try stage(entries: 6)
        stage.clock.advance(by: .seconds(3600))
        #expect(try stage.get("/v1/timelines/a/upcoming").items("message") == ["3", "4", "5"])
        #expect(try stage.get("/v1/timelines/a/upcoming?limit=2&phase=tick").items("message") == ["3", "4"])
        #expect(try stage.get("/v1/timelines/a/upcoming?phase=start").items("message") == [])
        let wrong = try stage.get("/v1/timelines/a/upcoming?phase=strat")
        #expect(wrong.status == 400 && wrong.text.contains("did you mean start?"))
    }
}
