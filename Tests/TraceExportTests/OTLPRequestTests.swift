import HTTPClient
import Testing

@testable import TraceExport
@testable import Tracing

/// The bytes that a collector gets, and the meaning of what it answers.
@Suite struct OTLPRequestTests {
    @Test("a span with all that it can have is this JSON")
    func golden() throws {
        let trace = TraceID(high: 0x0af7_6519_16cd_43dd, low: 0x8448_eb21_1c80_319c)
        var span = Span(
            "process \"t\"/ü", SpanContext(traceID: trace, spanID: SpanID(0x1f), isSampled: true), parent: SpanID(0x2e),
            .consumer, start: 1_700_000_000_000_000_001)
        span.attributes = ["b": .int(-7), "a": "text", "c": .bool(true), "d": .strings(["x", "y"])]
        span.addLink(SpanContext(traceID: TraceID(high: 0, low: 1), spanID: SpanID(3), isSampled: true))
        span.setError(type: "_TIMED_OUT", "too late")
        span.end(at: 1_700_000_000_000_000_009)
        let request = OTLPRequest([span], resource: ["service.name": "tideline"], version: "1.2.3")
        let expected = """
            {"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"tideline"}}]},\
            "scopeSpans":[{"scope":{"name":"tideline","version":"1.2.3"},"spans":[{"attributes":[\
            {"key":"a","value":{"stringValue":"text"}},{"key":"b","value":{"intValue":"-7"}},\
            {"key":"c","value":{"boolValue":true}},\
            {"key":"d","value":{"arrayValue":{"values":[{"stringValue":"x"},{"stringValue":"y"}]}}},\
            {"key":"error.type","value":{"stringValue":"_TIMED_OUT"}}],"endTimeUnixNano":"1700000000000000009",\
            "kind":5,"links":[{"spanId":"0000000000000003","traceId":"00000000000000000000000000000001"}],\
            "name":"process \\"t\\"/ü","parentSpanId":"000000000000002e","spanId":"000000000000001f",\
            "startTimeUnixNano":"1700000000000000001","status":{"code":2,"message":"too late"},\
            "traceId":"0af7651916cd43dd8448eb211c80319c"}]}]}]}
            """
        #expect(String(decoding: try request.json(), as: UTF8.self) == expected)
    }

    @Test("what may be sent again is told apart from what would be refused again")
    func answers() {
        func answer(_ status: Int, _ body: String = "") -> OTLPAnswer {
            OTLPAnswer(.success(HTTPClientResponse(status: status, body: Array(body.utf8))))
        }
        #expect(answer(200) == .taken(rejected: 0, reason: ""))
        #expect(answer(200, #"{"partialSuccess":{}}"#) == .taken(rejected: 0, reason: ""))
        #expect(
            answer(200, #"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}"#)
                == .taken(rejected: 3, reason: "too old"))
        let number = answer(200, #"{"partialSuccess":{"rejectedSpans":2}}"#)
        #expect(number == .taken(rejected: 2, reason: "no reason given"))
        for status in [429, 502, 503, 504] { #expect(answer(status) == .again("status \(status)")) }
        for status in [301, 400, 401, 404, 500] { #expect(answer(status) == .refused("status \(status)")) }
        #expect(OTLPAnswer(.failure(HTTPClientError(.unreachable, "no"))) == .again("no"))
        #expect(OTLPAnswer(.failure(HTTPClientError(.invalid, "no URL"))) == .refused("no URL"))
    }
}
