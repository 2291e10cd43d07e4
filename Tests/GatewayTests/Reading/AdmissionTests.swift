import Access
import Crypto
import HTTPServer
import Times
import Testing

@testable import Gateway

@Suite("What is known of a caller before and after the request")
struct AdmissionTests {
    @Test("a request is refused by its head as it would be with its body")
    func admission() throws {
        let tokens = [
            AccessSettings.Token(name: "a", sha256: StageTokens.digest(of: "reads"), scopes: ["read"]),
            AccessSettings.Token(name: "b", sha256: StageTokens.digest(of: "writes"), scopes: ["write"]),
        ]
        let stage = try ReadingStage(tokens: tokens).start()
        func refusal(_ method: String, _ path: String, _ token: String?) throws -> Int? {
            let headers = token.map { [HTTPField("Authorization", "Bearer \($0)")] } ?? []
            let request = try HTTPRequest(method: method, target: path, headers: HTTPHeaders(headers))
            return stage.router.refusal(of: request)?.status
        }
        #expect(try refusal("PUT", "/v1/configurations/a", nil) == 401)
        #expect(try refusal("PUT", "/v1/configurations/a", "guessed") == 401)
        #expect(try refusal("PUT", "/v1/configurations/a", "reads") == 403)
        #expect(try refusal("PUT", "/v1/configurations/a", "writes") == nil)
        #expect(try refusal("POST", "/v1/configurations/a", "writes") == 405)
        #expect(try refusal("PUT", "/v1/nothing", "writes") == 404)
        #expect(try refusal("OPTIONS", "/v1/configurations/a", nil) == nil)
        #expect(try refusal("GET", "/v1/timelines", "reads") == nil)
    }

    @Test("a stream lives no longer than its caller's token")
    func lifetime() throws {
        let secret = "a secret of thirty-two bytes or more"
        let jwt = AccessSettings.JWT(algorithms: ["HS256"], secret: secret, leeway: 30)
        let stage = try ReadingStage(jwt: jwt).start()
        let now = Int(stage.context.clock.wall.milliseconds / 1000)
        func part(_ json: String) -> String { Array(json.utf8).base64URL }
        let message = part(#"{"alg":"HS256"}"#) + "." + part(#"{"exp":\#(now + 600),"scope":"read"}"#)
        let token = message + "." + HMAC.sha256(Array(message.utf8), key: Array(secret.utf8)).base64URL
        func stream(_ header: String) throws -> EventStream? {
            let headers = HTTPHeaders([HTTPField("Authorization", header)])
            let answer = stage.router.respond(try HTTPRequest(target: "/v1/stream", headers: headers))
            guard case .events(let stream) = answer else { return nil }
            return stream
        }
        let lifetime = try #require(try stream("Bearer \(token)")?.lifetime)
        #expect(lifetime > .seconds(629) && lifetime <= .seconds(631))
        let open = try ReadingStage().start().router.respond(try HTTPRequest(target: "/v1/stream"))
        guard case .events(let stream) = open else { return #expect(Bool(false), "\(open)") }
        #expect(stream.lifetime == nil)
    }
}
