internal import CJWT
import Crypto
import Foundation

/// Verifies JSON Web Tokens (RFC 7519, and RFC 8725 for what can go wrong).
///
/// The token does not choose how it is verified: its algorithm must be one of the settings', and a key serves its own
/// algorithm alone.
struct JWTVerifier: Sendable {
    private let issuer: String?
    private let audience: String?
    private let keys: [VerificationKey]
    private let leeway: Int
    private let verified = VerifiedTokens()

    /// Longer tokens are refused unread.
    private static let bytesMax = 8192

    init(_ settings: AccessSettings.JWT) throws(AccessError) {
        issuer = settings.issuer
        audience = settings.audience
        leeway = settings.leeway
        var algorithms: [JWTAlgorithm] = []
        for (index, name) in settings.algorithms.enumerated() {
            guard let algorithm = JWTAlgorithm(rawValue: name) else {
                throw AccessError(
                    setting: "jwt.algorithms[\(index)]", message: "must be HS256, ES256 or RS256, not \(name)")
            }
            algorithms.append(algorithm)
        }
        var keys: [VerificationKey] = []
        if let secret = settings.secret {
            keys.append(try VerificationKey(secret: Array(secret.utf8), setting: "jwt.secret"))
        }
        if let publicKey = settings.publicKey {
            keys.append(try VerificationKey(pem: publicKey, setting: "jwt.publicKey"))
        }
        if let jwks = settings.jwks { keys += try KeySet(jwks, setting: "jwt.jwks").keys }
        guard !algorithms.isEmpty else {
            throw AccessError(setting: "jwt.algorithms", message: "must have at least one of HS256, ES256 and RS256")
        }
        for (index, algorithm) in algorithms.enumerated() where !keys.contains(where: { $0.algorithm == algorithm }) {
            let sources = algorithm == .HS256 ? "jwt.secret or jwt.jwks" : "jwt.publicKey or jwt.jwks"
            throw AccessError(
                setting: "jwt.algorithms[\(index)]", message: "\(algorithm.rawValue) needs a key: \(sources)")
        }
        self.keys = keys.filter { algorithms.contains($0.algorithm) }
    }

    /// - Parameter digest: the token's SHA-256, by which one that was verified before is known.
    func caller(of token: [UInt8], digest: [UInt8], now: Int) -> Result<Caller, AuthenticationFailure> {
        if let known = verified.token(digest) { return known.caller(now: now, leeway: leeway) }
        guard token.count <= Self.bytesMax, let claims = claims(of: token), let known = accepted(claims) else {
            return .failure(.invalid)
        }
        verified.remember(known, digest)
        return known.caller(now: now, leeway: leeway)
    }

    // MARK: - Signature

    /// Returns the claims of a token that one of the keys has signed.
    private func claims(of token: [UInt8]) -> Claims? {
        let text = token.map { CChar(bitPattern: $0) } + [0]
        // Without a key nothing is verified: the header alone is of interest, to find the key.
        guard let unverified = JWTHandle(text, key: []) else { return nil }
        guard let algorithm = unverified.algorithm, !unverified.hasCriticalHeaders else { return nil }
        let id = unverified.keyID
        for key in keys where key.algorithm == algorithm && (id == nil || key.id == nil || key.id == id) {
            // libjwt compares codes byte by byte up to the first difference, whose place can be measured. So a wrong
            // code never gets there.
            if algorithm == .HS256, !Self.hasCode(token, key.bytes) { continue }
            guard let verified = JWTHandle(text, key: key.bytes), verified.verifiedAlgorithm == algorithm else {
                continue
            }
            return verified.claims
        }
        return nil
    }

    private static func hasCode(_ token: [UInt8], _ secret: [UInt8]) -> Bool {
        guard let dot = token.lastIndex(of: UInt8(ascii: ".")) else { return false }
        let code = HMAC.sha256(Array(token[..<dot]), key: secret).base64URL
        return TimingSafe.isEqual(Array(code.utf8), Array(token[(dot + 1)...]))
    }

    // MARK: - Claims

    private func accepted(_ claims: Claims) -> VerifiedToken? {
        guard let expiry = claims.exp, expiry.isFinite, claims.nbf?.isFinite ?? true else { return nil }
        if let issuer, claims.iss != issuer { return nil }
        if let audience, claims.aud?.values.contains(audience) != true { return nil }
        let confinement = Confinement.of(recipients: claims.recipients, readers: claims.readers)
        let end = Int(min(max(expiry.rounded(.up), 0), 1e15)) + leeway
        return VerifiedToken(
            caller: Caller(
                name: claims.sub ?? "a JSON Web Token", scopes: claims.scopes, recipients: confinement.recipients,
                readers: confinement.readers, expiry: end),
            expiry: expiry, notBefore: claims.nbf)
    }
}

/// What a token says. A claim of another type than here makes the token invalid.
struct Claims: Decodable {
    var iss: String?
    var sub: String?
    var aud: Audience?
    var exp: Double?
    var nbf: Double?
    /// Names with spaces between them (RFC 8693 section 4.2).
    var scope: String?
    var recipients: [String]?
    var readers: [String]?

    /// Scopes of others are passed over.
    var scopes: Set<Scope> { Set((scope ?? "").split(separator: " ").compactMap { Scope(rawValue: String($0)) }) }

    /// One or more (RFC 7519 section 4.1.3).
    struct Audience: Decodable {
        var values: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let one = try? container.decode(String.self) {
                values = [one]
            } else {
                values = try container.decode([String].self)
            }
        }
    }
}

/// libjwt's token, read and, where there is a key, verified.
private final class JWTHandle {
    private let token: OpaquePointer

    /// Returns `nil` where the token cannot be read, or its signature is not the key's.
    init?(_ text: [CChar], key: [UInt8]) {
        var token: OpaquePointer?
        let result = key.isEmpty ? jwt_decode(&token, text, nil, 0) : jwt_decode(&token, text, key, Int32(key.count))
        guard result == 0, let token else { return nil }
        self.token = token
    }

    deinit {
        jwt_free(token)
    }

    /// The algorithm that the header names, or `nil` where it is none of ours, such as `none`.
    var algorithm: JWTAlgorithm? {
        jwt_get_header(token, "alg").flatMap { JWTAlgorithm(rawValue: String(cString: $0)) }
    }

    /// The algorithm by which libjwt has verified the token.
    var verifiedAlgorithm: JWTAlgorithm? {
        switch jwt_get_alg(token) {
        case JWT_ALG_HS256: .HS256
        case JWT_ALG_ES256: .ES256
        case JWT_ALG_RS256: .RS256
        default: nil
        }
    }

    /// Extensions that a reader must know (RFC 7515 section 4.1.11), of which none is known here.
    var hasCriticalHeaders: Bool {
        guard let text = jwt_get_headers_json(token, "crit") else { return false }
        free(text)
        return true
    }

    var keyID: String? { jwt_get_header(token, "kid").map { String(cString: $0) } }

    var claims: Claims? {
        guard let text = jwt_get_grants_json(token, nil) else { return nil }
        defer { free(text) }
        return try? JSONDecoder().decode(Claims.self, from: Data(bytes: text, count: strlen(text)))
    }
}
