import Access
package import HTTPServer

/// Keeps web pages away from a server that asks nobody for a token: the programs of its machine may call it, the pages
/// in a browser there may not.
package struct LocalCallers {
    private let origins: [String]

    /// - Parameter origins: the origins that may call all the same (`serve.cors`).
    package init(allowing origins: [String]) {
        self.origins = origins
    }

    /// - Throws: 421 if the request was sent to another name, which a page has made an address of this machine (DNS
    ///   rebinding); 403 if a page of another origin wants to write, which a browser sends without asking.
    package func check(_ request: HTTPRequest) throws(Problem) {
        if let host = request.header("Host"), !Loopback.contains(Self.name(of: host)) {
            throw Problem(
                421, "misdirected", "This server does not answer under that name.",
                detail: "Without tokens it answers as 127.0.0.1, [::1] or localhost alone.")
        }
        guard request.method != "GET", request.method != "OPTIONS", let origin = request.header("Origin"),
            !origins.contains(origin)
        else { return }
        throw Problem(
            403, "foreign-origin", "Pages of this origin may not write.", detail: "serve.cors names those that may.")
    }

    /// The name or address in a `Host`, without the port.
    private static func name(of host: String) -> String {
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[...end]) }
        return String(host.prefix { $0 != ":" })
    }
}
