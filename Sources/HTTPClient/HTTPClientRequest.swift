internal import CCurl

/// A request. Header names are sent as they are written.
package struct HTTPClientRequest: Hashable, Sendable {
    package var method: Method
    /// Absolute, `https` or `http`.
    package var url: String
    package var headers: [HTTPHeader]
    package var body: [UInt8]
    /// Fails where the server speaks an older version.
    package var requiresHTTP2: Bool

    package init(
        _ method: Method = .POST, url: String, headers: [HTTPHeader] = [], body: [UInt8] = [],
        requiresHTTP2: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.requiresHTTP2 = requiresHTTP2
    }

    package enum Method: String, Sendable {
        case GET, POST, PUT, DELETE
    }

    /// The value of the first header of that name, in any case.
    package func header(_ name: String) -> String? { headers.value(of: name) }
}

/// A header field of a request or response.
package struct HTTPHeader: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension [HTTPHeader] {
    fileprivate func value(of name: String) -> String? {
        let name = name.lowercased()
        return first { $0.name.lowercased() == name }?.value
    }
}

/// A response, read to its end.
package struct HTTPClientResponse: Hashable, Sendable {
    /// The status, from 100 to 599.
    package var status: Int
    package var isHTTP2: Bool
    package var headers: [HTTPHeader]
    /// The first `bodyBytesMax` bytes; what is beyond is read and forgotten.
    package var body: [UInt8]

    package static let bodyBytesMax = 1 << 16
    /// An answer whose headers are longer, those of interim answers before it included, ends the request as a failure.
    package static let headerBytesMax = 1 << 16

    package init(status: Int, isHTTP2: Bool = true, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.isHTTP2 = isHTTP2
        self.headers = headers
        self.body = body
    }

    /// The value of the first header of that name, in any case.
    package func header(_ name: String) -> String? { headers.value(of: name) }

    /// The date that the first header of that name says, in seconds since 1970, in each of the forms that HTTP knows
    /// (RFC 9110 section 5.6.7); `nil` if it says none. The year may be one that no other type of date holds.
    package func secondsOfDate(_ name: String) -> Int? {
        guard let text = header(name) else { return nil }
        let seconds = curl_getdate(text, nil)
        return seconds == -1 ? nil : Int(seconds)
    }
}

/// Why there is no response. Whether the server has acted on the request is not known.
package struct HTTPClientError: Error, Hashable, Sendable, CustomStringConvertible {
    package var kind: Kind
    package var description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    package enum Kind: Hashable, Sendable {
        /// Nobody answers, or not to the end: no connection, or it broke, or headers that are too long.
        case unreachable
        /// The name of the host cannot be found: it is misspelt, or DNS does not know it, or not now.
        case unknownHost
        /// Longer than `connectTimeout` or `timeout`.
        case timedOut
        /// The server's certificate is not to be trusted, or the TLS handshake failed otherwise.
        case notTrusted
        /// The server does not speak HTTP/2, which the request requires.
        case notHTTP2
        /// The request itself cannot be sent, such as an address that is none.
        case invalid
    }
}
