import Access
import Foundation
package import HTTPServer
import Synchronization
import Times

/// Answers requests by the table of routes: path, method, caller, scope, query, handler, in this order.
///
/// What a caller may see decides the handler, which answers 404 in both cases: `Problem.notFound`.
package final class GatewayRouter: Sendable {
    private let context: GatewayContext
    /// The paths by their number of segments; where several match, the one whose first literal comes first is first.
    private let paths: [Int: [Path]]
    private let failures = Atomic<Int>(0)

    private struct Path: Sendable {
        let pattern: RoutePattern
        var routes: [Route]

        var allowed: [String] {
            let methods = Route.Method.allCases.filter { method in routes.contains { $0.method == method } }
            let head = methods.contains(.get) ? ["HEAD"] : []
            return methods.map(\.rawValue) + head + ["OPTIONS"]
        }
    }

    /// - Precondition: no two routes have the same method and path.
    package init(_ routes: [Route], context: GatewayContext) {
        self.context = context
        var paths: [Int: [Path]] = [:]
        for route in routes {
            let count = route.path.segments.count
            if let index = paths[count, default: []].firstIndex(where: { $0.pattern == route.path }) {
                let isNew = paths[count, default: []][index].routes.allSatisfy { $0.method != route.method }
                precondition(isNew, "\(route.method.rawValue) \(route.path) has two handlers")
                paths[count]?[index].routes.append(route)
            } else {
                paths[count, default: []].append(Path(pattern: route.path, routes: [route]))
            }
        }
        self.paths = paths.mapValues { $0.sorted { Self.isMoreLiteral($0.pattern, $1.pattern) } }
    }

    private static func isMoreLiteral(_ left: RoutePattern, _ right: RoutePattern) -> Bool {
        for (one, other) in zip(left.segments, right.segments) where one.isLiteral != other.isLiteral {
            return one.isLiteral
        }
        return false
    }

    /// The number of requests that the server itself could not answer (500).
    package var failureCount: Int { failures.load(ordering: .relaxed) }

    /// Answers a request; any thread.
    package func respond(_ request: HTTPRequest) -> HTTPAnswer {
        do throws(Problem) {
            return try route(request)
        } catch {
            if error.status == 500 { failures.add(1, ordering: .relaxed) }
            return .now(error.response)
        }
    }

    /// Judges a request by its head, before its body is read: gives the answer if there is no such path or method, or
    /// the caller may not call it; `nil` if the request may go on. Any thread.
    package func refusal(of request: HTTPRequest) -> HTTPResponse? {
        do throws(Problem) {
            _ = try admission(of: request)
            return nil
        } catch {
            return error.response
        }
    }

    private func route(_ request: HTTPRequest) throws(Problem) -> HTTPAnswer {
        guard case .route(let route, let path, let caller) = try admission(of: request) else {
            return .now(options(try path(of: request), request))
        }
        let query = try QueryParameters(request.query, allowed: route.query)
        return try route.handle(GatewayRequest(http: request, caller: caller, query: query, path: path))
    }

    private enum Admission {
        case options
        case route(Route, RoutePattern, Caller)
    }

    private func path(of request: HTTPRequest) throws(Problem) -> Path {
        guard let path = paths[request.path.count]?.first(where: { $0.pattern.matches(request.path) }) else {
            throw .notFound
        }
        return path
    }

    private func admission(of request: HTTPRequest) throws(Problem) -> Admission {
        let path = try path(of: request)
        if context.authenticator.isOpen {
            try LocalCallers(allowing: context.settings.allowedOrigins).check(request)
        }
        if request.method == "OPTIONS" { return .options }
        guard let route = path.routes.first(where: { $0.method.rawValue == request.method }) else {
            throw .methodNotAllowed(path.allowed)
        }
        let caller = try route.scope.map { (scope) throws(Problem) in try authenticate(request, route, scope) }
        return .route(route, path.pattern, caller ?? Caller(name: "", scopes: []))
    }

    private func authenticate(_ request: HTTPRequest, _ route: Route, _ scope: Scope) throws(Problem) -> Caller {
        var header = request.header("Authorization")
        if route.takesPasswords, let token = header.flatMap({ Self.password($0) }) { header = "Bearer \(token)" }
        let caller: Caller
        switch context.authenticator.authenticate(
            authorizationHeader: header, now: Int(context.clock.wall.milliseconds / 1000))
        {
        case .success(let known): caller = known
        case .failure(let failure):
            let basic = route.takesPasswords ? #", Basic realm="tideline""# : ""
            throw .unauthorized(failure.sentence, challenge: failure.challenge + basic)
        }
        guard caller.scopes.contains(scope) else { throw .forbidden(scope: scope.rawValue) }
        return caller
    }

    /// The password of HTTP's Basic scheme (RFC 7617); `nil` for other credentials. Any user name will do.
    private static func password(_ header: String) -> String? {
        let parts = header.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "basic", let bytes = Data(base64Encoded: String(parts[1])),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        return String(text[text.index(after: colon)...])
    }

    private func options(_ path: Path, _ request: HTTPRequest) -> HTTPResponse {
        let allow = path.allowed.joined(separator: ", ")
        var headers = [HTTPField("Allow", allow)]
        if !context.settings.allowedOrigins.isEmpty, request.header("Access-Control-Request-Method") != nil {
            headers += CrossOrigin.preflight(allow)
        }
        return HTTPResponse(204, headers: headers)
    }
}
