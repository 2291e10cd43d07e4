import Crypto
import Foundation
import HTTPClient
import RecordLog
import Simulation
import Sinks
import Testing

@Suite("The sink of timelines over HTTP: requests")
struct HTTPTimelinesTests {
    private let stage = TimelineStage()
    private let base = "https://t.example/timelines"

    @Test("puts each timeline as it is to an address of its own, as a CloudEvent, signed; what is deleted is deleted")
    func puts() throws {
        stage.append("a", 3)
        stage.append("b", 1)
        try stage.run()
        stage.append("b", value: nil)
        try stage.run()
        #expect(stage.sent == ["PUT \(base)/a 3", "PUT \(base)/b 1", "DELETE \(base)/b"])
        #expect(stage.held == ["\(base)/a": TimelineStage.timeline("a", 3)])
        let put = stage.requests[0]
        #expect(put.header("content-type") == "application/json")
        #expect(put.header("ce-type") == "tideline.timeline.v1" && put.header("ce-subject") == "a")
        #expect(put.header("ce-recipient") == "ana" && put.header("ce-kind") == "Demo")
        let delete = stage.requests[2]
        #expect(delete.body.isEmpty && delete.header("content-type") == nil)
        #expect(delete.header("ce-type") == "tideline.timeline.deleted.v1" && delete.header("ce-id") == "b/deleted/t")
        for request in stage.requests { try expectSigned(request) }
        #expect(Set(stage.requests.map { $0.header("webhook-id") }).count == 3)
    }

    @Test(
        "sends a record's headers whose names are those of attributes, each once, and none that the sink itself sets",
        arguments: [1, 2])
    func attributes(batch: Int) throws {
        let names = [
            "subject", "id", "type", "tenant7", "x\r\nAuthorization: Basic eA", "x\ny", "Tenant", "x-y", "x:y", "x y",
            "é", "", "\u{0}", "data", "datacontenttype", "data_base64", "webhookid", "kind", "recipient", "revision",
            "tenant7",
        ]
        let headers = names.enumerated().map { Header("ce_\($1)", "value \($0)") }
        stage.cluster.appendKeyed(
            TimelineStage.timelines, key: "a", value: TimelineStage.timeline("a", 3), headers: headers)
        try stage.run(base, batch: batch)
        let request = try #require(stage.requests.first)
        if batch == 1 {
            let sent = request.headers.filter { !$0.name.hasPrefix("webhook-") }.map { "\($0.name): \($0.value)" }
            #expect(
                sent == [
                    "content-type: application/json", "ce-subject: value%200", "ce-id: value%201", "ce-type: value%202",
                    "ce-tenant7: value%203", "ce-kind: Demo", "ce-recipient: ana", "ce-revision: 3",
                ])
        } else {
            let line = String(decoding: request.body, as: UTF8.self)
            let head =
                #"{"subject":"value 0","id":"value 1","type":"value 2","tenant7":"value 3","#
                + #""kind":"Demo","recipient":"ana","revision":"3","webhookid":""#
            #expect(line.hasPrefix(head), "\(line)")
            let timeline = TimelineStage.timeline("a", 3)
            #expect(line.hasSuffix(#"","datacontenttype":"application/json","data":\#(timeline)}"# + "\n"), "\(line)")
        }
    }

    @Test("an address without {configurationId} is told of all by POST, and of what is gone in a body that is signed")
    func posts() throws {
        stage.append("a", 1)
        try stage.run(base)
        stage.append("a", value: nil)
        try stage.run(base)
        #expect(stage.sent == ["POST \(base) 1", "POST \(base)"])
        #expect(
            String(decoding: stage.requests[1].body, as: UTF8.self)
                == #"{"type":"timeline.deleted","configurationId":"a"}"#)
        for request in stage.requests { try expectSigned(request) }
    }

    @Test("a configuration that names other sinks is removed; one that names this one is sent")
    func names() throws {
        stage.append("a", 1, sinks: "files")
        stage.append("b", 1, sinks: "files,http")
        stage.append("c", 1)
        try stage.run()
        stage.append("c", 2, sinks: "")
        stage.append("c", 3, sinks: "files")
        try stage.run()
        #expect(stage.held.keys.sorted() == ["\(base)/b"])
        #expect(stage.requests.filter { $0.url == "\(base)/c" && $0.method == .DELETE }.count == 1)
    }

    @Test("a target follows a choice that has changed: all is read again, once, which is told")
    func choice() throws {
        stage.append("a", 1, recipient: "ana")
        stage.append("b", 1, recipient: "ben")
        let ana = SinkChoice(name: "http", conditions: [.init(.recipient, "ana")])
        let all = SinkChoice(name: "http")
        let steps: [(choice: SinkChoice, held: [String], restarts: Int, records: Int)] = [
            (all, ["a", "b"], 0, 2), (ana, ["a"], 1, 2), (ana, ["a"], 0, 0), (all, ["a", "b"], 1, 2),
            (all, ["a", "b"], 0, 0),
        ]
        for step in steps {
            stage.notices = []
            let summary = try stage.run(choice: step.choice)
            #expect(stage.held.keys.sorted() == step.held.map { "\(base)/\($0)" } && stage.position == 2)
            #expect(summary.records == step.records && summary.startedOver == step.restarts)
            let told = stage.notices.filter { $0.description.contains("other timelines are taken now") }
            #expect(told.count == step.restarts, "\(stage.notices)")
        }
    }

    @Test("the newest of those that wait takes the place of the others; of a configuration one request is under way")
    func newest() throws {
        for revision in 1...50 { for id in ["a", "b"] { stage.append(id, revision) } }
        let first = try stage.run()
        #expect(stage.sent == ["PUT \(base)/a 50", "PUT \(base)/b 50"])
        #expect(first.records == 100 && first.delivered == 2 && first.conflated == 98)
        #expect(stage.position == 100)
    }

    @Test("what fails is sent again with the same id, unless a newer one came meanwhile: then that one goes, once")
    func again() throws {
        stage.append("a", 1)
        stage.append("b", 1)
        var failures = 0
        stage.fault = { [unowned stage] request in
            guard request.url.hasSuffix("/a"), failures < 3 else { return nil }
            failures += 1
            if failures == 2 { stage.append("a", 2) }
            return failures == 1 ? .status(503, retryAfter: "7") : .status(500)
        }
        try stage.run(change: { $0.reading.untilCaughtUp = true })
        try stage.run()
        let ids = stage.requests.filter { $0.url.hasSuffix("/a") && $0.header("ce-revision") == "1" }
            .map { $0.header("webhook-id") }
        #expect(ids.count >= 2 && Set(ids).count == 1)
        #expect(stage.held["\(base)/a"] == TimelineStage.timeline("a", 2))
        let times = stage.service.requests.filter { $0.request.url.hasSuffix("/a") }.map(\.at)
        #expect(times[1] - times[0] >= .seconds(7), "Retry-After")
        #expect(stage.service.requests.first { $0.request.url.hasSuffix("/b") }?.at ?? .zero < .seconds(1))
    }

    @Test("a timeline that goes to another recipient leaves the first, a deleted one too, also after a restart")
    func moves() throws {
        let address = "https://{recipient}.example/{configurationId}"
        func run() throws { try stage.run(address, hosts: ["*.example"]) }
        stage.append("a", 1, recipient: "ana")
        stage.append("a", 2, recipient: "ben")
        stage.append("a", 3, recipient: "ben")
        try run()
        #expect(stage.held.keys.sorted() == ["https://ben.example/a"])
        #expect(stage.kept["address/http/a"]?.contains("ben") == true)
        stage.append("a", 4, recipient: "cem")
        try run()
        #expect(stage.held.keys.sorted() == ["https://cem.example/a"])
        // A bad one leaves what is there.
        stage.append("a", 5, recipient: "no host")
        try run()
        #expect(stage.held.keys.sorted() == ["https://cem.example/a"] && stage.deadLetters.count == 1)
        stage.append("a", value: nil)
        stage.append("never-sent", value: nil)
        try run()
        #expect(stage.held.isEmpty && stage.kept["address/http/a"] == nil)
        #expect(!stage.sent.contains { $0.contains("never-sent") })
    }

    @Test("of a timeline that goes elsewhere the target is told once, however often it is made anew, up to a number")
    func removals() throws {
        var rounds: [() -> Void] = [
            { for id in ["a", "b", "c"] { stage.append(id, 1, sinks: "files") } },
            { for id in ["a", "b", "c"] { stage.append(id, 2, sinks: "files") } },
            { for id in ["a", "b"] { stage.append(id, value: nil) } },
            { stage.append("d", 1, sinks: "files") }, { stage.append("d", 2, sinks: "files") },
            { stage.append("d", 3) }, { stage.append("d", 4, sinks: "files") },
        ]
        // A target that does not say what it lacks.
        stage.fault = { $0.method == .DELETE ? .status(204) : nil }
        var appended = 0
        try stage.run(
            removalsMax: 2,
            stop: {
                guard stage.position == appended else { return false }
                if rounds.isEmpty { return true }
                rounds.removeFirst()()
                appended = stage.cluster.records(TimelineStage.timelines).count
                return false
            }, change: { $0.reading.untilCaughtUp = false })
        // The third is beyond the number, and those that are deleted make room.
        #expect(
            stage.sent == ["a", "b", "c", "c", "d"].map { "DELETE \(base)/\($0)" }
                + ["PUT \(base)/d 3", "DELETE \(base)/d"])
    }

    @Test("a timeline that goes elsewhere while the one before it is under way is gone in the end")
    func removalBehindATimeline() throws {
        stage.service.latency = .seconds(3)
        stage.append("a", 1, sinks: "files")
        stage.fault = { [unowned stage] request in
            switch (request.method, stage.requests.count) {
            case (.DELETE, 1): stage.append("a", 2)
            case (.PUT, _): stage.append("a", 3, sinks: "files")
            default: break
            }
            return nil
        }
        try stage.run(stop: { stage.position == 3 }, change: { $0.reading.untilCaughtUp = false })
        #expect(stage.sent == ["DELETE \(base)/a", "PUT \(base)/a 2", "DELETE \(base)/a"] && stage.held.isEmpty)
    }

    @Test("a record that is no timeline is a dead letter in the middle of the others")
    func noTimelines() throws {
        stage.append("a", 1)
        for bad in ["", "{", "[]", #"{"revision":"x"}"#] { stage.append("bad", value: bad) }
        stage.append("b", 1)
        let summary = try stage.run()
        #expect(summary.deadLetters == 4 && summary.delivered == 2 && stage.position == 6)
        #expect(stage.held.count == 2)
    }

    @Test("values of later releases may have more members, and words that this one does not know")
    func later() throws {
        let later = TimelineStage.timeline("f", 1)
            .replacing(#""phase":"tick""#, with: #""phase":"later","new":{"a":1}"#)
            .replacing("systemMedium", with: "enormous").replacing(#""refreshCount":1,"#, with: "")
        stage.append("f", value: later)
        try stage.run()
        #expect(stage.held == ["\(base)/f": later] && stage.deadLetters.isEmpty)
    }

    @Test("a slow target is not asked more at once than it may be, and gets all")
    func slow() throws {
        for number in 0..<30 { stage.append("c\(number)", 1) }
        stage.service.latency = .seconds(3)
        var (underWay, most) = (0, 0)
        stage.fault = { _ in
            underWay += 1
            most = max(most, underWay)
            return nil
        }
        stage.service.completed = { underWay -= $0 }
        let summary = try stage.run(change: { $0.pace.requestsMax = 4 })
        #expect(summary.delivered == 30 && most == 4)
    }

    @Test("what the target refuses is a dead letter with its answer, the configuration, and no secret of the address")
    func refused() throws {
        for id in ["a", "bad", "b"] { stage.append(id, 1) }
        stage.fault = { request in
            guard request.url.contains("bad") else { return nil }
            return .success(HTTPClientResponse(status: 422, body: Array("kind: is\nnot known".utf8)))
        }
        let summary = try stage.run("https://t.example/{configurationId}?key=hunter2")
        #expect(summary.deadLetters == 1 && summary.delivered == 2 && stage.position == 3)
        let told = try #require(stage.deadLetters.first)
        #expect(told.hasPrefix("configuration bad: ") && told.contains("status 422"))
        #expect(told.contains("kind: is not known"))
        stage.append("bad", 2)
        stage.fault = { .success(HTTPClientResponse(status: 422, body: Array($0.url.utf8))) }
        try stage.run("https://t.example/{configurationId}?key=hunter2")
        #expect(!"\(stage.deadLetters) \(stage.notices)".contains("hunter2"))
    }

    @Test(
        "a target that repeats a part of the address that may be a secret is not quoted; one that repeats a word is",
        arguments: [
            ("https://t.example/T0001/xoxb-long-secret/{configurationId}", "no hook xoxb-long-secret", false),
            ("https://t.example/timelines/{configurationId}?key=hunter%202", "key hunter 2 is old", false),
            ("https://t.example/timelines/{configurationId}?key=hunter2&v=1", "bad key: hunter2", false),
            ("https://t.example/timelines/{configurationId}?key=hunter2&v=1", "timelines: version 1 is old", true),
        ])
    func repeatedSecret(address: String, body: String, isQuoted: Bool) throws {
        stage.append("bad", 1)
        stage.fault = { _ in .success(HTTPClientResponse(status: 422, body: Array(body.utf8))) }
        try stage.run(address)
        let told = try #require(stage.deadLetters.first)
        #expect(told.contains("status 422") && told.contains(body) == isQuoted)
    }

    private func expectSigned(_ request: HTTPClientRequest) throws {
        let id = try #require(request.header("webhook-id"))
        let timestamp = try #require(request.header("webhook-timestamp"))
        #expect(!id.contains("."))
        let code = HMAC.sha256(Array("\(id).\(timestamp).".utf8) + request.body, key: TimelineStage.secret)
        #expect(request.header("webhook-signature") == "v1," + Data(code).base64EncodedString())
    }
}
