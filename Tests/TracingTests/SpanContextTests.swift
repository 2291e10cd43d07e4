import Testing

@testable import Tracing

/// What W3C's `traceparent` says, and which of them are none.
@Suite struct SpanContextTests {
    private static let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test("a header is read and written as it was")
    func roundTrip() throws {
        let context = try #require(SpanContext(traceParent: Array(Self.header.utf8)))
        #expect(context.traceID.description == "0af7651916cd43dd8448eb211c80319c")
        #expect(context.spanID.description == "b7ad6b7169203331" && context.isSampled)
        #expect(String(decoding: context.traceParent, as: UTF8.self) == Self.header)
        let off = try #require(SpanContext(traceParent: Array((Self.header.dropLast(2) + "00").utf8)))
        #expect(!off.isSampled && off.traceParent.last == UInt8(ascii: "0"))
        // Small numbers keep their zeros.
        #expect(TraceID(high: 0, low: 10).description == String(repeating: "0", count: 31) + "a")
    }

    @Test("a later version is read as far as this one knows it")
    func later() {
        let later = "01" + Self.header.dropFirst(2)
        #expect(SpanContext(traceParent: Array((later + "-more").utf8)) != nil)
        #expect(SpanContext(traceParent: Array((later + "more").utf8)) == nil)
    }

    @Test(
        "what is none is none",
        arguments: [
            "", "00", "0af7651916cd43dd8448eb211c80319c", "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0g",
            "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        ])
    func none(text: String) {
        #expect(SpanContext(traceParent: Array(text.utf8)) == nil)
    }
}
