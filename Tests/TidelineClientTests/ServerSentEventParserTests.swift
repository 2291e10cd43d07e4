import TestSupport
import Testing

@testable import TidelineClient

@Suite("Server-sent events are read as the WHATWG's standard says")
struct ServerSentEventParserTests {
    private func events(_ text: String) -> [ServerSentEvent] {
        var parser = ServerSentEventParser()
        return parser.events(in: Array(text.utf8))
    }

    private func event(_ data: String, type: String = "message", id: String = "") -> ServerSentEvent {
        ServerSentEvent(type: type, data: data, lastEventId: id)
    }

    @Test("data of several lines is joined, comments and unknown fields are nothing")
    func examples() {
        #expect(events("data: YHOO\ndata: +2\ndata: 10\n\n") == [event("YHOO\n+2\n10")])
        #expect(events(": test stream\n\ndata: first\nid: 1\n\n") == [event("first", id: "1")])
        #expect(events("data:test\n\ndata: test\n\n") == [event("test"), event("test")])
        #expect(events("data:  two spaces\n\n") == [event(" two spaces")])
        #expect(events("colour: red\nevent: timeline\ndata: x\n\n") == [event("x", type: "timeline")])
        // The type is that of one event only.
        #expect(events("event: a\ndata: 1\n\ndata: 2\n\n") == [event("1", type: "a"), event("2")])
    }

    @Test("an event without a data line is none, one with an empty data line is")
    func emptyData() {
        #expect(events("event: a\n\n") == [])
        #expect(events("data\n\ndata\ndata\n\ndata:") == [event(""), event("\n")])
    }

    @Test("an id holds for all later events, also if it came without data; one with NUL is ignored")
    func ids() {
        #expect(events("id: 7\n\ndata: a\n\n") == [event("a", id: "7")])
        #expect(events("id: 1\ndata: a\n\nid\ndata: b\n\n") == [event("a", id: "1"), event("b", id: "")])
        #expect(events("id: 1\ndata: a\n\nid: 2\u{0}\ndata: b\n\n") == [event("a", id: "1"), event("b", id: "1")])
    }

    @Test("an event that the stream's end leaves unfinished is none, and its id does not count")
    func unfinished() {
        var parser = ServerSentEventParser()
        #expect(parser.events(in: Array("id: 1\ndata: a\n\nid: 2\ndata: b\n".utf8)) == [event("a", id: "1")])
        #expect(parser.lastEventId == "1")
        parser.reset()
        // The rest of the line before belongs to the lost connection.
        #expect(parser.events(in: Array("data: c\n\n".utf8)) == [event("c", id: "1")])
    }

    @Test("only whole numbers are times to wait")
    func retry() {
        var parser = ServerSentEventParser()
        _ = parser.events(in: Array("retry: 2000\n\nretry: 1s\n\nretry:\n\nretry: -3\n\n".utf8))
        #expect(parser.retryMilliseconds == 2000)
        parser.reset()
        #expect(parser.retryMilliseconds == 2000)
    }

    @Test("all line ends and a byte order mark are read, in whatever pieces they come")
    func pieces() {
        let text = "\u{FEFF}data: é\r\rdata: b\r\nid: 3\r\n\r\nevent: x\ndata: c\n\r\ndata: d\r\n\r\n"
        let expected = [event("é"), event("b", id: "3"), event("c", type: "x", id: "3"), event("d", id: "3")]
        #expect(events(text) == expected)
        var random = SplitMix64(seed: 7)
        for _ in 0..<200 {
            var (parser, found) = (ServerSentEventParser(), [ServerSentEvent]())
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...4, using: &random)
                found += parser.events(in: rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            #expect(found == expected)
        }
    }

    @Test("a line that never ends takes no more memory than allowed, and its event is counted as left out")
    func oversized() {
        var parser = ServerSentEventParser()
        let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
        #expect(parser.events(in: Array("data: ".utf8)) == [])
        for _ in 0..<17 { #expect(parser.events(in: piece) == []) }
        #expect(parser.events(in: Array("\n\ndata: b\n\n".utf8)) == [event("b")])
        #expect(parser.oversized == 1)
    }
}
