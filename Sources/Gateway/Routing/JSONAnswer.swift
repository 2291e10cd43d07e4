package import HTTPServer
package import Messages

extension HTTPResponse {
    /// An answer with JSON that `write` writes: one value, and the end of its line.
    package static func json(
        _ status: Int = 200, headers: [HTTPField] = [], _ write: (inout JSONWriter) -> Void
    ) -> HTTPResponse {
        var json = JSONWriter()
        write(&json)
        json.newline()
        let bytes = json.withUnsafeBytes { SharedBytes($0) }
        return .json(status, bytes, headers: headers)
    }

    /// An answer with JSON that is there already, byte by byte.
    package static func json(_ status: Int = 200, _ bytes: SharedBytes, headers: [HTTPField] = []) -> HTTPResponse {
        HTTPResponse(
            status, headers: headers + [HTTPField("Content-Type", "application/json")], body: HTTPBody(bytes))
    }
}

extension GatewayRequest {
    /// Answers with a representation and its entity tag, or with 304 if the client has it (RFC 9110 section 13.1.2).
    ///
    /// - Parameter entityTag: with its quotes.
    package func answer(_ entityTag: String, _ response: () throws(Problem) -> HTTPResponse) throws(Problem)
        -> HTTPAnswer
    {
        // Whoever keeps it must ask before each use: the next one may be committed at any time.
        let headers = [HTTPField("ETag", entityTag), HTTPField("Cache-Control", "private, no-cache")]
        if let known = http.header("If-None-Match"), EntityTag.isNamed(entityTag, byIfNoneMatch: known) {
            return .now(HTTPResponse(304, headers: headers))
        }
        var response = try response()
        response.headers += headers
        return .now(response)
    }
}
