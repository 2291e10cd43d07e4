import Crypto
import Foundation

/// The address that reloads are posted to, and the secret that signs them.
package struct WebhookSettings: Hashable, Sendable {
    package var url: WebhookURL
    package var secret: WebhookSecret

    package init(url: WebhookURL, secret: WebhookSecret) {
        self.url = url
        self.secret = secret
    }
}

/// The address of a webhook: `https`, or `http` if nobody outside can listen, on loopback and within a cluster.
package struct WebhookURL: Hashable, Sendable {
    package let text: String
    /// The host, with the port if one is named. Logs show no more of the address.
    package let host: String

    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String
    }

    /// - Parameter form: the end of the sentence that refuses what is no address at all.
    package init(
        _ text: String, form: String = "must be an address such as https://example.com/reloads, or apns"
    ) throws(Problem) {
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme)
        else { throw Problem(description: form) }
        guard parts.user == nil, parts.password == nil, parts.fragment == nil else {
            throw Problem(description: "must be an address without user, password and fragment")
        }
        if scheme == "http", !Self.isInside(host) {
            throw Problem(
                description: "must be https; http is for loopback and hosts within a cluster"
                    + " (localhost, names without a dot, *.svc, *.local, *.internal, private IPv4 addresses)")
        }
        self.text = text
        self.host = parts.port.map { "\(host):\($0)" } ?? host
    }

    /// The scheme and the host: path and query may be secrets.
    package var shown: String { "\(text.prefix { $0 != ":" }.lowercased())://\(host)/…" }

    /// The path without what of it may be a secret.
    var shownPath: String {
        let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
        return TimelineAddress.shown(path: String(text[start...].drop { !"/?#".contains($0) }))
    }

    /// Distinguishes addresses in names: 16 hexadecimal digits.
    package var digest: String {
        Array(SHA256.hash(Array(text.utf8)).prefix(8)).hexadecimal
    }

    private static func isInside(_ host: String) -> Bool {
        let host = host.lowercased()
        if host.hasPrefix("[") || host.contains(":") { return ["[::1]", "::1"].contains(host) }
        let bytes = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        if bytes.count == 4, !bytes.contains(nil) {
            return switch (bytes[0], bytes[1]) {
            case (127, _), (10, _), (192, 168): true
            case (172, .some(16...31)): true
            default: false
            }
        }
        return !host.contains(".") || [".svc", ".local", ".internal", ".localhost"].contains { host.hasSuffix($0) }
    }
}

/// The secret that signs a webhook's requests (Standard Webhooks 1.0): `whsec_` and base64, or plain text.
/// No text shows it.
package struct WebhookSecret: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: [UInt8]

    package var description: String { "(masked)" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    package static let allowed = "24 to 64 bytes: whsec_ and base64, or plain text"

    /// `nil` if the text is not allowed.
    package init?(_ text: String) {
        let prefix = "whsec_"
        if text.hasPrefix(prefix) {
            guard let data = Data(base64Encoded: String(text.dropFirst(prefix.count))) else { return nil }
            bytes = Array(data)
        } else {
            bytes = Array(text.utf8)
        }
        guard (24...64).contains(bytes.count) else { return nil }
    }
}
