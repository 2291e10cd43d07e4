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
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header: Header = Self.decoded(parts[0]), header.crit == nil,
            let algorithm = JWTAlgorithm(rawValue: header.alg),
            let signature = [UInt8](base64URL: String(decoding: parts[2], as: UTF8.self))
        else { return nil }
        let message = Array(token[..<parts[1].endIndex])
        let isNamed = { (key: VerificationKey) in header.kid == nil || key.id == nil || key.id == header.kid }
        for key in keys where key.algorithm == algorithm && isNamed(key) {
            switch header.typ?.lowercased() {
            case nil, "jwt":
                // libjwt compares codes byte by byte up to the first difference, whose place can be measured. So a
                // wrong code never gets there.
                if algorithm == .HS256, !key.verifies(message, signature) { continue }
                if let claims = JWTHandle(token, key: key)?.claims { return claims }
            case "at+jwt", "application/at+jwt":
                // What RFC 9068 calls an access token libjwt refuses to read.
                if key.verifies(message, signature) { return Self.decoded(parts[1]) }
            default:
                return nil
            }
        }
        return nil
    }

    private static func decoded<Value: Decodable>(_ part: ArraySlice<UInt8>) -> Value? {
        guard let bytes = [UInt8](base64URL: String(decoding: part, as: UTF8.self)) else { return nil }
        return try? JSONDecoder().decode(Value.self, from: Data(bytes))
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

/// The head of a token, as far as it matters (RFC 7515 section 4.1).
private struct Header: Decodable {
    var alg: String
    var typ: String?
    var kid: String?
    /// Extensions that a reader must know, of which none is known here.
    var crit: [String]?
}

/// libjwt's token, verified.
private final class JWTHandle {
    private let token: OpaquePointer

    /// Returns `nil` where the token cannot be read, its signature is not the key's, or its algorithm another than the
    /// key's.
    init?(_ text: [UInt8], key: VerificationKey) {
        var token: OpaquePointer?
        let text = text.map { CChar(bitPattern: $0) } + [0]
        guard jwt_decode(&token, text, key.bytes, Int32(key.bytes.count)) == 0, let token else { return nil }
        self.token = token
        let isSame =
            switch key.algorithm {
            case .HS256: jwt_get_alg(token) == JWT_ALG_HS256
            case .ES256: jwt_get_alg(token) == JWT_ALG_ES256
            case .RS256: jwt_get_alg(token) == JWT_ALG_RS256
            }
        if !isSame { return nil }
    }

    deinit {
        jwt_free(token)
    }

    var claims: Claims? {
        guard let text = jwt_get_grants_json(token, nil) else { return nil }
        defer { free(text) }
        return try? JSONDecoder().decode(Claims.self, from: Data(bytes: text, count: strlen(text)))
    }
}
