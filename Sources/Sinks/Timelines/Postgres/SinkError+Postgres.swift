import Postgres

extension SinkError {
    /// What passes is waited for; else the reason says what mends it, where that is known.
    init(_ error: PostgresError, _ operation: String, _ place: String) {
        let code = error.message.contains("no password supplied") ? "28P01" : error.code
        let hint = Self.remedies.first { $0.code == code }.map { "; \($0.text)" } ?? ""
        let fault = SinkFault(
            place: place, operation: operation, reason: error.description + hint, isUnknownHost: error.isUnknownHost)
        // At a commit the queue of notifications may be full, by a listener that is long in a transaction.
        let passes = error.kind == .passing || error.code == "54000"
        self = passes ? .unavailable(fault) : .refused(fault)
    }

    private static let remedies = [
        (code: "28P01", text: "give the password in PGPASSWORD or in the file that PGPASSFILE names"),
        (code: "3D000", text: "make it with CREATE DATABASE NAME ENCODING 'UTF8'"),
        (
            code: "42501",
            text: "the role needs GRANT CREATE, USAGE ON SCHEMA, GRANT TEMPORARY ON DATABASE, and to own the tables or"
                + " GRANT SELECT, INSERT, UPDATE, DELETE ON them"
        ),
        (code: "42P01", text: "start the sink again to have its tables made"),
    ]
}
