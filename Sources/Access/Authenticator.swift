internal import COpenSSL
import Crypto

/// Finds out who calls. A value of it may be used by any number of threads at once.
package struct Authenticator: Sendable {
    private let tokens: [KnownToken]
    private let verifier: JWTVerifier?

    private struct KnownToken {
        var digest: [UInt8]
        var caller: Caller
    }

    package init(_ settings: AccessSettings) throws(AccessError) {
        var tokens: [KnownToken] = []
        for (index, token) in settings.tokens.enumerated() {
            let known = try Self.known(token, setting: "tokens[\(index)]")
            guard !tokens.contains(where: { $0.digest == known.digest }) else {
                throw AccessError(setting: "tokens[\(index)].sha256", message: "is that of another token already")
            }
            tokens.append(known)
        }
        self.tokens = tokens
        if let jwt = settings.jwt { verifier = try JWTVerifier(jwt) } else { verifier = nil }
    }

    /// True if everybody is let in, since no credentials are configured.
    package var isOpen: Bool { tokens.isEmpty && verifier == nil }

    /// Returns the caller that an `Authorization` header stands for.
    ///
    /// - Parameters:
    ///   - authorizationHeader: the header's value, or `nil` where there is none.
    ///   - now: the seconds since 1970.
    package func authenticate(
        authorizationHeader: String?, now: Int
    ) -> Result<Caller, AuthenticationFailure> {
        if isOpen { return .success(.anonymous) }
        guard let authorizationHeader else { return .failure(.missing) }
        let parts = authorizationHeader.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return .failure(.notBearer) }
        return caller(of: Array(parts[1].drop { $0 == " " }.utf8), now: now)
    }

    private func caller(of token: [UInt8], now: Int) -> Result<Caller, AuthenticationFailure> {
        guard !token.isEmpty, token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return .failure(.notBearer) }
        let digest = SHA256.hash(token)
        if let caller = caller(of: digest) { return .success(caller) }
        guard let verifier else { return .failure(.invalid) }
        return verifier.caller(of: token, digest: digest, now: now)
    }

    /// Compares with every token in the same time, whichever it is: neither the place of a match nor the length of an
    /// almost-match can be measured.
    private func caller(of digest: [UInt8]) -> Caller? {
        var found: Caller?
        for token in tokens where TimingSafe.isEqual(token.digest, digest) { found = token.caller }
        return found
    }

    private static func known(_ token: AccessSettings.Token, setting: String) throws(AccessError) -> KnownToken {
        guard let digest = [UInt8](hexadecimal: token.sha256), digest.count == 32 else {
            throw AccessError(
                setting: "\(setting).sha256",
                message: "must be 64 hexadecimal digits, as in: printf %s TOKEN | sha256sum")
        }
        guard digest != SHA256.hash([]) else {
            throw AccessError(setting: "\(setting).sha256", message: "is that of an empty token")
        }
        guard !token.name.isEmpty else { throw AccessError(setting: "\(setting).name", message: "must not be empty") }
        var scopes: Set<Scope> = []
        for (index, name) in token.scopes.enumerated() {
            guard let scope = Scope(rawValue: name) else {
                throw AccessError(setting: "\(setting).scopes[\(index)]", message: "must be read or write, not \(name)")
            }
            scopes.insert(scope)
        }
        guard !scopes.isEmpty else {
            throw AccessError(setting: "\(setting).scopes", message: "must have at least one of read and write")
        }
        let confinement = Confinement.of(recipients: token.recipients, readers: token.readers)
        let caller = Caller(
            name: token.name, scopes: scopes, recipients: confinement.recipients, readers: confinement.readers)
        return KnownToken(digest: digest, caller: caller)
    }
}

/// Comparisons whose duration says nothing about the bytes.
enum TimingSafe {
    static func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
    }
}

extension [UInt8] {
    /// Two hexadecimal digits for each byte, in either case.
    init?(hexadecimal text: String) {
        let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8((digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0)) }
    }

    /// The URL-safe alphabet of base64, without padding (RFC 7515 section 2).
    init?(base64URL text: String) {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for digit in text.utf8 {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = digit - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = digit - UInt8(ascii: "a") + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0") + 52
            case UInt8(ascii: "-"): value = 62
            case UInt8(ascii: "_"): value = 63
            default: return nil
            }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        // One digit alone is no byte.
        guard count < 6 else { return nil }
        self = bytes
    }
}
