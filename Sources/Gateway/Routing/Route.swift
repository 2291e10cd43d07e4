package import Access
package import HTTPServer

/// A method on a path with its handler. The table of all routes is `GatewayRouter.routes(_:)`.
package struct Route: Sendable {
    package var method: Method
    package var path: RoutePattern
    /// The permission that it takes; `nil` lets everybody in, without a credential.
    package var scope: Scope?
    /// True if the token may come as a password, for programs that know no other way.
    package var takesPasswords = false
    /// The names of the query's parameters; any other is refused.
    package var query: [String]
    /// Answers a request of an authenticated caller with the scope. Called on a thread of the server, which it must not
    /// block.
    package var handle: @Sendable (GatewayRequest) throws(Problem) -> HTTPAnswer

    package enum Method: String, CaseIterable, Sendable {
        case get = "GET"
        case put = "PUT"
        case patch = "PATCH"
        case post = "POST"
        case delete = "DELETE"
    }

    package init(
        _ method: Method, _ path: RoutePattern, scope: Scope?, query: [String] = [],
        _ handle: @escaping @Sendable (GatewayRequest) throws(Problem) -> HTTPAnswer
    ) {
        self.method = method
        self.path = path
        self.scope = scope
        self.query = query
        self.handle = handle
    }

    /// A route of the scope `read`.
    package static func get(
        _ path: RoutePattern, query: [String] = [],
        _ handle: @escaping @Sendable (GatewayRequest) throws(Problem) -> HTTPAnswer
    ) -> Route {
        Route(.get, path, scope: .read, query: query, handle)
    }
}

/// A request that has passed the router.
package struct GatewayRequest: Sendable {
    package let http: HTTPRequest
    package let caller: Caller
    package let query: QueryParameters
    private let path: RoutePattern

    package init(http: HTTPRequest, caller: Caller, query: QueryParameters, path: RoutePattern) {
        self.http = http
        self.caller = caller
        self.query = query
        self.path = path
    }

    /// The value of a parameter of the path, percent-decoded; it is not empty.
    ///
    /// - Precondition: the route's path has this parameter.
    package subscript(parameter: String) -> String {
        guard let value = path.value(of: parameter, in: http.path) else {
            preconditionFailure("the path \(path) has no {\(parameter)}")
        }
        return value
    }
}
