import Crypto
import Testing

@testable import Access

@Suite("Bearer tokens")
struct AuthenticatorTests {
    private static func digest(_ token: String) -> String { SHA256.hash(Array(token.utf8)).hexadecimal }

    private static let authenticator = Result {
        try Authenticator(
            AccessSettings(tokens: [
                .init(name: "app", sha256: digest("app-token"), scopes: ["read"]),
                .init(name: "admin", sha256: digest("admin-token").uppercased(), scopes: ["read", "write"]),
                .init(
                    name: "phone", sha256: digest("phone-token"), scopes: ["read", "write"], recipients: ["phone"],
                    readers: ["anna", "ben"]),
                .init(name: "wall", sha256: digest("wall-token"), scopes: ["read"], recipients: ["wall"]),
            ]))
    }

    private func authenticate(_ header: String?) throws -> Result<Caller, AuthenticationFailure> {
        try Self.authenticator.get().authenticate(authorizationHeader: header, now: 0)
    }

    @Test("each token is its caller")
    func tokens() throws {
        #expect(try authenticate("Bearer app-token") == .success(Caller(name: "app", scopes: [.read])))
        #expect(try authenticate("bearer  admin-token") == .success(Caller(name: "admin", scopes: [.read, .write])))
        let phone = Caller(
            name: "phone", scopes: [.read, .write], recipients: .only(["phone"]), readers: .only(["anna", "ben"]))
        #expect(try authenticate("BEARER phone-token") == .success(phone))
        #expect(phone.readers.contains("anna") && !phone.readers.contains("eve") && !phone.recipients.contains("wall"))
    }

    @Test("a token that is confined to recipients alone sees no reader")
    func oneConfinement() throws {
        let wall = try authenticate("Bearer wall-token").get()
        #expect(wall.recipients == .only(["wall"]))
        #expect(wall.readers == .only([]))
    }

    @Test(
        "anything else is no caller",
        arguments: [
            (nil, AuthenticationFailure.missing), ("", .notBearer), ("Bearer", .notBearer), ("Bearer ", .notBearer),
            ("Basic YTpi", .notBearer), ("Digest a", .notBearer), ("app-token", .notBearer),
            ("Bearer app token", .notBearer),
            ("Bearer app-toke", .invalid), ("Bearer app-tokens", .invalid), ("Bearer App-token", .invalid),
            ("Bearer \u{e9}", .notBearer), ("Bearer a.b.c", .invalid),
            ("Bearer " + String(repeating: "x", count: 20_000), .invalid),
        ])
    func failures(header: String?, failure: AuthenticationFailure) throws {
        #expect(try authenticate(header) == .failure(failure))
        #expect(failure.challenge.hasPrefix(#"Bearer realm="tideline""#))
    }

    @Test("ids are told apart by their bytes")
    func bytes() {
        #expect(Confinement.only(["\u{e9}"]).contains("\u{e9}"))
        #expect(!Confinement.only(["\u{e9}"]).contains("e\u{301}"))
    }

    @Test("a digest is no token")
    func digestIsNoToken() throws {
        #expect(try authenticate("Bearer \(Self.digest("app-token"))") == .failure(.invalid))
    }

    @Test("without credentials everybody is let in")
    func open() throws {
        let authenticator = try Authenticator(AccessSettings())
        #expect(authenticator.isOpen)
        #expect(authenticator.authenticate(authorizationHeader: nil, now: 0) == .success(.anonymous))
        #expect(Caller.anonymous.may(.write))
    }

    @Test("a setting that cannot be used is named")
    func badSettings() {
        typealias Token = AccessSettings.Token
        let good = Token(name: "a", sha256: Self.digest("a"), scopes: ["read"])
        let cases: [([Token], String)] = [
            ([Token(name: "a", sha256: "abc", scopes: ["read"])], "tokens[0].sha256"),
            (
                [good, Token(name: "b", sha256: String(repeating: "g", count: 64), scopes: ["read"])],
                "tokens[1].sha256"
            ),
            ([good, Token(name: "b", sha256: good.sha256, scopes: ["read"])], "tokens[1].sha256"),
            ([Token(name: "b", sha256: Self.digest(""), scopes: ["read"])], "tokens[0].sha256"),
            ([Token(name: "", sha256: good.sha256, scopes: ["read"])], "tokens[0].name"),
            ([Token(name: "b", sha256: good.sha256, scopes: [])], "tokens[0].scopes"),
            ([Token(name: "b", sha256: good.sha256, scopes: ["read", "admin"])], "tokens[0].scopes[1]"),
        ]
        for (tokens, setting) in cases {
            let error = #expect(throws: AccessError.self) { try Authenticator(AccessSettings(tokens: tokens)) }
            #expect(error?.setting == setting)
        }
    }

    @Test("an address that others reach is refused without credentials")
    func loopback() {
        for address in ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost", "LOCALHOST", "::ffff:127.0.0.1"] {
            #expect(Loopback.contains(address), "\(address)")
            #expect(Loopback.refusal(of: address, AccessSettings()) == nil)
        }
        let token = AccessSettings.Token(name: "a", sha256: "", scopes: [])
        for address in [
            "0.0.0.0", "::", "10.0.0.1", "127.0.0.1.example.com", "127.1", "127.0.0.256", "example.com", "",
        ] {
            #expect(!Loopback.contains(address), "\(address)")
            #expect(Loopback.refusal(of: address, AccessSettings())?.setting == "listen")
            #expect(Loopback.refusal(of: address, AccessSettings(tokens: [token])) == nil)
        }
    }
}
