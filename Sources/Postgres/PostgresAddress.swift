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
        description = Self.place(given)
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

    /// Names the place with what the environment adds to the address.
    private static func place(_ given: [(keyword: String, value: String)]) -> String {
        var known = given
        if let defaults = PQconndefaults() {
            known += pairs(defaults)
            PQconninfoFree(defaults)
        }
        func first(_ keyword: String) -> String? {
            known.first { $0.keyword == keyword && !$0.value.isEmpty }?.value
        }
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
