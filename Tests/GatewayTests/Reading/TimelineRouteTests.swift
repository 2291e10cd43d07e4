import Messages
import RecordLog
import Simulation
import TestSupport
import Testing
import Timelines

@testable import Gateway

@Suite("Timelines over HTTP")
struct TimelineRouteTests {
    @Test("a timeline is the value as it was committed, with an entity tag of revision and generatedAt")
    func value() throws {
        let stage = try ReadingStage().start()
        stage.cluster.publish("a", revision: 3, at: "08:30")
        try stage.read()
        let answer = try stage.get("/v1/timelines/a")
        #expect(answer.bytes == stage.cluster.records("timelines").first?.value)
        let tag = "\"3-\(at("08:30").milliseconds)\""
        #expect(answer.header("ETag") == tag && answer.header("Content-Type") == "application/json")
        for known in [tag, "W/\(tag)", "\"1-1\", \(tag)", "*"] {
            let again = try stage.get("/v1/timelines/a", headers: ["If-None-Match": known])
            #expect(again.status == 304 && again.bytes.isEmpty && again.header("ETag") == tag, "\(known)")
        }
        #expect(try stage.get("/v1/timelines/a", headers: ["If-None-Match": "\"3-1\""]).status == 200)
        stage.cluster.publish("a", revision: 3, at: "08:31")
        try stage.read()
        #expect(try stage.get("/v1/timelines/a", headers: ["If-None-Match": tag]).status == 200)
    }

    @Test("Confluent framing is left out; ids that are the same to Swift alone are told apart")
    func bytes() throws {
        let stage = try ReadingStage().start()
        for id in ["e\u{301}", "\u{e9}"] { stage.cluster.publish(id, kind: "of \(id.unicodeScalars.count)") }
        let source = try #require(stage.cluster.records("timelines").first?.value)
        stage.cluster.append("timelines", 0, key: Array("framed".utf8), value: [0, 0, 0, 0, 7] + source)
        try stage.read()
        #expect(stage.context.views.counts.unreadable == 1, "the framed one names another id than its key")
        #expect(try stage.get("/v1/timelines/e%CC%81").object["kind"] as? String == "of 2")
        #expect(try stage.get("/v1/timelines/%C3%A9").object["kind"] as? String == "of 1")
        let framed = String(decoding: source, as: UTF8.self).replacing("e\u{301}", with: "framed")
            .replacing("\u{e9}", with: "framed")
        stage.cluster.append("timelines", 0, key: Array("framed".utf8), value: [0, 0, 0, 0, 7] + Array(framed.utf8))
        try stage.read()
        #expect(try stage.get("/v1/timelines/framed").text.first == "{")
    }

    @Test("pages ascend by id; after the last one there is no next")
    func pages() throws {
        let stage = try ReadingStage().start()
        let ids = (0..<1203).map { "c\($0)" }.sorted { $0.precedesByUTF8($1) }
        for id in ids.shuffledBySeed() {
            stage.cluster.publish(id, recipient: id.hasSuffix("7") ? "seven" : id, kind: id.hasSuffix("3") ? "K3" : "K")
        }
        for id in ids where id.hasSuffix("9") { stage.cluster.delete(id) }
        try stage.read()
        let there = ids.filter { !$0.hasSuffix("9") }
        #expect(try all(of: "/v1/timelines?limit=100", stage) == there)
        #expect(try all(of: "/v1/timelines?kind=K3&limit=7", stage) == there.filter { $0.hasSuffix("3") })
        #expect(try all(of: "/v1/timelines?recipient=seven&limit=500", stage) == there.filter { $0.hasSuffix("7") })
        #expect(try all(of: "/v1/recipients/seven/timelines?limit=11", stage) == there.filter { $0.hasSuffix("7") })
        #expect(try stage.get("/v1/timelines?recipient=nobody").items("configurationId") == [])
        let full = try stage.get("/v1/recipients/c13/timelines?full=true")
        let first = try #require((full.object["items"] as? [[String: Any]])?.first)
        #expect((first["entries"] as? [Any])?.count == 2)
        let short = try #require((try stage.get("/v1/timelines?limit=1").object["items"] as? [[String: Any]])?.first)
        #expect(short["entries"] == nil && short["nextUpdate"] as? String == at("10:00").rfc3339)
    }

    private func all(of target: String, _ stage: ReadingStage) throws -> [String] {
        var ids: [String] = []
        var next: String?
        repeat {
            let answer = try stage.get(target + (next.map { "&after=\($0)" } ?? ""))
            ids += answer.items("configurationId")
            next = answer.object["next"] as? String
        } while next != nil
        return ids
    }

    @Test("a timeline that goes to another recipient is listed there alone")
    func moved() throws {
        let stage = try ReadingStage().start()
        stage.cluster.publish("a", recipient: "ana", kind: "K")
        stage.cluster.publish("a", recipient: "ben", kind: "L", revision: 2)
        try stage.read()
        #expect(try stage.get("/v1/recipients/ana/timelines").items("configurationId") == [])
        #expect(try stage.get("/v1/recipients/ben/timelines").items("configurationId") == ["a"])
        #expect(try stage.get("/v1/timelines?kind=K").items("configurationId") == [])
        #expect(try stage.get("/v1/kinds").items("kind") == ["L"])
    }

    @Test("since a revision: the entries that changed, the ids that are gone; all of them if that is not known")
    func since() throws {
        let stage = try ReadingStage().start()
        func changes(_ since: Int) throws -> (complete: Bool?, entries: [String], removed: [String]) {
            let object = try stage.get("/v1/timelines/a?since=\(since)").object
            let entries = (object["entries"] as? [[String: Any]] ?? []).compactMap { $0["message"] as? String }
            return (object["complete"] as? Bool, entries, object["removed"] as? [String] ?? [])
        }
        stage.cluster.publish("a", revision: 5, entries: [("08:00", "a"), ("09:00", "b"), ("10:00", "c")])
        try stage.read()
        stage.cluster.publish("a", revision: 6, entries: [("08:00", "a"), ("09:00", "B"), ("10:00", "c")])
        try stage.read()
        stage.cluster.publish("a", revision: 7, entries: [("09:00", "B"), ("10:00", "c"), ("11:00", "d")])
        try stage.read()
        let eight = "tick/\(at("08:00").rfc3339)"
        let five = try changes(5)
        #expect(five.complete == false && five.entries == ["B", "d"] && five.removed == [eight])
        let six = try changes(6)
        #expect(six.complete == false && six.entries == ["d"] && six.removed == [eight])
        let seven = try changes(7)
        #expect(seven.complete == false && seven.entries.isEmpty && seven.removed.isEmpty)
        for unknown in [0, 4, 8] {
            let all = try changes(unknown)
            #expect(all.complete == true && all.entries == ["B", "c", "d"] && all.removed.isEmpty, "\(unknown)")
        }
        // Made again under its revision, with other bytes: whoever has the first one of it gets the difference.
        stage.cluster.publish("a", revision: 7, entries: [("09:00", "B"), ("10:00", "c"), ("11:00", "D")])
        try stage.read()
        #expect(try changes(7).entries == ["D"])
    }

    @Test("applying what changed gives the timeline, whatever it was before", arguments: [1, 2, 3, 4])
    func sinceProperty(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let stage = try ReadingStage().start()
        var versions: [[String: String]] = []
        for revision in 1...60 {
            let entries = (8...19).filter { _ in Int.random(in: 0..<4, using: &random) > 0 }.map { hour in
                (time: hour < 10 ? "0\(hour):00" : "\(hour):00", text: "\(Int.random(in: 0..<3, using: &random))")
            }
            guard !entries.isEmpty else { continue }
            stage.cluster.publish("a", revision: revision, entries: entries)
            try stage.read()
            versions.append(Dictionary(uniqueKeysWithValues: entries.map { ("tick/\(at($0.time).rfc3339)", $0.text) }))
        }
        let newest = try #require(versions.last)
        for (index, version) in versions.enumerated() {
            let object = try stage.get("/v1/timelines/a?since=\(index + 1)").object
            var copy = object["complete"] as? Bool == true ? [:] : version
            for id in object["removed"] as? [String] ?? [] { copy[id] = nil }
            for entry in object["entries"] as? [[String: Any]] ?? [] {
                copy[entry["id"] as? String ?? ""] = entry["message"] as? String
            }
            #expect(copy == newest, "since \(index + 1), seed \(seed)")
        }
    }
}

extension [String] {
    /// The elements in another order, always the same one.
    func shuffledBySeed() -> [String] {
        var random = SplitMix64(seed: 7)
        return shuffled(using: &random)
    }
}
