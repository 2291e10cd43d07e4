import CPostgres

/// Where a database is and how to get in, as libpq reads it: a URL, or keywords with values.
///
/// What it leaves out comes from libpq's environment variables (`PGPASSWORD`, `PGPASSFILE`, `PGSERVICE` …). Nothing
/// that describes it shows a password.
package struct PostgresAddress: Hashable, Sendable, CustomStringConvertible {
    /// libpq's keywords with their values, in libpq's order.
    let keywords: [String]
    let values: [String]
    /// The servers and the database, without a name or a password: `postgres://db.example:5432/timelines`.
    package let description: String
    /// The database, with what the environment says of it; `nil` where a service file may say it.
    package let database: String?
    /// The role that comes in, likewise; `nil` where a service file may name it.
    package let role: String?

    package struct Problem: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter text: `postgres://…`, `postgresql://…`, or `host=… dbname=…`.
    /// - Throws: what is wrong with it, without repeating it: a password may be anywhere in what is misspelt.
    package init(_ text: String) throws(Problem) {
        guard !text.utf8.contains(0) else { throw Problem(description: "must not hold a zero") }
        var message: UnsafeMutablePointer<CChar>?
        let parsed = PQconninfoParse(text, &message)
        defer {
            PQconninfoFree(parsed)
            PQfreemem(message)
        }
        guard let parsed else { throw Problem(description: Self.safe(message.map { String(cString: $0) } ?? "")) }
        let given = Self.pairs(parsed)
        let database = given.first { $0.keyword == "dbname" }?.value
        // libpq would read a second address from it, with another password.
        if let database, database.contains("://") || database.contains("=") {
            throw Problem(description: "must have the name of a database as dbname")
        }
        // libpq takes what stands before a slash of a password for a server, and the rest for a database.
        let ports = given.first { $0.keyword == "port" }?.value.split(separator: ",") ?? []
        guard database?.contains("@") != true, ports.allSatisfy({ UInt16($0) != nil }) else {
            throw Problem(description: Self.safe(""))
        }
        let all = given + Self.defaults.filter { pair in !given.contains { $0.keyword == pair.keyword } }
        keywords = all.map(\.keyword)
        values = all.map(\.value)
        let known = Self.withEnvironment(given)
        description = Self.place(known)
        // A service that the address names is read when libpq connects.
        let found = Self.first("service", of: given) == nil ? known : given
        let user = Self.first("user", of: found)
        role = user
        self.database = Self.first("dbname", of: found) ?? user
    }

    /// The value that the address itself has for one of libpq's keywords, or this module's default.
    package func value(of keyword: String) -> String? {
        keywords.firstIndex(of: keyword).map { values[$0] }
    }

    /// What holds where the address says nothing, so that a server that is gone is noticed: libpq waits for ever.
    private static let defaults: [(keyword: String, value: String)] = [
        ("connect_timeout", "10"), ("keepalives_idle", "15"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "30000"), ("client_encoding", "UTF8"), ("application_name", "tideline-sink"),
    ]

    private static func pairs(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [(keyword: String, value: String)] {
        var pairs: [(keyword: String, value: String)] = []
        var option = options
        while let keyword = option.pointee.keyword {
            // Whatever the address says, what is sent is UTF-8.
            if let value = option.pointee.val, String(cString: keyword) != "client_encoding" {
                pairs.append((String(cString: keyword), String(cString: value)))
            }
            option += 1
        }
        return pairs
    }

    /// What the address says, and behind it what the environment adds.
    private static func withEnvironment(
        _ given: [(keyword: String, value: String)]
    ) -> [(keyword: String, value: String)] {
        guard let defaults = PQconndefaults() else { return given }
        defer { PQconninfoFree(defaults) }
        return given + pairs(defaults)
    }

    private static func first(_ keyword: String, of pairs: [(keyword: String, value: String)]) -> String? {
        pairs.first { $0.keyword == keyword && !$0.value.isEmpty }?.value
    }

    /// Names the place.
    private static func place(_ known: [(keyword: String, value: String)]) -> String {
        func first(_ keyword: String) -> String? { Self.first(keyword, of: known) }
        let hosts = (first("host") ?? first("hostaddr") ?? "").split(separator: ",").map(String.init)
        let ports = (first("port") ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let servers = hosts.enumerated().map { index, host in
            let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
            return "\(host):\(port.isEmpty ? "5432" : port)"
        }
        return "postgres://\(servers.joined(separator: ","))/\(first("dbname") ?? first("user") ?? "")"
    }

    /// libpq's answer, if it names a keyword alone; others may quote a part of a password.
    private static func safe(_ message: String) -> String {
        let parts = message.split(separator: "\"", omittingEmptySubsequences: false)
        let isOfKeyword = message.hasPrefix("invalid URI query parameter") || message.hasPrefix("invalid connection")
        if isOfKeyword, parts.count > 1, known.contains(where: { $0.hasPrefix(parts[1].prefix(3)) }) {
            return "has \"\(parts[1])\", which libpq does not know"
        }
        return "is no address that libpq reads: postgres://USER@HOST:PORT/DATABASE?sslmode=…, or host=… dbname=…;"
            + " what is no letter or digit of a password is written as %XX in a URL"
    }

    /// The beginnings of what a misspelt keyword is likely to have been meant as.
    private static let known = [
        "ssl", "connect", "keepalives", "application", "target", "channel", "gss", "host", "tcp",
    ]
}
