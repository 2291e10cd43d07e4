import Access
import Messages
import RecordLog
import Simulation
import TestSupport
import Testing

@testable import Gateway
@testable import HTTPServer

@Suite("Changes as server-sent events")
struct StreamTests {
    @Test("a change is an event with the value as it was committed; a deletion is one without")
    func events() throws {
        let stage = try ReadingStage().start()
        let stream = try stage.stream("/v1/stream")
        let opening = stream.blocks()
        #expect(opening.count == 1 && opening[0].event == nil && opening[0].id != nil)
        stage.cluster.publish("a", recipient: "ana", kind: "K", revision: 2)
        stage.cluster.reload("ana", 7, kind: "K")
        stage.cluster.position("rea", "a", entry: "e1")
        stage.cluster.delete("a")
        stage.cluster.position("rea", "a", entry: nil)
        try stage.read()
        let events = stream.events()
        #expect(events.filter { $0.event == "timeline" }.count == 2)
        let put = try #require(events.first { $0.event == "timeline" && $0.data["value"] != nil })
        #expect(put.text("configurationId") == "a" && put.text("recipient") == "ana" && put.text("kind") == "K")
        #expect((put.data["value"] as? [String: Any])?["revision"] as? Int == 2)
        let gone = try #require(events.first { $0.event == "timeline" && $0.data["value"] == nil })
        #expect(gone.text("configurationId") == "a" && gone.text("recipient") == "ana")
        let reload = try #require(events.first { $0.event == "reload" })
        #expect((reload.data["value"] as? [String: Any])?["revision"] as? Int == 7)
        let positions = events.filter { $0.event == "position" }
        #expect(positions.count == 2 && positions.allSatisfy { $0.text("readerId") == "rea" })
        #expect(positions[0].data["value"] != nil && positions[1].data["value"] == nil)
        #expect(Set(events.compactMap(\.id)).count == events.count, "each has an id of its own")
    }

    @Test(
        "a filter lets through what it names",
        arguments: [
            ("", ["a", "b", "c", "ana", "ben", "rea/a", "reb/b"]),
            ("?types=timelines", ["a", "b", "c"]),
            ("?types=reloads,positions", ["ana", "ben", "rea/a", "reb/b"]),
            ("?configurationId=a", ["a", "ana", "rea/a"]),
            ("?recipient=ben", ["b", "ben", "reb/b"]),
            ("?kind=K", ["a", "c", "ana", "rea/a"]),
            ("?types=positions&readerId=reb", ["reb/b"]),
            ("?readerId=reb", ["a", "b", "c", "ana", "ben", "reb/b"]),
            ("?recipient=ana&kind=L", []),
        ])
    func filters(query: String, expected: [String]) throws {
        let stage = try ReadingStage().start()
        let stream = try stage.stream("/v1/stream\(query)")
        stage.cluster.publish("a", recipient: "ana", kind: "K")
        stage.cluster.publish("b", recipient: "ben", kind: "L")
        stage.cluster.publish("c", recipient: "c", kind: "K")
        try stage.read()
        stage.cluster.reload("ana", kind: "K", configurationIds: ["a"])
        stage.cluster.reload("ben", kind: "L", configurationIds: ["b"])
        stage.cluster.position("rea", "a", entry: "e")
        stage.cluster.position("reb", "b", entry: "e")
        try stage.read()
        let found = stream.events().map { event in
            switch event.event {
            case "timeline": event.text("configurationId") ?? ""
            case "reload": event.text("recipient") ?? ""
            default: "\(event.text("readerId") ?? "")/\(event.text("configurationId") ?? "")"
            }
        }
        #expect(found.sorted() == expected.sorted())
    }

    @Test("a parameter that is wrong is named with what is allowed")
    func wrong() throws {
        let stage = try ReadingStage().start()
        let types = try stage.get("/v1/stream?types=timelines,reload")
        #expect(types.status == 400 && types.wrongFields == ["types"] && types.text.contains("did you mean reloads?"))
        #expect(try stage.get("/v1/stream", headers: ["Last-Event-ID": "!"]).wrongFields == ["Last-Event-ID"])
        #expect(try stage.get("/v1/stream?lastEventId=7").wrongFields == ["lastEventId"])
    }

    @Test("a caller that is confined hears of its own alone, and of a timeline that leaves it")
    func confinement() throws {
        let tokens = [
            AccessSettings.Token.of("ana", recipients: ["ana"]), .of("rea", readers: ["rea"]), .of("all"),
            .of("both", recipients: ["ana"], readers: ["rea", "ana"]),
        ]
        let stage = try ReadingStage(tokens: tokens).start()
        let start = try #require(try stage.stream("/v1/stream", token: "token-of-all").blocks().last?.id)
        let (ana, rea, all, both) = (
            try stage.stream("/v1/stream", token: "token-of-ana"),
            try stage.stream("/v1/stream", token: "token-of-rea"),
            try stage.stream("/v1/stream", token: "token-of-all"),
            try stage.stream("/v1/stream?types=positions", token: "token-of-both")
        )
        stage.cluster.publish("a", recipient: "ana")
        stage.cluster.publish("b", recipient: "ben")
        try stage.read()
        stage.cluster.reload("ben")
        stage.cluster.reload("ana")
        stage.cluster.position("rea", "b", entry: "e")
        stage.cluster.position("ana", "a", entry: "e")
        try stage.read()
        #expect(ana.events().map(\.event).sorted { $0 ?? "" < $1 ?? "" } == ["reload", "timeline"])
        #expect(rea.events().map { $0.text("readerId") } == ["rea"])
        #expect(both.events().map { $0.text("readerId") } == ["ana"], "rea's is in a timeline of ben's")
        let resumed = try stage.stream("/v1/stream?types=positions&lastEventId=\(start)", token: "token-of-both")
        #expect(resumed.events().map { $0.text("readerId") } == ["ana"])
        #expect(all.events().count == 6)
        stage.cluster.publish("a", recipient: "ben", revision: 2)
        try stage.read()
        let left = ana.events()
        #expect(left.count == 1 && left[0].data["value"] == nil && left[0].text("recipient") == "ana")
        #expect(all.events().compactMap { $0.text("recipient") } == ["ben"])
        #expect(try stage.get("/v1/stream").status == 401)
    }

    @Test("a client goes on where it was, on a server that has started anew, and on another one", arguments: [1, 2])
    func resume(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let cluster = ReadingCluster()
        var servers = [try ReadingStage(on: cluster).start(), try ReadingStage(on: cluster).start()]
        var stream = try servers[0].stream("/v1/stream?types=timelines,reloads")
        var position = stream.blocks().last?.id
        var (shown, reloads): ([String: Int], [Int]) = ([:], [])
        func take() {
            for block in stream.blocks() {
                if let id = block.id { position = id }
                if block.event == "reload" {
                    reloads.append((block.data["value"] as? [String: Any])?["revision"] as? Int ?? 0)
                }
                guard block.event == "timeline", let id = block.text("configurationId") else { continue }
                shown[id] = (block.data["value"] as? [String: Any])?["revision"] as? Int
            }
        }
        for step in 1...120 {
            let id = "c\(Int.random(in: 0..<12, using: &random))"
            switch Int.random(in: 0..<8, using: &random) {
            case 0: cluster.memory.delete(id)
            case 1, 2: cluster.memory.reload(id, step)
            default: cluster.memory.publish(id, revision: step)
            }
            if Int.random(in: 0..<3, using: &random) == 0 { for server in servers { try server.read() } }
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                // The connection is lost with what was under way.
                let server = Int.random(in: 0..<2, using: &random)
                try servers[server].read()
                let headers = position.map { ["Last-Event-ID": $0] } ?? [:]
                stream = try servers[server].stream("/v1/stream?types=timelines,reloads", headers: headers)
            case 1: servers = [servers[0], try ReadingStage(on: cluster).start()]
            default: take()
            }
        }
        for server in servers { try server.read() }
        take()
        var expected: [String: Int] = [:]
        for answer in try servers[0].get("/v1/timelines").object["items"] as? [[String: Any]] ?? [] {
            expected[answer["configurationId"] as? String ?? ""] = answer["revision"] as? Int
        }
        #expect(shown == expected, "seed \(seed)")
        let all = cluster.memory.records("timeline.reloads").compactMap { record in
            (record.value.map { String(decoding: $0, as: UTF8.self) })?.firstMatch(of: /"revision":(\d+)/)
                .flatMap { Int($0.1) }
        }
        #expect(Set(reloads) == Set(all) && Set(all).isSubset(of: reloads), "seed \(seed)")
    }

    @Test("what is not known any more makes a gap of its types")
    func gaps() throws {
        let stage = try ReadingStage(on: ReadingCluster(partitions: 1)) { $0.reloadsMaximum = 3 }.start()
        let start = try #require(try stage.stream("/v1/stream").blocks().last?.id)
        for number in 1...5 { stage.cluster.reload("ana", number) }
        stage.cluster.publish("a")
        try stage.read()
        let events = try stage.stream("/v1/stream?lastEventId=\(start)").events()
        #expect(events.map(\.event) == ["gap", "timeline"])
        #expect(events[0].data["types"] as? [String] == ["reloads"])
        #expect(events.allSatisfy { $0.id == start }, "lost on the way, it is all asked for again")
        let ahead = try stage.stream("/v1/stream", headers: ["Last-Event-ID": "tzz_r5_m0"]).events()
        #expect(ahead.map(\.event) == ["gap"] && ahead[0].data["types"] as? [String] == ["timelines"])
    }

    @Test("of a deletion that the broker has forgotten a client is told by a gap")
    func forgottenDeletions() throws {
        let cluster = ReadingCluster(partitions: 1)
        let early = try ReadingStage(on: cluster).start()
        cluster.memory.publish("a")
        try early.read()
        let position = try #require(try early.stream("/v1/stream").blocks().last?.id)
        cluster.memory.delete("a")
        cluster.memory.compact("timelines")
        let late = try ReadingStage(on: cluster).start()
        // Only the tombstone is left, and nobody knows whose the timeline was.
        #expect(try late.stream("/v1/stream?lastEventId=\(position)").events().map(\.event) == ["gap"])
        try early.read()
        #expect(try early.stream("/v1/stream?lastEventId=\(position)").events().map(\.event) == ["timeline"])
    }

    @Test("idle streams get a comment with the position, at the interval of the settings")
    func heartbeats() throws {
        let stage = try ReadingStage().start()
        let stream = try stage.stream("/v1/stream?recipient=nobody")
        stage.clock.advance(by: .seconds(15))
        _ = stream.blocks()
        stage.cluster.publish("a")
        try stage.read()
        let first = stream.blocks()
        #expect(first.count == 1 && first[0].isComment && first[0].id == stage.context.views.positions.text)
        stage.clock.advance(by: .seconds(14))
        try stage.read()
        #expect(stream.blocks().isEmpty)
        stage.clock.advance(by: .seconds(1))
        try stage.read()
        #expect(stream.blocks().count == 1)
    }

    @Test("there are as many streams as the settings allow, and no more")
    func limit() throws {
        let stage = try ReadingStage { $0.streamsMaximum = 2 }.start()
        let open = try (0..<2).map { _ in try stage.stream("/v1/stream") }
        let refused = try stage.get("/v1/stream")
        #expect(refused.status == 503 && refused.text.contains("serve.limits.streams is 2"))
        open[0].stream.detach(.disconnected)
        #expect(stage.context.streams.counts.open == 1)
        _ = try stage.stream("/v1/stream")
    }

    @Test("a client that takes nothing is closed and counted when its buffer is full; others go on")
    func slow() throws {
        let stage = try ReadingStage { $0.streamBuffer = 4096 }.start()
        let (slow, quick) = (try stage.stream("/v1/stream"), try stage.stream("/v1/stream"))
        var count = 0
        for number in 1...40 {
            stage.cluster.publish("a", revision: number)
            try stage.read()
            count += quick.events().count
        }
        #expect(count == 40)
        #expect(slow.stream.send(SharedBytes([0])) == false)
        // The server tells when the connection is gone.
        slow.stream.detach(.tooSlow)
        #expect(stage.context.streams.counts.tooSlow == 1 && stage.context.streams.counts.open == 1)
    }
}

extension AccessSettings.Token {
    /// A token `token-of-NAME` that may read.
    static func of(_ name: String, recipients: [String]? = nil, readers: [String]? = nil) -> Self {
        .init(
            name: name, sha256: StageTokens.digest(of: "token-of-\(name)"), scopes: ["read"], recipients: recipients,
            readers: readers)
    }
}

@Suite("Streams of clients that were away for long")
struct LongAwayTests {
    @Test("what a client missed is bounded in bytes; more is a gap, and events that come meanwhile are sent behind it")
    func bytes() throws {
        let stage = try ReadingStage { $0.streamBuffer = 16_384 }.start()
        let start = try #require(try stage.stream("/v1/stream").blocks().last?.id)
        for number in 0..<8 { stage.cluster.publish("a\(number)", recipient: "ana") }
        try stage.read()
        let few = try stage.stream("/v1/stream?lastEventId=\(start)").events()
        #expect(few.filter { $0.event == "timeline" }.count == 8 && few.count == 8)
        for number in 0..<200 { stage.cluster.publish("b\(number)", recipient: "ben") }
        try stage.read()
        let many = try stage.stream("/v1/stream?lastEventId=\(start)")
        let blocks = many.blocks()
        #expect(blocks.compactMap(\.event) == ["gap"])
        #expect(blocks.last?.id == stage.context.views.positions.text, "from here on nothing is missing")
        let filtered = try stage.stream("/v1/stream?recipient=ana&lastEventId=\(start)").events()
        #expect(filtered.count == 8, "others' changes do not count")
        let reader = try stage.stream("/v1/stream?types=positions&readerId=rea&lastEventId=\(start)").events()
        #expect(reader.isEmpty)
    }

    @Test("events wait for what was missed, in their order; too many end the stream")
    func held() {
        let stream = EventStream(headers: [], bufferLimit: 1 << 20)
        let held = HeldStream(stream, maximum: 8)
        for text in ["b", "c"] { held.send(SharedBytes(text.utf8)) }
        held.release(after: SharedBytes("a".utf8))
        held.send(SharedBytes("d".utf8))
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
        defer { room.deallocate() }
        let count = stream.read(into: room)
        #expect(String(decoding: room[..<max(0, count)], as: UTF8.self) == "abcd")
        let full = HeldStream(EventStream(headers: [], bufferLimit: 1 << 20), maximum: 8)
        for _ in 0..<3 { full.send(SharedBytes("1234".utf8)) }
        full.release(after: SharedBytes("a".utf8))
        #expect(full.stream.send(SharedBytes("x".utf8)) == false)
    }
}
