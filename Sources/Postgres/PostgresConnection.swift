import CPostgres

/// A connection to a server, owned by one thread. Calls block for `patience` at most.
///
/// After a failure that has no code `isUsable` is false: nothing more can be done with it, and what was sent last may
/// have happened.
package final class PostgresConnection {
    let handle: OpaquePointer
    /// How long the server may say nothing while something is asked of it; `nil` waits for ever.
    package var patience: Duration? = .seconds(60)
    private var isGivenUp = false

    /// Connects, to the first server of the address that answers.
    ///
    /// Each step takes `connect_timeout` at most.
    package init(_ address: PostgresAddress) throws(PostgresError) {
        let handle = Self.begin(address)
        guard let handle else { throw PostgresError(lost: "no memory for a connection") }
        self.handle = handle
        // Only so the text of a failure has the server's code in it.
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        let seconds = address.value(of: "connect_timeout").flatMap { Int64($0) } ?? 10
        try connect(within: seconds > 0 ? .seconds(max(2, seconds)) : nil)
        PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        // What libpq has to say besides goes to standard error otherwise.
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
        guard PQsetnonblocking(handle, 1) == 0 else { throw lost() }
    }

    deinit { PQfinish(handle) }

    /// True until the connection is lost.
    package var isUsable: Bool { !isGivenUp && PQstatus(handle) == CONNECTION_OK }

    /// True between `BEGIN` and the end of its transaction, also if that has failed.
    package var isInTransaction: Bool {
        isUsable && PQtransactionStatus(handle) != PQTRANS_IDLE
    }

    /// The server's process of this session.
    package var serverProcess: Int64 { Int64(PQbackendPID(handle)) }

    private static func begin(_ address: PostgresAddress) -> OpaquePointer? {
        withCStrings(address.keywords) { keywords in
            withCStrings(address.values) { values in PQconnectStartParams(keywords, values, 0) }
        }
    }

    private func connect(within timeout: Duration?) throws(PostgresError) {
        var wanted = PGRES_POLLING_WRITING
        while PQstatus(handle) != CONNECTION_BAD {
            switch wanted {
            case PGRES_POLLING_OK: return
            case PGRES_POLLING_FAILED: throw refusal()
            default: break
            }
            let isReady = wait(wanted == PGRES_POLLING_READING ? .toRead : .toWrite, timeout)
            guard isReady else { throw PostgresError(lost: "no answer while connecting") }
            wanted = PQconnectPoll(handle)
        }
        throw refusal()
    }

    private func refusal() -> PostgresError {
        PostgresError(
            connecting: PQerrorMessage(handle).map { String(cString: $0) } ?? "",
            needsPassword: PQconnectionNeedsPassword(handle) != 0)
    }

    // MARK: - Statements

    /// Runs statements in one round trip; the first that fails ends it.
    ///
    /// Outside of a transaction that is begun in it, or before, they are one transaction.
    /// - Returns: the rows of each.
    @discardableResult
    package func run(_ statements: [PostgresStatement]) throws(PostgresError) -> [PostgresRows] {
        guard isUsable, PQenterPipelineMode(handle) == 1 else { throw lost() }
        for statement in statements {
            guard send(statement) else { throw lost() }
        }
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        try flush()
        var rows: [PostgresRows] = []
        var failure: PostgresError?
        while true {
            let next: OpaquePointer?
            do throws(PostgresError) {
                next = try nextResult()
            } catch {
                // Why the server ends the connection, it says first.
                throw failure ?? error
            }
            // After each statement's result there is none once.
            guard let result = next else { continue }
            let status = PQresultStatus(result)
            switch status {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
                rows.append(PostgresRows(result))
                continue
            case PGRES_PIPELINE_SYNC, PGRES_PIPELINE_ABORTED: break
            default: failure = failure ?? PostgresError(result)
            }
            PQclear(result)
            guard status == PGRES_PIPELINE_SYNC else { continue }
            guard PQexitPipelineMode(handle) == 1 else { throw lost() }
            if let failure { throw failure }
            return rows
        }
    }

    /// Runs one statement.
    @discardableResult
    package func run(_ sql: String, _ values: [String?] = []) throws(PostgresError) -> PostgresRows {
        try run([PostgresStatement(sql, values)])[0]
    }

    private func send(_ statement: PostgresStatement) -> Bool {
        let values = statement.values
        return withCStrings(values) { pointers in
            PQsendQueryParams(handle, statement.sql, Int32(values.count), nil, pointers, nil, nil, 0) == 1
        }
    }

    // MARK: - COPY

    /// Sends rows to a table: `COPY … FROM STDIN (FORMAT binary)`.
    package func copy(_ sql: String, _ rows: BinaryRows) throws(PostgresError) {
        guard isUsable, PQsendQuery(handle, sql) == 1 else { throw lost() }
        try flush()
        guard let begun = try nextResult() else { throw lost() }
        let status = PQresultStatus(begun)
        let refusal = PostgresError(begun)
        PQclear(begun)
        guard status == PGRES_COPY_IN else {
            try skipResults()
            throw refusal
        }
        let bytes = rows.bytes
        for start in stride(from: 0, to: bytes.count, by: Self.chunk) {
            try put(bytes[start..<min(start + Self.chunk, bytes.count)])
        }
        while true {
            let answer = PQputCopyEnd(handle, nil)
            if answer == 1 { break }
            guard answer == 0 else { throw lost() }
            try waitToSend()
        }
        try flush()
        try skipResults()
    }

    private static let chunk = 1 << 17

    private func put(_ bytes: ArraySlice<UInt8>) throws(PostgresError) {
        while true {
            let answer = bytes.withUnsafeBytes { bytes in
                PQputCopyData(handle, bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count))
            }
            if answer == 1 { return try flush() }
            guard answer == 0 else { throw lost() }
            try waitToSend()
        }
    }

    /// Reads what is left of a command's results; throws the first failure among them.
    private func skipResults() throws(PostgresError) {
        var failure: PostgresError?
        while let result = try nextResult() {
            let isGood = PQresultStatus(result) == PGRES_COMMAND_OK
            if !isGood { failure = failure ?? PostgresError(result) }
            PQclear(result)
        }
        if let failure { throw failure }
    }

    // MARK: - Failures

    /// The connection's failure, in libpq's words. Nothing more is done with it.
    func lost(_ reason: String? = nil) -> PostgresError {
        isGivenUp = true
        return PostgresError(lost: reason ?? PQerrorMessage(handle).map { String(cString: $0) } ?? "")
    }
}
