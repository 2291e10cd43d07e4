import HTTPServer

/// The description of all routes, for whoever makes a client.
extension Route {
    static func document() -> [Route] {
        let document = SharedBytes(OpenAPIDocument.json)
        return [
            Route(.get, "/openapi.json", scope: nil) { _ in
                .now(.json(200, document, headers: [HTTPField("Cache-Control", "no-cache")]))
            }
        ]
    }
}
