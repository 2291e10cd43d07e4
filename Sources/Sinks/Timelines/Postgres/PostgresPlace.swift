import Postgres

/// Where the tables are, as failures name it, and what mends a failure there.
struct PostgresPlace: CustomStringConvertible {
    private let address: PostgresAddress
    /// The schema of the tables; `nil` until the server has told it.
    var schema: String?

    init(_ address: PostgresAddress) { self.address = address }

    /// The servers and the database, without a name or a password.
    var description: String { address.description }

    /// What mends a failure, with statements to paste; `nil` where that is not known.
    func remedy(for error: PostgresError) -> String? {
        let code = error.message.contains("no password supplied") ? "28P01" : error.code
        switch code ?? "" {
        case "28P01":
            // Unless the server trusts whoever comes, it does not say that a role is missing.
            return "give the password in PGPASSWORD or in the file that PGPASSFILE names; if the role is not there,"
                + " make it with \(newRole)"
        case "28000": return remedy(forRole: error.message)
        case "3D000":
            return "make it with CREATE DATABASE \(database) OWNER \(role) ENCODING 'UTF8' TEMPLATE template0"
        case "42501":
            return "the role needs GRANT CREATE, USAGE ON SCHEMA \(schemaName) TO \(role); GRANT TEMPORARY ON DATABASE"
                + " \(database) TO \(role); and to own the tables, or GRANT SELECT, INSERT, UPDATE, DELETE ON ALL"
                + " TABLES IN SCHEMA \(schemaName) TO \(role)"
        case "42P01": return "start the sink again to have its tables made"
        default: return nil
        }
    }

    /// One code is given for a role that is missing, one that may not log in, and one that the server lets in from
    /// elsewhere, or in another way.
    private func remedy(forRole message: String) -> String? {
        if message.contains("does not exist") { return "make it with \(newRole)" }
        if message.contains("not permitted to log in") { return "let it in with ALTER ROLE \(role) LOGIN" }
        if message.contains("pg_hba.conf") { return "let \(role) in by a line of the server's pg_hba.conf" }
        return nil
    }

    private var newRole: String { "CREATE ROLE \(role) LOGIN PASSWORD '…'" }
    private var role: String { Self.quoted(address.role, or: "ROLE") }
    private var database: String { Self.quoted(address.database, or: "DATABASE") }
    private var schemaName: String { Self.quoted(schema, or: "SCHEMA") }

    /// Words of SQL that are likely as names.
    private static let reserved = ["all", "default", "end", "group", "order", "table", "user"]

    /// A name as SQL takes it. Plain names stay without quotes, so that a line of a log in JSON can be pasted, too.
    private static func quoted(_ name: String?, or placeholder: String) -> String {
        guard let name else { return placeholder }
        let isPlain =
            name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
            && name.utf8.first.map { !(0x30...0x39).contains($0) } == true && !reserved.contains(name)
        return isPlain ? name : "\"\(name.replacing("\"", with: "\"\""))\""
    }
}
