import Postgres
import RecordLog

/// Tables of a server, the session that writes to them, which is opened anew when it was lost, and the transaction that
/// is open in it. One thread owns it.
///
/// Tables have one sink of timelines and one of reloads at a time; a lock of the session says so.
final class PostgresTarget {
    private let address: PostgresAddress
    private let content: SinkContent
    private let lockPatience: Duration
    /// Called between the parts of a batch, each of which may take as long as the server allows a statement.
    var turned: () -> Void = {}
    /// `nil` until something is asked of it, and after the connection was lost.
    private var session: PostgresSession?
    private var identity: PostgresSession.Identity?
    private var known = AcknowledgedPositions()
    /// True if records were written that no commit has made count yet.
    private var isBegun = false

    /// Connects when it is first asked for something.
    ///
    /// - Parameter lockPatience: how long another sink is waited for before this one is refused, in whole seconds. The
    ///   server may take a while to notice that the one before was killed.
    init(_ address: PostgresAddress, of content: SinkContent, lockPatience: Duration) {
        self.address = address
        self.content = content
        self.lockPatience = lockPatience
    }

    func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] {
        known.found(nil, of: topic)
        let positions = try asking("read") { (connection) throws(PostgresError) in
            PostgresPositions.positions(try connection.run([PostgresPositions.select(topic)])[0])
        }
        known.found(positions, of: topic)
        return positions
    }

    /// Returns the texts in the first column of a query's rows.
    func texts(_ query: String) throws(SinkError) -> [String] {
        try asking("read") { (connection) throws(PostgresError) -> [String] in
            let rows = try connection.run(query)
            return (0..<rows.count).compactMap { rows.text($0, 0) }
        }
    }

    /// Writes records as rows, in the transaction that is open or a new one.
    ///
    /// - Parameter step: makes a row of a record and its ordinal.
    /// - Returns: the answer for each record.
    func write<Batch: PostgresBatch>(
        _ records: [SinkRecord], as batch: Batch.Type, _ step: (Int, SinkRecord) -> PostgresStep<Batch.Row>
    ) throws(SinkError) -> [SinkAnswer] {
        var answers: [Int: SinkAnswer] = [:]
        var rows: [Batch.Row] = []
        for (ordinal, record) in records.enumerated() {
            switch step(ordinal, record) {
            case .row(let row): rows.append(row)
            case .answered(let answer): answers[ordinal] = answer
            }
        }
        try asking("write to") { (connection) throws(PostgresError) in
            if !isBegun { try connection.run("BEGIN ISOLATION LEVEL READ COMMITTED") }
            isBegun = true
            try apply(rows[...], as: batch, connection, &answers)
        }
        return records.indices.map { ordinal in
            guard let answer = answers[ordinal] else { preconditionFailure("The server answers for each record.") }
            return answer
        }
    }

    func rollBack() {
        isBegun = false
        guard let connection = session?.connection, connection.isInTransaction else { return dropIfLost() }
        // What cannot be told to the server ends with the connection.
        if (try? connection.run("ROLLBACK")) == nil { session = nil }
    }

    /// Commits what was written, with these positions in place of those that were kept before for the topic.
    ///
    /// - Parameter more: is done in the same transaction.
    func keep(
        _ positions: [Partition: SinkPosition], of topic: String, with more: [PostgresStatement] = []
    ) throws(SinkError) {
        // Without records it is one transaction by itself, as all that is sent at once.
        let end = isBegun ? [PostgresStatement("COMMIT")] : []
        try asking("write to") { (connection) throws(PostgresError) in
            known.send(positions, of: topic)
            _ = try connection.run(more + PostgresPositions.replace(positions, of: topic) + end)
        }
        isBegun = false
        known.acknowledge()
    }

    /// Writes rows, and answers for each. If the server refuses a value, it is looked for by halves.
    private func apply<Batch: PostgresBatch>(
        _ rows: ArraySlice<Batch.Row>, as batch: Batch.Type, _ connection: PostgresConnection,
        _ answers: inout [Int: SinkAnswer]
    ) throws(PostgresError) {
        guard let first = rows.first else { return }
        // Rows of the half before are in the way.
        try connection.run([PostgresStatement("SAVEPOINT part"), PostgresStatement("DELETE FROM tideline_batch")])
        do throws(PostgresError) {
            try connection.copy(batch.copy, batch.rows(rows))
            let results = try connection.run(
                batch.statements.map { PostgresStatement($0) } + [PostgresStatement("RELEASE SAVEPOINT part")])
            let outcomes = results[results.count - 2]
            for row in 0..<outcomes.count {
                guard let ordinal = outcomes.integer(row, 0), let outcome = outcomes.text(row, 1) else { continue }
                answers[Int(ordinal)] =
                    batch.answer(outcome)
                    ?? .leftOut(BadRecord(noTimeline: rows.first { $0.ordinal == ordinal }?.value ?? []))
            }
        } catch {
            // What takes longer than the server allows (57014) may be done by halves.
            let isTooMuch = error.code == "57014" && rows.count > 1
            guard error.kind == .value || isTooMuch, connection.isUsable else { throw error }
            try connection.run([
                PostgresStatement("ROLLBACK TO SAVEPOINT part"), PostgresStatement("RELEASE SAVEPOINT part"),
            ])
            guard rows.count > 1 else {
                answers[first.ordinal] = .leftOut(RefusedField.badRecord(error, first.value ?? []))
                return
            }
            turned()
            let middle = rows.startIndex + rows.count / 2
            try apply(rows[..<middle], as: batch, connection, &answers)
            turned()
            try apply(rows[middle...], as: batch, connection, &answers)
        }
    }

    // MARK: - The session

    /// The session, which is opened if there is none; never in the middle of a transaction that began in another one.
    private func opened() throws(SinkError) -> PostgresSession {
        if let session { return session }
        guard !isBegun else {
            throw .unavailable(
                SinkFault(
                    place: address.description, operation: "write to",
                    reason: "the connection was lost in the middle of a transaction"))
        }
        let session = try PostgresSession(address, of: content, known: identity, patience: lockPatience)
        identity = session.identity
        try verify(session.connection)
        self.session = session
        return session
    }

    /// After a new connection: does the server still hold what it has acknowledged? A standby that took over may not,
    /// nor one whose commits do not wait for the disk.
    private func verify(_ connection: PostgresConnection) throws(SinkError) {
        try known.verify(at: address.description) { (topic) throws(SinkError) in
            do throws(PostgresError) {
                return PostgresPositions.positions(try connection.run([PostgresPositions.select(topic)])[0])
            } catch {
                throw SinkError(error, "read", PostgresPlace(address))
            }
        }
    }

    private func dropIfLost() {
        if session?.connection.isUsable == false { session = nil }
    }

    /// Asks something of the server, in the session that is there or a new one.
    private func asking<Answer>(
        _ operation: String, _ body: (PostgresConnection) throws(PostgresError) -> Answer
    ) throws(SinkError) -> Answer {
        let session = try opened()
        do throws(PostgresError) {
            return try body(session.connection)
        } catch {
            dropIfLost()
            throw SinkError(error, operation, session.place)
        }
    }
}
