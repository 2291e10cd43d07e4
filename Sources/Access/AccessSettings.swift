/// The credentials that are accepted. Without any, everybody may do everything.
package struct AccessSettings: Hashable, Sendable {
    package var tokens: [Token]
    package var jwt: JWT?

    package init(tokens: [Token] = [], jwt: JWT? = nil) {
        self.tokens = tokens
        self.jwt = jwt
    }

    /// True if everybody is let in.
    package var isOpen: Bool { tokens.isEmpty && jwt == nil }

    /// A bearer token, known by its digest alone.
    package struct Token: Hashable, Sendable {
        package var name: String
        /// The SHA-256 of the token's bytes in 64 hexadecimal digits, as `sha256sum` writes it.
        package var sha256: String
        /// At least one of `read` and `write`.
        package var scopes: [String]
        package var recipients: [String]?
        package var readers: [String]?

        package init(
            name: String, sha256: String, scopes: [String], recipients: [String]? = nil, readers: [String]? = nil
        ) {
            self.name = name
            self.sha256 = sha256
            self.scopes = scopes
            self.recipients = recipients
            self.readers = readers
        }
    }

    /// JSON Web Tokens (RFC 7519). The claims `scope` (RFC 8693 section 4.2), `recipients` and `readers` say what the
    /// caller may do; `exp` must be there.
    package struct JWT: Hashable, Sendable {
        /// What `iss` must be; `nil` stands for anything.
        package var issuer: String?
        /// What `aud` must be or contain; `nil` stands for anything.
        package var audience: String?
        /// `HS256`, `ES256` and `RS256`; nothing else is accepted.
        package var algorithms: [String]
        /// The key of HS256: 32 bytes at least (RFC 7518 section 3.2).
        package var secret: String?
        /// The text of a public key in PEM: of the curve P-256 for ES256, RSA with 2048 bits or more for RS256.
        package var publicKey: String?
        /// The text of a JSON Web Key Set (RFC 7517).
        package var jwks: String?
        /// The seconds by which the issuer's clock may differ.
        package var leeway: Int

        package init(
            issuer: String? = nil, audience: String? = nil, algorithms: [String], secret: String? = nil,
            publicKey: String? = nil, jwks: String? = nil, leeway: Int = 30
        ) {
            self.issuer = issuer
            self.audience = audience
            self.algorithms = algorithms
            self.secret = secret
            self.publicKey = publicKey
            self.jwks = jwks
            self.leeway = leeway
        }
    }
}

/// The addresses that only this machine reaches.
package enum Loopback {
    /// Returns whether an address to listen on is a loopback address: 127.0.0.0/8, `::1` or `localhost`.
    package static func contains(_ address: String) -> Bool {
        var address = address.lowercased()[...]
        if address.hasPrefix("["), address.hasSuffix("]") { address = address.dropFirst().dropLast() }
        if address.hasPrefix("::ffff:") { address = address.dropFirst("::ffff:".count) }
        if address == "localhost" || address == "::1" || address == "0:0:0:0:0:0:0:1" { return true }
        let parts = address.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Returns the reason not to listen on an address: others reach it, and everybody would be let in.
    package static func refusal(of address: String, _ settings: AccessSettings) -> AccessError? {
        guard settings.isOpen, !contains(address) else { return nil }
        return AccessError(
            setting: "listen",
            message: """
                \(address) can be reached from other machines, and nobody would be asked for a token; set serve.tokens \
                or serve.jwt, or listen on 127.0.0.1
                """)
    }
}
