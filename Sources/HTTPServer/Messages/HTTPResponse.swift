/// Bytes that do not change, shared without a copy: with other responses, and with the socket.
package final class SharedBytes: Sendable {
    /// Valid for as long as the object lives.
    nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

    package init(_ bytes: some Collection<UInt8>) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        copy.copyBytes(from: bytes)
        self.bytes = UnsafeRawBufferPointer(copy)
    }

    deinit {
        bytes.deallocate()
    }

    package var count: Int { bytes.count }

    package var array: [UInt8] { Array(bytes) }

    package static let empty = SharedBytes([])
}

/// The content of a response.
package struct HTTPBody: Sendable {
    package var bytes: SharedBytes
    /// The same content compressed, where somebody keeps it. Otherwise the server compresses for each response.
    package var gzip: SharedBytes?

    package init(_ bytes: SharedBytes, gzip: SharedBytes? = nil) {
        self.bytes = bytes
        self.gzip = gzip
    }

    package init(_ bytes: some Collection<UInt8>) {
        self.init(SharedBytes(bytes))
    }

    package init(_ text: String) {
        self.init(SharedBytes(text.utf8))
    }

    package static let empty = HTTPBody(.empty)
}

/// A response. The server adds `Date`, `Content-Length` and `Connection`, and, for content that can be compressed,
/// `Content-Encoding` and `Vary`.
package struct HTTPResponse: Sendable {
    /// From 200 to 599.
    package var status: Int
    /// A strong `ETag` names the uncompressed content; the server marks that of the compressed one (`EntityTag`).
    package var headers: [HTTPField]
    package var body: HTTPBody

    package init(_ status: Int, headers: [HTTPField] = [], body: HTTPBody = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of the first header of that name, in any case.
    package func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }
}

/// What the closure of a server gives for a request.
package enum HTTPAnswer: Sendable {
    case now(HTTPResponse)
    /// The closure is called at once, on the server's thread, and must not wait; the connection waits without a thread
    /// until the completion is finished.
    case later(@Sendable (HTTPCompletion) -> Void)
    /// A response without an end: `text/event-stream`.
    case events(EventStream)
}
