import Crypto
import Foundation
import HTTPClient
import RecordLog
import Simulation
import Sinks
import Testing

@Suite("The webhook of reloads")
struct WebhookTests {
    private let stage = ReloadStage()

    @Test("gets each reload as it is, as a CloudEvent, signed by the scheme of Standard Webhooks")
    func form() throws {
        let place = stage.reload("répondeur 1", ["a"])
        try stage.post()
        let request = try #require(stage.service.requests.first?.request)
        let record = try #require(stage.cluster.records(ReloadStage.reloads).first)
        #expect(request.url == "https://hooks.example.com/reloads" && request.method == .POST)
        #expect(request.body == record.value)
        #expect(request.header("content-type") == "application/json")
        #expect(request.header("ce-specversion") == "1.0" && request.header("ce-type") == "tideline.reload.v1")
        #expect(request.header("ce-subject") == "r%C3%A9pondeur%201")
        let id = try #require(request.header("webhook-id"))
        let timestamp = try #require(request.header("webhook-timestamp"))
        #expect(id.contains(/^timeline_reloads-[0-9]+-[0-9]+-[0-9a-f]+$/), "\(id)")
        #expect(id.hasPrefix("timeline_reloads-\(place.partition)-\(place.offset)-"), "\(id)")
        #expect(timestamp == String(stage.time.now.milliseconds / 1000))
        let code = HMAC.sha256(Array("\(id).\(timestamp).".utf8) + request.body, key: ReloadStage.secret)
        #expect(request.header("webhook-signature") == "v1," + Data(code).base64EncodedString())
        #expect(stage.position("hook") == 1)
    }

    @Test("gets no header that a record's own header makes by its name")
    func namesOfHeaders() throws {
        let names = ["ce_id", "ce_x\r\nAuthorization: Basic eA", "ce_x\nhost", "ce_Id", "ce_", "x", "ce_data"]
        stage.cluster.appendKeyed(
            ReloadStage.reloads, key: "r", value: "{}", headers: names.map { Header($0, "value") })
        try stage.post()
        let request = try #require(stage.service.requests.first?.request)
        let sent = request.headers.map(\.name)
        #expect(sent == ["content-type", "ce-id", "webhook-id", "webhook-timestamp", "webhook-signature"])
    }

    @Test("gets the reloads of a recipient one after the other, in their order, while others go on")
    func order() throws {
        for number in 1...3 {
            stage.reload("one", ["a\(number)"])
            stage.reload("two", ["b\(number)"])
        }
        var failures = 4
        stage.service.respond = { request in
            guard String(decoding: request.body, as: UTF8.self).contains("\"a1\""), failures > 0 else {
                return .status(204)
            }
            failures -= 1
            return .status(failures % 2 == 0 ? 500 : 429)
        }
        let summary = try stage.post()
        #expect(summary.delivered == 6 && summary.retries == 4)
        #expect(bodies("a") == ["a1", "a1", "a1", "a1", "a1", "a2", "a3"])
        #expect(bodies("b") == ["b1", "b2", "b3"])
        let last = try #require(
            stage.service.requests.first { String(decoding: $0.request.body, as: UTF8.self).contains("\"b3\"") })
        #expect(last.at < .seconds(1))
        let ids = stage.service.requests.map { $0.request.header("webhook-id") ?? "" }
        #expect(Set(ids).count == 6, "an attempt keeps the id of the first")
    }

    @Test("what it refuses goes to the dead letters; what comes after goes on", arguments: [400, 409, 413, 415, 422])
    func refuses(status: Int) throws {
        stage.reload("r", ["a"])
        stage.reload("r", ["b"])
        stage.service.script(["reloads": [.status(status)]])
        let summary = try stage.post()
        #expect(summary.deadLetters == 1 && summary.delivered == 1)
        let letter = try #require(stage.deadLetters.first)
        #expect(letter.header("__streams.errors.message")?.contains("\(status)") == true)
        #expect(stage.position("hook") == 2)
    }

    @Test("one that refuses all reloads alike is waited for; the reloads of one recipient alone are dead letters")
    func refusesAll() throws {
        for recipients in [["one"], ["one", "two"]] {
            let stage = ReloadStage()
            for number in 0..<60 { stage.reload(recipients[number % recipients.count], ["a"]) }
            stage.service.respond = { [unowned stage] _ in
                .status(stage.service.clock.now < .seconds(1000) ? 400 : 204)
            }
            let summary = try stage.post()
            let letters = recipients.count == 1 ? 60 : 19
            #expect(summary.deadLetters == letters && summary.delivered == 60 - letters)
            #expect(stage.position("hook") == 60)
            let last = try #require(stage.service.requests.last).at
            #expect((last < .seconds(100)) == (recipients.count == 1), "\(last)")
        }
    }

    @Test("a dead letter that its topic does not take goes there without its value, and the sink goes on")
    func largeDeadLetter() throws {
        stage.cluster.deleteTopic(ReloadStage.deadLetters)
        stage.cluster.createTopic(
            ReloadStage.deadLetters, partitions: 1, settings: [.init("max.message.bytes", "2000")])
        stage.cluster.append(ReloadStage.reloads, 0, key: "a", value: "small")
        stage.cluster.append(ReloadStage.reloads, 0, key: "b", value: String(repeating: "x", count: 3000))
        stage.service.respond = { .status($0.body.count < 100 ? 400 : 413) }
        let summary = try stage.post()
        #expect(summary.deadLetters == 2 && stage.position("hook") == 2)
        let (small, large) = (try #require(stage.deadLetters.first), try #require(stage.deadLetters.last))
        #expect(small.value != nil)
        #expect(large.value == nil && large.header("__streams.errors.message")?.contains("413") == true)
        #expect(large.header("tideline.value-size") == "3000")
    }

    /// Five reloads are answered eight times with the status: all are delivered in the end.
    private func expectWaiting(_ status: Int) throws {
        for number in 0..<5 { stage.reload("r\(number)", ["a"]) }
        stage.service.script(["reloads": Array(repeating: .status(status), count: 8)])
        let summary = try stage.post()
        #expect(summary.delivered == 5 && summary.deadLetters == 0 && stage.position("hook") == 5)
    }

    @Test(
        "one that turns all reloads away is waited for, told once, and once when it is over; none is a dead letter",
        arguments: [401, 403, 404, 405, 410])
    func turnsAway(status: Int) throws {
        try expectWaiting(status)
        #expect(stage.notices.count == 2)
        let told = try #require(stage.notices.first).description
        #expect(told.contains("hooks.example.com: status \(status) for /reloads;") && told.contains("webhook.secret"))
        let over = try #require(stage.notices.last).description
        #expect(over.contains("hooks.example.com takes records again, after "))
        let last = try #require(stage.service.requests.last)
        #expect(last.at > .seconds(1), "nothing is sent in the pauses")
    }

    @Test(
        "one that is locked, not paid, or reached in a way it does not take is waited for; no reload is a dead letter",
        arguments: [402, 407, 421, 423, 426])
    func passes(status: Int) throws {
        try expectWaiting(status)
        let told = try #require(stage.notices.first).description
        #expect(told.contains("hooks.example.com: status \(status)") && !told.contains("webhook.secret"))
    }

    @Test("one that redirects ends the run before the position of what it did not take", arguments: [301, 302, 308])
    func redirects(status: Int) throws {
        stage.reload("r", ["a"])
        stage.reload("r", ["b"])
        stage.service.script(["reloads": [.status(200), .status(status)]])
        #expect { try stage.post() } throws: {
            "\($0)".contains("redirections") && "\($0)".contains("hooks.example.com")
        }
        #expect(stage.position("hook") == 1)
    }

    @Test("one that cannot be reached is waited for")
    func unreachable() throws {
        for number in 0..<10 { stage.reload("r\(number)", ["a"]) }
        stage.service.script(["reloads": Array(repeating: .broken, count: 12)])
        #expect(try stage.post().delivered == 10)
    }

    @Test("a tombstone tells nobody anything")
    func tombstone() throws {
        stage.cluster.appendKeyed(ReloadStage.reloads, key: "r", value: nil)
        #expect(try stage.post().skipped == 1)
        #expect(stage.position("hook") == 1)
    }

    @Test(
        "addresses: https anywhere, http where nobody outside listens",
        arguments: [
            ("https://example.com/x?y=z", true), ("https://10.0.0.1:8443", true), ("http://localhost:8080/x", true),
            ("http://127.0.0.1", true), ("http://[::1]:80/", true), ("http://hooks", true),
            ("http://hooks.reloads.svc.cluster.local:8080", true), ("http://hooks.apps.svc", true),
            ("http://192.168.1.4", true), ("http://172.20.0.1", true),
            ("http://example.com", false), ("http://8.8.8.8", false), ("http://172.32.0.1", false),
            ("http://127.0.0.1.example.com", false), ("ftp://localhost", false), ("example.com", false), ("", false),
            ("https://", false), ("https://user:secret@example.com", false), ("https://example.com/#x", false),
        ])
    func addresses(text: String, isAllowed: Bool) {
        #expect(((try? WebhookURL(text)) != nil) == isAllowed)
    }

    @Test("secrets are 24 to 64 bytes, in base64 after whsec_ or as they are")
    func secrets() {
        #expect(WebhookSecret("whsec_" + Data(count: 24).base64EncodedString()) != nil)
        #expect(WebhookSecret("whsec_" + Data(count: 23).base64EncodedString()) == nil)
        #expect(WebhookSecret("whsec_no base64 at all, of any length") == nil)
        #expect(WebhookSecret(String(repeating: "x", count: 64)) != nil)
        #expect(WebhookSecret(String(repeating: "x", count: 65)) == nil)
        #expect(WebhookSecret("short") == nil)
    }

    /// The configurations named so, in the order of the requests.
    private func bodies(_ name: String) -> [String] {
        stage.service.requests.compactMap { sent in
            let text = String(decoding: sent.request.body, as: UTF8.self)
            return (1...3).map { "\(name)\($0)" }.first { text.contains("\"\($0)\"") }
        }
    }
}
