import Access
import Foundation
import Settings

/// The settings of `serve`.
extension Keys {
    static let serveListen = SettingKey(
        "serve.listen", .listenAddress, default: ListenAddress(host: "127.0.0.1", port: 8080),
        "The address that the HTTP API listens on; without tokens a loopback address. Port 0 takes a free one."
    )
    static let serveTokens = SettingKey(
        "serve.tokens", .tokens, default: [],
        "Bearer tokens, each with name, sha256 (tideline serve --hash-token makes it), scopes (read, write), and where"
            + " it is confined, recipients and readers.")
    static let serveJWTAlgorithms = SettingKey(
        "serve.jwt.algorithms", .list(of: .jwtAlgorithm), default: [],
        "The algorithms of JSON Web Tokens that are accepted; without any, no JSON Web Token is.")
    static let serveJWTIssuer = SettingKey(
        "serve.jwt.issuer", .optional(.string), default: nil, "The issuer (iss) that a JSON Web Token must have.")
    static let serveJWTAudience = SettingKey(
        "serve.jwt.audience", .optional(.string), default: nil, "The audience (aud) that a JSON Web Token must have.")
    static let serveJWTSecretFile = SettingKey(
        "serve.jwt.secret-file", .optional(.string), default: nil,
        "A file that holds the secret of HS256, 32 bytes or more; a line end behind it does not count.")
    static let serveJWTPublicKey = SettingKey(
        "serve.jwt.public-key", .optional(.string), default: nil,
        "A file that holds the public key of ES256 or RS256 in PEM.")
    static let serveJWTKeySet = SettingKey(
        "serve.jwt.jwks", .optional(.string), default: nil, "A file that holds a JSON Web Key Set.")
    static let serveTLSCertificate = SettingKey(
        "serve.tls.certificate", .optional(.string), default: nil,
        "A file that holds the server's certificate in PEM, and those up to the authority. With it the API speaks TLS.")
    static let serveTLSKey = SettingKey(
        "serve.tls.key", .optional(.string), default: nil, "A file that holds the certificate's private key in PEM.")
    static let serveCORS = SettingKey(
        "serve.cors", .list(of: .origin), default: [],
        "The origins whose pages may use the API from a browser; * stands for all.")
    static let serveCache = SettingKey(
        "serve.cache", .optional(.string), default: nil,
        "A file that keeps what was read, so that the next start is warm; each server has its own.")
    static let serveHeartbeat = SettingKey(
        "serve.heartbeat", .duration(.seconds(1) ... .seconds(300)), default: .seconds(15),
        "How often an idle stream gets a comment, so that proxies keep it open.")
    static let serveWait = SettingKey(
        "serve.wait", .duration(.milliseconds(100) ... .seconds(100)), default: .seconds(10),
        "How long a request with ?wait=true waits, at most.")
    static let serveReloadsCount = SettingKey(
        "serve.reloads.count", .integer(0...10_000_000), default: 100_000,
        "So many of the latest reloads are kept for those that were offline, at most.")
    static let serveReloadsAge = SettingKey(
        "serve.reloads.age", .duration(.seconds(60) ... .seconds(31 * 86_400)), default: .seconds(86_400),
        "Reloads that were announced longer ago are not kept.")
    static let serveBodyLimit = SettingKey(
        "serve.limits.body", .integer(1024...67_108_864), default: 1_048_576, "The most bytes of a request's body.")
    static let serveConnectionLimit = SettingKey(
        "serve.limits.connections", .integer(1...1_000_000), default: 16_384, "The most connections at a time.")
    static let serveRateLimit = SettingKey(
        "serve.limits.rate", .integer(0...1_000_000), default: 0,
        "The most requests per second from one address, and twice as many at once; 0 stands for as many as come.")
    static let serveStreamLimit = SettingKey(
        "serve.limits.streams", .integer(0...1_000_000), default: 12_000, "The most event streams at a time.")
    static let serveStreamBuffer = SettingKey(
        "serve.limits.stream-buffer", .integer(4096...67_108_864), default: 262_144,
        "The bytes that wait for a slow client before its event stream is closed.")

    static let serveKeys: [any SettingDeclaration] = [
        serveListen, serveTokens, serveJWTAlgorithms, serveJWTIssuer, serveJWTAudience, serveJWTSecretFile,
        serveJWTPublicKey, serveJWTKeySet, serveTLSCertificate, serveTLSKey, serveCORS, serveCache, serveHeartbeat,
        serveWait, serveReloadsCount, serveReloadsAge, serveBodyLimit, serveConnectionLimit, serveRateLimit,
        serveStreamLimit, serveStreamBuffer,
    ]

    static let serveRules = [
        SettingsRule(
            "a certificate and its key come together", keys: [serveTLSCertificate.name, serveTLSKey.name]
        ) { ($0[serveTLSCertificate] == nil) == ($0[serveTLSKey] == nil) }
    ]
}

/// An address to listen on.
struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A numeric address or `localhost`; of IPv6 without brackets.
    var host: String
    var port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST:PORT`, with brackets around an address of IPv6.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, !host.contains(/[\s\/@?#\[\]]/) else { return nil }
        self.init(host: String(host), port: Int(port))
    }

    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension SettingType<ListenAddress> {
    static var listenAddress: Self {
        SettingType(
            allowed: "HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080", read: { ListenAddress($0) },
            write: { $0.description })
    }
}

extension SettingType<String> {
    fileprivate static var origin: Self {
        .string(allowed: "an origin such as https://example.com, or *") { text in
            text == "*" || text.wholeMatch(of: /https?:\/\/[^\/\s]+/) != nil
        }
    }

    fileprivate static var jwtAlgorithm: Self {
        let names = ["HS256", "ES256", "RS256"]
        return SettingType(
            allowed: "one of \(names.joined(separator: ", "))", choices: names,
            read: { names.contains($0) ? $0 : nil }, write: { $0 })
    }
}
