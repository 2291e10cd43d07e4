internal import CMicroHTTPD

/// What a request's headers say about its body and its response.
struct RequestHead {
    var contentLength: Int?
    var isChunked = false
    var expectsContinue = false
    var acceptsGzip = false
    /// The reason why the length of the body cannot be told, or what it is.
    var refusal: HTTPRefusal?

    var hasBody: Bool { isChunked || (contentLength ?? 0) > 0 }

    /// Reads the headers of a connection, and appends them all to `headers`.
    init(_ connection: OpaquePointer, into headers: inout HTTPHeaders) {
        var reader = Reader()
        swap(&reader.headers, &headers)
        withUnsafeMutablePointer(to: &reader) { reader in
            let append: MHD_KeyValueIteratorN = { context, _, name, nameCount, value, valueCount in
                guard let context, let name else { return .YES }
                let reader = context.assumingMemoryBound(to: Reader.self)
                let value = UnsafeRawBufferPointer(start: value, count: valueCount)
                reader.pointee.append(name: UnsafeRawBufferPointer(start: name, count: nameCount), value: value)
                return .YES
            }
            _ = MHD_get_connection_values_n(connection, .HEADER_KIND, append, reader)
        }
        swap(&reader.headers, &headers)
        self = reader.head
    }

    private init() {}

    private struct Reader {
        var headers = HTTPHeaders()
        var head = RequestHead()

        mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
            headers.append(name: name, value: value)
            switch name.count {
            case 6 where name.isText("expect"): head.expectsContinue = true
            case 14 where name.isText("content-length"): head.readLength(value)
            case 15 where name.isText("accept-encoding"):
                head.acceptsGzip = AcceptEncoding.takesGzip(String(decoding: value, as: UTF8.self))
            case 17 where name.isText("transfer-encoding"): head.readEncoding(value)
            default: break
            }
        }
    }

    /// Two ways to say where a body ends let a second request hide inside the first (RFC 9112 section 6.3).
    private mutating func readLength(_ value: UnsafeRawBufferPointer) {
        let length = Int(String(decoding: value, as: UTF8.self))
        if isChunked || (contentLength != nil && contentLength != length) || length == nil {
            refusal = HTTPRefusal(400, .malformedHeaders, "The headers name more than one length of the body.")
        }
        contentLength = length
    }

    private mutating func readEncoding(_ value: UnsafeRawBufferPointer) {
        if !value.isText("chunked") {
            refusal = HTTPRefusal(501, .unsupportedEncoding, "The only transfer encoding is chunked.")
        } else if isChunked || contentLength != nil {
            refusal = HTTPRefusal(400, .malformedHeaders, "The headers name more than one length of the body.")
        }
        isChunked = true
    }
}

/// The codings that a client takes (RFC 9110 section 12.5.3).
enum AcceptEncoding {
    static func takesGzip(_ value: String) -> Bool {
        var any = false
        for item in value.split(separator: ",") {
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let coding = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            if coding == "gzip" || coding == "x-gzip" { return weight > 0 }
            if coding == "*" { any = weight > 0 }
        }
        return any
    }
}

extension UnsafeRawBufferPointer {
    /// Compares with a text in small letters, ASCII letters in either case.
    fileprivate func isText(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount
            && text.withUTF8Buffer { text in elementsEqual(text) { $0 == $1 || ($0 | 0x20 == $1 && $1 >= 0x61) } }
    }
}
