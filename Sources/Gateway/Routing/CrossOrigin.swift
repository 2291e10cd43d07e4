package import HTTPServer

/// Lets pages of other origins read answers (the Fetch standard's CORS protocol), as far as the settings name them.
package struct CrossOrigin: Sendable {
    private let origins: [String]

    /// - Parameter origins: origins such as `https://example.com`; `*` names all.
    package init(_ origins: [String]) {
        self.origins = origins
    }

    /// The headers of every answer to a request with these headers, by which a browser hands it to the page.
    package func headers(for request: HTTPHeaders) -> [HTTPField] {
        guard !origins.isEmpty else { return [] }
        let vary = HTTPField("Vary", "Origin")
        guard let origin = request["Origin"], origins.contains("*") || origins.contains(origin) else {
            return [vary]
        }
        return [
            HTTPField("Access-Control-Allow-Origin", origins.contains("*") ? "*" : origin),
            HTTPField("Access-Control-Expose-Headers", "ETag, Location, Retry-After"), vary,
        ]
    }

    /// The further headers of an answer to a preflight request. No credentials are named: tokens go by `Authorization`.
    static func preflight(_ methods: String) -> [HTTPField] {
        [
            HTTPField("Access-Control-Allow-Methods", methods),
            HTTPField(
                "Access-Control-Allow-Headers",
                "Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID"),
            HTTPField("Access-Control-Max-Age", "600"),
        ]
    }
}
