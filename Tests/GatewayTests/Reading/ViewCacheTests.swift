import Foundation
import Messages
import RecordLog
import SQLite
import Simulation
import TestSupport
import Testing

@testable import Gateway

@Suite("A cache file makes the next start warm")
struct ViewCacheTests {
    private let path = TemporaryDirectory.make("cache").appending(path: "views.sqlite").path

    /// Closes the file as the end of a process would, written or not.
    private func run(
        _ cluster: ReadingCluster, flushes: Bool = true, _ body: (ReadingStage) throws -> Void = { _ in }
    ) throws {
        let stage = try ReadingStage(on: cluster, cache: path).start()
        try body(stage)
        try stage.read()
        if flushes {
            // The file is written every few seconds.
            stage.clock.advance(by: .seconds(3))
            try stage.read()
        }
        stage.close()
    }

    private func delivered(_ cluster: ReadingCluster, _ body: () throws -> Void) rethrows -> Int {
        let before = cluster.memory.counters.recordsDelivered
        try body()
        return cluster.memory.counters.recordsDelivered - before
    }

    @Test("a second start reads only what came since, and serves all that was there")
    func warm() throws {
        let cluster = ReadingCluster()
        for number in 0..<200 { cluster.memory.publish("c\(number)", revision: 1) }
        cluster.memory.configure("a", #""kind":"K""#)
        cluster.memory.position("rea", "a", entry: "e1")
        try run(cluster) { stage in
            cluster.memory.publish("c7", revision: 2, entries: [("08:00", "other"), ("09:00", "b")])
            cluster.memory.delete("c8")
            try stage.read()
        }
        cluster.memory.publish("c9", revision: 5)
        let count = try delivered(cluster) {
            try run(cluster) { stage in
                let items = try stage.get("/v1/timelines?limit=500").items("configurationId")
                #expect(items.count == 199 && !items.contains("c8"))
                #expect(try stage.get("/v1/timelines/c9").object["revision"] as? Int == 5)
                #expect(try stage.get("/v1/configurations/a").status == 200)
                #expect(stage.context.views.positions(readerId: "rea", configurationId: "a")?.merged != nil)
                let changes = try stage.get("/v1/timelines/c7?since=1").object
                #expect(changes["complete"] as? Bool == false, "what changed with a revision is kept, too")
                #expect((changes["entries"] as? [Any])?.count == 1)
                #expect(stage.notices.allSatisfy { if case .cacheRebuilt = $0 { false } else { true } })
            }
        }
        // The new record, and the last one of each partition once more.
        #expect(count <= 1 + 4 * 3, "\(count)")
    }

    @Test("a process that is killed before it wrote reads the rest again", arguments: [1, 2, 3])
    func killed(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let cluster = ReadingCluster()
        for round in 0..<6 {
            try run(cluster, flushes: Bool.random(using: &random)) { stage in
                for _ in 0..<20 {
                    let id = "c\(Int.random(in: 0..<10, using: &random))"
                    if Int.random(in: 0..<4, using: &random) == 0 {
                        cluster.memory.delete(id)
                    } else {
                        cluster.memory.publish(id, revision: round * 20 + Int.random(in: 0..<20, using: &random) + 1)
                    }
                }
                try stage.read()
                let cold = try ReadingStage(on: cluster).start()
                #expect(
                    try stage.get("/v1/timelines").bytes == cold.get("/v1/timelines").bytes, "seed \(seed), \(round)")
            }
        }
    }

    @Test("a client goes on after a restart where it was")
    func resume() throws {
        let cluster = ReadingCluster()
        var position: String?
        try run(cluster) { stage in
            cluster.memory.publish("a", revision: 1)
            try stage.read()
            position = try stage.stream("/v1/stream").blocks().last?.id
        }
        cluster.memory.publish("a", revision: 2)
        cluster.memory.publish("b", revision: 1)
        cluster.memory.delete("b")
        cluster.memory.reload("a", 9)
        try run(cluster) { stage in
            let events = try stage.stream("/v1/stream?lastEventId=\(try #require(position))").events()
            #expect(events.map(\.event).sorted { $0 ?? "" < $1 ?? "" } == ["reload", "timeline", "timeline"])
            #expect(events.filter { $0.data["value"] == nil }.compactMap { $0.text("configurationId") } == ["b"])
        }
    }

    @Test("topics that were made anew since make the file anew, longer or shorter than before", arguments: [2, 9])
    func otherTopics(count: Int) throws {
        let cluster = ReadingCluster(partitions: 1)
        for number in 0..<5 { cluster.memory.publish("old\(number)") }
        try run(cluster)
        cluster.clock.advance(by: .seconds(60))
        cluster.memory.recreateTopic("timelines")
        for number in 0..<count { cluster.memory.publish("new\(number)") }
        for _ in 0..<2 {
            try run(cluster) { stage in
                let items = try stage.get("/v1/timelines").items("configurationId")
                #expect(items.count == count && items.allSatisfy { $0.hasPrefix("new") }, "\(items)")
            }
        }
    }

    @Test("another record at the same place and of the same millisecond is another topic's")
    func otherContent() throws {
        let cluster = ReadingCluster(partitions: 1)
        let instant = cluster.clock.now
        for id in ["a", "b"] {
            if id == "b" { cluster.memory.recreateTopic("widget.configurations") }
            cluster.memory.appendKeyed(
                "widget.configurations", key: id, value: #"{"configurationId":"\#(id)","kind":"K"}"#,
                timestamp: instant)
            var found: [Int] = []
            try run(cluster) { stage in
                for id in ["a", "b"] { found.append(try stage.get("/v1/configurations/\(id)").status) }
            }
            #expect(found == (id == "a" ? [200, 404] : [404, 200]))
        }
    }

    @Test("a file of another cluster is made anew, and that is told")
    func otherCluster() throws {
        let cluster = ReadingCluster()
        cluster.memory.publish("a")
        try run(cluster)
        try SQLiteDatabase(path).execute("UPDATE topics SET name='elsewhere' WHERE topic=-1")
        let stage = try ReadingStage(on: cluster, cache: path).start()
        guard case .cacheRebuilt(let reason)? = stage.notices.first else {
            Issue.record("not told: \(stage.notices)")
            return
        }
        #expect(reason == "it was made of cluster elsewhere, not of memory")
        stage.close()
    }

    @Test("a file of topics with other names is made anew, and that is told")
    func otherNames() throws {
        let cluster = ReadingCluster()
        cluster.memory.publish("a")
        try run(cluster)
        cluster.memory.createTopic("other", partitions: 1)
        let stage = try ReadingStage(on: cluster, cache: path) { $0.topics.timelines = "other" }.start()
        #expect(try stage.get("/v1/timelines").items("configurationId") == [])
        guard case .cacheRebuilt(let reason)? = stage.notices.first else {
            Issue.record("not told: \(stage.notices)")
            return
        }
        #expect(reason.contains("timelines") && reason.contains("other"))
        stage.close()
    }

    @Test("a file in use, of another program or of no database is refused and stays as it is")
    func refused() throws {
        let mine = try ViewCache(path: path)
        let problem = #expect(throws: ViewCacheProblem.self) { try ViewCache(path: path) }
        #expect(problem?.description.contains("another process uses it") == true)
        withExtendedLifetime(mine) {}
        let folder = TemporaryDirectory.make("cache")
        let text = folder.appending(path: "notes.txt")
        try Data(String(repeating: "my notes ", count: 200).utf8).write(to: text)
        let noDatabase = #expect(throws: ViewCacheProblem.self) { try ViewCache(path: text.path) }
        #expect(noDatabase?.description.contains("no SQLite database") == true)
        #expect(try Data(contentsOf: text).count == 1800)
        let foreign = folder.appending(path: "foreign.sqlite").path
        try SQLiteDatabase(foreign).execute("CREATE TABLE mine (x); INSERT INTO mine VALUES (1)")
        let other = #expect(throws: ViewCacheProblem.self) { try ViewCache(path: foreign) }
        #expect(other?.description.contains("another program") == true)
        #expect(try SQLiteDatabase(foreign).integer("SELECT x FROM mine") == 1)
    }
}
