/// The id of a trace: 16 bytes.
package struct TraceID: Hashable, Sendable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// 32 hexadecimal digits.
    package var description: String { high.hexadecimalDigits + low.hexadecimalDigits }
}

/// The id of a span: 8 bytes.
package struct SpanID: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// 16 hexadecimal digits.
    package var description: String { rawValue.hexadecimalDigits }
}

/// The place of a span in its trace: what a producer says of itself in the header `traceparent` (W3C Trace Context).
package struct SpanContext: Hashable, Sendable {
    /// The name of the header, of a record or a request.
    package static let headerName = "traceparent"

    package let traceID: TraceID
    package let spanID: SpanID
    /// True if whoever began the trace records it.
    package let isSampled: Bool

    package init(traceID: TraceID, spanID: SpanID, isSampled: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
    }

    /// Reads a header; `nil` if it is none. Of a later version what this one knows is read (3.2.4).
    package init?(traceParent: [UInt8]) {
        guard traceParent.count >= Self.length, let version = UInt64(digits: traceParent[0..<2]), version != 0xff,
            traceParent.count == Self.length || (version > 0 && traceParent[Self.length] == Self.hyphen),
            [2, 35, 52].allSatisfy({ traceParent[$0] == Self.hyphen }),
            let high = UInt64(digits: traceParent[3..<19]), let low = UInt64(digits: traceParent[19..<35]),
            let span = UInt64(digits: traceParent[36..<52]), let flags = UInt64(digits: traceParent[53..<55]),
            (high, low) != (0, 0), span != 0
        else { return nil }
        self.init(traceID: TraceID(high: high, low: low), spanID: SpanID(span), isSampled: flags & 1 == 1)
    }

    /// The header that names this span as the parent.
    package var traceParent: [UInt8] { Array("00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")".utf8) }

    private static let length = 55
    private static let hyphen = UInt8(ascii: "-")
}

extension UInt64 {
    fileprivate var hexadecimalDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Reads small hexadecimal digits, 16 at most; `nil` if something else is among them.
    fileprivate init?(digits: ArraySlice<UInt8>) {
        var value: UInt64 = 0
        for byte in digits {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            default: return nil
            }
            value = value << 4 | UInt64(digit)
        }
        self = value
    }
}
