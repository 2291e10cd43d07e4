import Testing
import Timelines

@testable import Messages

@Suite("The head of a timeline's value")
struct TimelineHeadTests {
    private func head(_ text: String) -> TimelineHead? {
        var parser = JSONParser()
        return Array(text.utf8).withUnsafeBytes { TimelineHead($0, with: &parser) }
    }

    @Test("its members are read, whatever stands between them")
    func members() throws {
        let read = try #require(
            self.head(
                #"""
                {"a":[{"revision":9}],"revision":7,"refreshCount":null,"generatedAt":"2026-11-20T06:30:00Z",
                 "kind":"Status\u0057idget","family":"small","recipient":"ana ü","entries":[{"kind":"x"}],"\u006bind":1}
                """#))
        #expect(read.revision == 7 && read.refreshCount == 0)
        #expect(read.generatedAt == Instant(rfc3339: "2026-11-20T06:30:00Z"))
        #expect((read.kind, read.family, read.recipient) == ("StatusWidget", "small", "ana ü"))
    }

    @Test(
        "of a member that comes twice the last counts, and a revision is a whole number",
        arguments: [
            (#"{"revision":1,"revision":2}"#, 2), (#"{"revision":1,"revision":"2"}"#, nil),
            (#"{"revision":"1","revision":2}"#, 2), (#"{"revision":1.0}"#, nil), (#"{"revision":1e3}"#, nil),
            (#"{"revision":-0}"#, 0), (#"{"revision":9223372036854775807}"#, .max),
            (#"{"revision":9223372036854775808}"#, nil), (#"{"revision":-9223372036854775808}"#, .min),
            (#"{"revision":3,"x":123456789012345678901234567890}"#, 3), (#"{"revision":3,"x":1e400}"#, 3),
            (#"{"revision":3,"x":18446744073709551615}"#, 3), (#"{"revision":3,"refreshCount":true}"#, nil),
            (#"{"revision":true}"#, nil), ("{}", nil), ("[3]", nil), ("3", nil), ("", nil),
        ] as [(String, Int64?)])
    func revisions(text: String, revision: Int64?) {
        #expect(head(text)?.revision == revision)
    }

    /// The quick way may leave a text to the other one; it must never read what the other one refuses.
    @Test(
        "what is no JSON is no timeline, wherever the fault lies",
        arguments: [
            "{\"revision\":1", "{\"revision\":1}}", "{\"revision\":1} x", "{\"revision\":01}", "{\"revision\":1,}",
            "{\"revision\":1,\"a\":[1,]}", "{\"revision\":1,\"a\":nul}", "{\"revision\":1,\"a\":\"\\x\"}",
            "{\"revision\":1,\"a\":\"\n\"}", "{\"revision\":1,\"a\":-}", "{\"revision\":1,\"a\":.5}",
            "{\"revision\":1 \"a\":2}", "{revision:1}", "{\"revision\":1,\"a\":\"\\ud800\"}",
            "\u{FEFF}{\"revision\":1}",
            "{\"revision\":1}\u{0}", "{'revision':1}", "{\"revision\":1,\"a\":{\"b\"}}",
        ])
    func faults(text: String) {
        var parser = JSONParser()
        Array(text.utf8).withUnsafeBytes { bytes in
            let isRead = (try? parser.document(bytes)) != nil
            #expect(isRead == (TimelineHead(bytes, with: &parser) != nil), "\(text)")
            if !isRead { #expect(parser.members(bytes) == nil, "\(text)") }
        }
        let broken: [UInt8] = Array("{\"revision\":1,\"a\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)
        broken.withUnsafeBytes { #expect(TimelineHead($0, with: &parser) == nil, "bytes that are no UTF-8") }
    }

    @Test("both ways read as many levels", arguments: 120..<135)
    func levels(depth: Int) {
        var parser = JSONParser()
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let inner = String(repeating: open, count: depth - 1) + "1" + String(repeating: close, count: depth - 1)
            let text = "{\"revision\":1,\"a\":\(inner)}"
            Array(text.utf8).withUnsafeBytes { bytes in
                let isRead = (try? parser.document(bytes)) != nil
                #expect(isRead == (depth <= 128))
                #expect((parser.members(bytes) != nil) == isRead, "\(depth) levels of \(open)")
                #expect((TimelineHead(bytes, with: &parser) != nil) == isRead)
            }
        }
    }
}
