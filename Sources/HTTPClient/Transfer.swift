internal import CCurl

/// One request on its way: libcurl's easy handle and what has come back so far. Owned by the client's thread.
final class Transfer {
    let tag: Int
    let easy: UnsafeMutableRawPointer
    private let request: HTTPClientRequest
    /// libcurl reads the list while the request is under way.
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var headers: [HTTPHeader] = []
    /// The bytes of all lines of headers so far.
    private var headerBytes = 0
    private var body: [UInt8] = []

    init(_ request: HTTPClientRequest, tag: Int, configuration: HTTPClientConfiguration) {
        self.request = request
        self.tag = tag
        guard let easy = curl_easy_init() else { preconditionFailure("no memory for a request") }
        self.easy = easy
        setUp(configuration)
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headerList)
    }

    /// The transfer of a handle that libcurl names.
    static func of(_ easy: UnsafeMutableRawPointer) -> Transfer {
        var context: UnsafeMutableRawPointer?
        ccurl_get_pointer(easy, CURLINFO_PRIVATE, &context)
        guard let context else { preconditionFailure("every handle carries its transfer") }
        return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }

    private func setUp(_ configuration: HTTPClientConfiguration) {
        // The client keeps the transfer for as long as libcurl has the handle.
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_pointer(easy, CURLOPT_PRIVATE, context)
        set(CURLOPT_URL, request.url)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        // The address is sent as it is written: nobody takes dots out of a path.
        set(CURLOPT_PATH_AS_IS, 1)
        // Signals are the program's.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.milliseconds)
        set(CURLOPT_TIMEOUT_MS, configuration.timeout.milliseconds)
        set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        // Waits for a connection that may take the request as a further stream, instead of making one more.
        set(CURLOPT_PIPEWAIT, 1)
        // A push is rare, and its connection is to be there for the next.
        set(CURLOPT_MAXAGE_CONN, 3600)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        // Debian's libcurl looks into the system's folder of authorities besides.
        if let roots = configuration.additionalTrustRoots { set(CURLOPT_CAINFO, roots) }

        if request.method == .PUT || request.method == .DELETE {
            set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        }
        if request.method == .POST || request.method == .PUT {
            set(CURLOPT_POST, 1)
            set(CURLOPT_POSTFIELDSIZE, request.body.count)
            request.body.withUnsafeBytes { bytes in
                let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                _ = ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, start)
            }
        }
        // Without these libcurl names a form as content type and asks for leave to send long bodies.
        for line in ["Expect:", "Content-Type:"] where !isOverridden(line) { append(line) }
        for header in request.headers { append("\(header.name): \(header.value)") }
        ccurl_set_pointer(easy, CURLOPT_HTTPHEADER, headerList)

        ccurl_set_pointer(easy, CURLOPT_WRITEDATA, context)
        ccurl_set_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let context, let bytes else { return 0 }
            let received = UnsafeRawBufferPointer(start: bytes, count: size * count)
            Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().append(body: received)
            return received.count
        }
        ccurl_set_pointer(easy, CURLOPT_HEADERDATA, context)
        ccurl_set_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let context, let bytes else { return 0 }
            let received = UnsafeRawBufferPointer(start: bytes, count: size * count)
            let isTaken = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().append(header: received)
            // Less than there is has libcurl end the transfer.
            return isTaken ? received.count : 0
        }
    }

    private func set(_ option: CURLoption, _ value: Int) { ccurl_set_long(easy, option, value) }

    private func set(_ option: CURLoption, _ value: String) { ccurl_set_text(easy, option, value) }

    private func isOverridden(_ line: String) -> Bool { request.header(String(line.dropLast())) != nil }

    private func append(_ line: String) { headerList = curl_slist_append(headerList, line) }

    // MARK: - What comes back

    private func append(body bytes: UnsafeRawBufferPointer) {
        body.append(contentsOf: bytes.prefix(HTTPClientResponse.bodyBytesMax - body.count))
    }

    /// - Returns: false if the headers are too long by now; then nothing is kept of the line.
    private func append(header line: UnsafeRawBufferPointer) -> Bool {
        headerBytes += line.count
        guard headerBytes <= HTTPClientResponse.headerBytesMax else { return false }
        let text = String(decoding: line, as: UTF8.self)
        // An interim response, such as 103, comes before the final one.
        if text.hasPrefix("HTTP/") {
            headers.removeAll()
        } else if let colon = text.firstIndex(of: ":") {
            headers.append(HTTPHeader(String(text[..<colon]), text[text.index(after: colon)...].trimmed))
        }
        return true
    }

    func result(_ code: CURLcode) -> Result<HTTPClientResponse, HTTPClientError> {
        guard headerBytes <= HTTPClientResponse.headerBytesMax else {
            let reason = "the headers of the answer are longer than \(HTTPClientResponse.headerBytesMax) bytes"
            return .failure(HTTPClientError(.unreachable, reason))
        }
        guard code == CURLE_OK else { return .failure(HTTPClientError(code)) }
        var (status, version) = (0, 0)
        ccurl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        ccurl_get_long(easy, CURLINFO_HTTP_VERSION, &version)
        let isHTTP2 = version == Int(CURL_HTTP_VERSION_2_0)
        if request.requiresHTTP2 && !isHTTP2 {
            return .failure(HTTPClientError(.notHTTP2, "the server does not speak HTTP/2"))
        }
        return .success(HTTPClientResponse(status: status, isHTTP2: isHTTP2, headers: headers, body: body))
    }
}

extension HTTPClientError {
    init(_ code: CURLcode) {
        let text = String(cString: curl_easy_strerror(code))
        self =
            switch code {
            case CURLE_OPERATION_TIMEDOUT: HTTPClientError(.timedOut, text)
            case CURLE_COULDNT_RESOLVE_HOST: HTTPClientError(.unknownHost, text)
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE,
                CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CERTPROBLEM:
                HTTPClientError(.notTrusted, text)
            case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_OUT_OF_MEMORY, CURLE_BAD_FUNCTION_ARGUMENT:
                HTTPClientError(.invalid, text)
            default: HTTPClientError(.unreachable, text)
            }
    }
}

extension Substring {
    fileprivate var trimmed: String {
        let start = drop { $0.isWhitespace }
        return String(String(start.reversed().drop { $0.isWhitespace }).reversed())
    }
}

extension Duration {
    /// The duration for libcurl, at least one: zero would mean "no limit" to it.
    var milliseconds: Int {
        max(1, Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000))
    }
}
