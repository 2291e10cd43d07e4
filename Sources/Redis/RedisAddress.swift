import Foundation

/// The address of a Redis: `redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]`.
///
/// Its text never has the password.
package struct RedisAddress: Hashable, Sendable, CustomStringConvertible {
    package var host: String
    package var port: Int32 = 6379
    package var database: Int = 0
    package var user: String?
    package var password: RedisPassword?

    package struct Problem: Error, CustomStringConvertible {
        package var description: String
    }

    /// The host in brackets if it is an address of IPv6.
    package var description: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "redis://\(host):\(port)\(database == 0 ? "" : "/\(database)")"
    }

    /// Reads a URL, or `HOST[:PORT][/DATABASE]`. Percent-encoding is undone in user and password.
    ///
    /// - Throws: what is wrong; the password is not in it.
    package init(_ text: String) throws(Problem) {
        var rest = text[...]
        if rest.hasPrefix("rediss://") {
            throw Problem(
                description: "rediss:// needs a hiredis with TLS, which Debian 12 does not have: let a proxy such as"
                    + " stunnel do TLS, and name it with redis://")
        }
        host = ""
        if rest.hasPrefix("redis://") { rest = rest.dropFirst("redis://".count) }
        if let at = rest.lastIndex(of: "@") {
            try readCredentials(rest[..<at])
            rest = rest[rest.index(after: at)...]
        }
        if let slash = rest.firstIndex(of: "/") {
            let path = rest[rest.index(after: slash)...]
            guard let number = path.isEmpty ? 0 : Int(path), number >= 0, number <= 1_000_000 else {
                throw Problem(description: "the database of a redis: target must be a number, as in redis://HOST/0")
            }
            database = number
            rest = rest[..<slash]
        }
        let (host, port) = try Self.split(rest)
        self.host = String(host)
        if let port {
            guard let number = Int32(port), (1...65_535).contains(number) else {
                throw Problem(description: "the port of a redis: target must be a number from 1 to 65535")
            }
            self.port = number
        }
    }

    private mutating func readCredentials(_ text: Substring) throws(Problem) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts[0].removingPercentEncoding,
            let secret = (parts.count == 2 ? parts[1] : "").removingPercentEncoding
        else {
            throw Problem(description: "user and password of a redis: target must be percent-encoded UTF-8")
        }
        user = name.isEmpty ? nil : name
        password = secret.isEmpty ? nil : RedisPassword(secret)
    }

    private static func split(_ text: Substring) throws(Problem) -> (host: Substring, port: Substring?) {
        let host: Substring
        var rest: Substring
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
        } else {
            let end = text.firstIndex(of: ":") ?? text.endIndex
            host = text[..<end]
            rest = text[end...]
        }
        let isPort = rest.isEmpty || rest.removeFirst() == ":" && !rest.isEmpty
        guard !host.isEmpty, isPort else {
            throw Problem(description: "a redis: target must be redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]")
        }
        return (host, rest.isEmpty ? nil : rest)
    }
}

/// A password, which no text shows.
package struct RedisPassword: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    let secret: String

    package init(_ secret: String) { self.secret = secret }

    package var description: String { "(masked)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
