import Testing

@testable import Access

@Suite("JSON Web Tokens")
struct JWTTests {
    private typealias JWT = AccessSettings.JWT

    /// Authenticates one of Python's tokens twice: what was verified before must come out the same.
    private func authenticate(
        _ name: String, _ settings: AccessSettings.JWT, now: Int = SignedTokens.now
    ) async throws -> Result<Caller, AuthenticationFailure> {
        let token = try #require(try await SignedTokens.made.value.tokens[name], "no token \(name)")
        let authenticator = try Authenticator(AccessSettings(jwt: settings))
        let first = authenticator.authenticate(authorizationHeader: "Bearer \(token)", now: now)
        #expect(authenticator.authenticate(authorizationHeader: "Bearer \(token)", now: now) == first)
        return first
    }

    /// All three algorithms, each with its key.
    private func settings(issuer: String? = nil, audience: String? = nil) async throws -> AccessSettings.JWT {
        JWT(
            issuer: issuer, audience: audience, algorithms: ["HS256", "RS256", "ES256"], secret: SignedTokens.secret,
            jwks: try await SignedTokens.made.value.jwks)
    }

    /// Expires with its token, half a minute for clocks included.
    private static let anna = Caller(name: "anna", scopes: [.read, .write], expiry: SignedTokens.now + 630)

    @Test(
        "each algorithm verifies",
        arguments: [
            "HS256", "RS256", "ES256", "kid", "RSA kid", "HS256 access",
            "RS256 access", "ES256 access", "no type",
        ])
    func verified(name: String) async throws {
        #expect(try await authenticate(name, settings()) == .success(Self.anna))
    }

    @Test("a public key in PEM verifies its own algorithm")
    func pem() async throws {
        let made = try await SignedTokens.made.value
        let rsa = JWT(algorithms: ["RS256"], publicKey: made.rsaPEM)
        let ec = JWT(algorithms: ["ES256"], publicKey: made.ecPEM)
        #expect(try await authenticate("RS256", rsa) == .success(Self.anna))
        #expect(try await authenticate("ES256", ec) == .success(Self.anna))
        #expect(try await authenticate("ES256", rsa) == .failure(.invalid))
        #expect(try await authenticate("RS256", ec) == .failure(.invalid))
        // A key in PEM has no name, so it serves a token that asks for any.
        #expect(try await authenticate("kid", ec) == .success(Self.anna))
    }

    @Test("a public key is no secret")
    func confusion() async throws {
        let made = try await SignedTokens.made.value
        let rsa = JWT(algorithms: ["RS256", "HS256"], secret: SignedTokens.secret, publicKey: made.rsaPEM)
        let ec = JWT(algorithms: ["ES256", "HS256"], secret: SignedTokens.secret, publicKey: made.ecPEM)
        #expect(try await authenticate("confused RSA", rsa) == .failure(.invalid))
        #expect(try await authenticate("confused EC", ec) == .failure(.invalid))
    }

    @Test(
        "nothing else does",
        arguments: [
            "HS256 tampered", "RS256 tampered", "ES256 tampered", "HS256 without signature",
            "RS256 without signature", "ES256 without signature", "HS256 cut", "RS256 cut", "ES256 cut", "none",
            "None", "HS384", "empty secret", "other key", "wrong kid", "unknown kid", "crit", "no exp", "exp text",
            "recipients text", "other type", "other key access", "confused access", "HS256 access tampered",
            "RS256 access tampered", "ES256 access tampered", "HS256 access cut", "RS256 access cut",
            "ES256 access cut", "ES256 access without signature",
        ])
    func refused(name: String) async throws {
        #expect(try await authenticate(name, settings()) == .failure(.invalid))
    }

    @Test("an algorithm that is not in the settings is refused, right as the signature is")
    func algorithms() async throws {
        let made = try await SignedTokens.made.value
        let jwt = JWT(algorithms: ["ES256"], secret: SignedTokens.secret, jwks: made.jwks)
        #expect(try await authenticate("ES256", jwt) == .success(Self.anna))
        #expect(try await authenticate("HS256", jwt) == .failure(.invalid))
        #expect(try await authenticate("RS256", jwt) == .failure(.invalid))
    }

    @Test("a token has its time, with half a minute for clocks")
    func times() async throws {
        let now = SignedTokens.now
        let jwt = try await settings()
        #expect(try await authenticate("HS256", jwt, now: now + 629) == .success(Self.anna))
        #expect(try await authenticate("HS256", jwt, now: now + 630) == .failure(.expired))
        #expect(try await authenticate("fraction", jwt, now: now + 30).get().expiry == now + 31)
        #expect(try await authenticate("fraction", jwt, now: now + 31) == .failure(.expired))
        #expect(try await authenticate("not yet", jwt, now: now + 269) == .failure(.notYetValid))
        #expect(try await authenticate("not yet", jwt, now: now + 270) == .success(Self.anna))
    }

    @Test("a token that was verified expires all the same")
    func expiresWhenKnown() async throws {
        let made = try await SignedTokens.made.value
        let authenticator = try Authenticator(AccessSettings(jwt: try await settings()))
        let header = "Bearer " + (made.tokens["ES256"] ?? "")
        let now = SignedTokens.now
        #expect(authenticator.authenticate(authorizationHeader: header, now: now) == .success(Self.anna))
        #expect(authenticator.authenticate(authorizationHeader: header, now: now + 700) == .failure(.expired))
    }

    @Test("issuer and audience must be the configured ones")
    func issuers() async throws {
        let issuer = try await settings(issuer: "issuer")
        #expect(try await authenticate("HS256", issuer) == .success(Self.anna))
        #expect(try await authenticate("other issuer", issuer) == .failure(.invalid))
        #expect(try await authenticate("no issuer", issuer) == .failure(.invalid))
        let audience = try await settings(audience: "tideline")
        #expect(try await authenticate("HS256", audience) == .success(Self.anna))
        #expect(try await authenticate("audiences", audience) == .success(Self.anna))
        #expect(try await authenticate("other audience", audience) == .failure(.invalid))
        #expect(try await authenticate("no audience", audience) == .failure(.invalid))
    }

    @Test("claims say what the caller may do")
    func claims() async throws {
        let jwt = try await settings()
        func caller(_ scopes: Set<Scope>) -> Caller {
            Caller(name: "anna", scopes: scopes, expiry: SignedTokens.now + 630)
        }
        #expect(try await authenticate("no scope", jwt) == .success(caller([])))
        #expect(try await authenticate("read", jwt) == .success(caller([.read])))
        let confined = try await authenticate("confined", jwt).get()
        #expect(confined.recipients == .only(["phone"]) && confined.readers == .only(["anna"]))
        let recipients = try await authenticate("recipients alone", jwt).get()
        #expect(recipients.recipients == .only(["phone"]) && recipients.readers == .only([]))
    }

    @Test("a key that cannot be used is named")
    func badKeys() async throws {
        let made = try await SignedTokens.made.value
        let cases: [(AccessSettings.JWT, String)] = [
            (JWT(algorithms: [], secret: SignedTokens.secret), "jwt.algorithms"),
            (JWT(algorithms: ["none"], secret: SignedTokens.secret), "jwt.algorithms[0]"),
            (JWT(algorithms: ["HS256", "RS256"], secret: SignedTokens.secret), "jwt.algorithms[1]"),
            (JWT(algorithms: ["HS256"]), "jwt.algorithms[0]"),
            (JWT(algorithms: ["ES256"], publicKey: made.rsaPEM), "jwt.algorithms[0]"),
            (JWT(algorithms: ["HS256"], secret: "short"), "jwt.secret"),
            (JWT(algorithms: ["RS256"], publicKey: "no key"), "jwt.publicKey"),
            (JWT(algorithms: ["RS256"], publicKey: made.smallRSAPEM), "jwt.publicKey"),
            (JWT(algorithms: ["ES256"], publicKey: made.p384PEM), "jwt.publicKey"),
            (JWT(algorithms: ["ES256"], publicKey: "-----BEGIN PRIVATE KEY-----"), "jwt.publicKey"),
            (JWT(algorithms: ["ES256"], jwks: "{}"), "jwt.jwks"),
            (JWT(algorithms: ["ES256"], jwks: #"{"keys": []}"#), "jwt.jwks"),
            (JWT(algorithms: ["ES256"], jwks: made.privateJWKS), "jwt.jwks keys[0]"),
            (
                JWT(algorithms: ["ES256"], jwks: #"{"keys": [{"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}]}"#),
                "jwt.jwks keys[0]"
            ),
            (
                JWT(algorithms: ["RS256"], jwks: #"{"keys": [{"kty": "RSA", "n": "!", "e": "AQAB"}]}"#),
                "jwt.jwks keys[0]"
            ),
        ]
        for (jwt, setting) in cases {
            let error = #expect(throws: AccessError.self) { try Authenticator(AccessSettings(jwt: jwt)) }
            #expect(error?.setting == setting, "\(error.debugDescription)")
        }
    }

    @Test("a point beside the curve is no key")
    func pointBesideTheCurve() {
        let zeros = String(repeating: "A", count: 43)
        let jwks = #"{"keys": [{"kty": "EC", "crv": "P-256", "x": "\#(zeros)", "y": "\#(zeros)"}]}"#
        #expect(throws: AccessError.self) {
            try Authenticator(AccessSettings(jwt: JWT(algorithms: ["ES256"], jwks: jwks)))
        }
    }

    @Test("many threads verify at once")
    func threads() async throws {
        let made = try await SignedTokens.made.value
        let authenticator = try Authenticator(AccessSettings(jwt: try await settings()))
        let names = ["HS256", "RS256", "ES256", "ES256 tampered"]
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<400 {
                group.addTask {
                    let name = names[index % names.count]
                    let header = "Bearer " + (made.tokens[name] ?? "")
                    let result = authenticator.authenticate(authorizationHeader: header, now: SignedTokens.now)
                    return (try? result.get()) == (name == "ES256 tampered" ? nil : Self.anna)
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
