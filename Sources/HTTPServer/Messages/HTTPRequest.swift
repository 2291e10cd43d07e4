/// A request, read to its end.
package struct HTTPRequest: Sendable {
    /// In capital letters as it came, such as `PUT`. A request with `HEAD` comes as `GET` with `isHead`.
    package var method: String
    /// The client wants the headers of the response alone. The server leaves the body out.
    package var isHead: Bool
    /// The request target as it came, query included (RFC 9112 section 3.2).
    package var target: String
    /// The path's segments, percent-decoded; none for `/`. A segment may be empty, and may have a `/` in it.
    package var path: [String]
    /// The query's fields in their order, percent-decoded, a plus sign as a space.
    package var query: [HTTPField]
    package var headers: HTTPHeaders
    package var body: [UInt8]
    /// The peer's numeric address: of a proxy, where there is one.
    package var remoteAddress: String

    package init(
        method: String = "GET", target: String, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = [],
        remoteAddress: String = "127.0.0.1"
    ) throws(InvalidTarget) {
        let parsed = try RequestTarget(target)
        self.method = method == "HEAD" ? "GET" : method
        self.isHead = method == "HEAD"
        self.target = target
        self.path = parsed.path
        self.query = parsed.query
        self.headers = headers
        self.body = body
        self.remoteAddress = remoteAddress
    }

    /// Returns the value of the first header of that name, in any case.
    package func header(_ name: String) -> String? { headers[name] }
}

/// A name and its value, of a query or of headers.
package struct HTTPField: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// The header fields of a request in the order in which they came. One buffer holds them all: few are ever read.
package struct HTTPHeaders: Sendable {
    /// Each field is its name, a zero byte, its value and a zero byte; neither can have one inside.
    private var bytes: [UInt8] = []

    package init() {}

    package init(_ fields: [HTTPField]) {
        for field in fields { append(name: Array(field.name.utf8), value: Array(field.value.utf8)) }
    }

    mutating func append(name: some Collection<UInt8>, value: some Collection<UInt8>) {
        bytes.append(contentsOf: name)
        bytes.append(0)
        bytes.append(contentsOf: value)
        bytes.append(0)
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// The value of the first field of that name, in any case.
    package subscript(name: String) -> String? {
        var name = name
        return name.withUTF8 { name in
            var found: String?
            forEach { candidate, value in
                guard candidate.count == name.count, candidate.elementsEqual(name, by: Self.isSame) else { return true }
                found = String(decoding: value, as: UTF8.self)
                return false
            }
            return found
        }
    }

    /// All fields, repeated ones included.
    package var fields: [HTTPField] {
        var fields: [HTTPField] = []
        forEach { name, value in
            fields.append(HTTPField(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
            return true
        }
        return fields
    }

    /// Calls the body with each field, until it returns `false`.
    private func forEach(_ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Bool) {
        bytes.withUnsafeBufferPointer { bytes in
            var start = 0
            while let nameEnd = bytes[start...].firstIndex(of: 0) {
                guard let valueEnd = bytes[(nameEnd + 1)...].firstIndex(of: 0) else { return }
                let name = UnsafeBufferPointer(rebasing: bytes[start..<nameEnd])
                let value = UnsafeBufferPointer(rebasing: bytes[(nameEnd + 1)..<valueEnd])
                guard body(name, value) else { return }
                start = valueEnd + 1
            }
        }
    }

    /// ASCII letters are the same in either case (RFC 9110 section 5.1).
    private static func isSame(_ one: UInt8, _ other: UInt8) -> Bool {
        one == other || ((one | 0x20) == (other | 0x20) && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(one | 0x20))
    }
}
