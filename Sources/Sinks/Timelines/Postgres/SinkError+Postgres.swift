import Postgres

extension SinkError {
    /// What passes is waited for; else the reason says what mends it, where that is known.
    init(_ error: PostgresError, _ operation: String, _ place: PostgresPlace) {
        let hint = place.remedy(for: error).map { "; \($0)" } ?? ""
        let fault = SinkFault(
            place: place.description, operation: operation, reason: error.description + hint,
            isUnknownHost: error.isUnknownHost)
        // At a commit the queue of notifications may be full, by a listener that is long in a transaction.
        let passes = error.kind == .passing || error.code == "54000"
        self = passes ? .unavailable(fault) : .refused(fault)
    }
}
