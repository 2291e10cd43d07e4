package import Postgres
package import RecordLog

/// The newest timeline of each configuration, its entries and the positions, in tables of PostgreSQL: exactly once.
///
/// A batch is one transaction: its rows go to a temporary table by COPY, one statement makes timelines and entries of
/// them, and the positions are committed with that. So a sink or a server that is killed at any point goes on as if it
/// had not been. What the server refuses of one record is found and left out; the others are written.
/// Tables have one sink at a time; a lock of its session says so.
package final class PostgresSink: BatchSink {
    package let name: String
    private let address: PostgresAddress
    private let lockPatience: Duration
    /// `nil` until something is asked of it, and after the connection was lost.
    private var session: PostgresSession?
    private var identity: PostgresSession.Identity?
    /// True if records were written that no commit has made count yet.
    private var isBegun = false

    /// Connects when it is first asked for something.
    ///
    /// - Parameter lockPatience: how long another sink is waited for before this one is refused, in whole seconds. The
    ///   server may take a while to notice that the one before was killed.
    package init(_ address: PostgresAddress, name: String = "postgres", lockPatience: Duration = .seconds(15)) {
        self.address = address
        self.name = name
        self.lockPatience = lockPatience
    }

    package func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] {
        try asking("read") { (connection) throws(PostgresError) in
            PostgresPositions.positions(try connection.run([PostgresPositions.select(topic)])[0])
        }
    }

    package func write(_ records: [SinkRecord]) throws(SinkError) -> [SinkAnswer] {
        var answers: [SinkAnswer?] = records.map(unusable)
        let rows = zip(records.indices, records).filter { answers[$0.0] == nil }.map { index, record in
            let value = record.timeline(for: name)
            return TimelineUpsert.Row(
                ordinal: index, record: record, value: value, stamp: value.flatMap { TimelineStamp($0) })
        }
        try asking("write to") { (connection) throws(PostgresError) in
            if !isBegun { try connection.run("BEGIN ISOLATION LEVEL READ COMMITTED") }
            isBegun = true
            try apply(rows[...], connection, &answers)
        }
        return answers.map { answer in
            guard let answer else { preconditionFailure("The server answers for each record.") }
            return answer
        }
    }

    /// The commit of `keep` makes all durable.
    package func flush() throws(SinkError) {}

    package func rollBack() {
        isBegun = false
        guard let connection = session?.connection, connection.isInTransaction else { return dropIfLost() }
        // What cannot be told to the server ends with the connection.
        if (try? connection.run("ROLLBACK")) == nil { session = nil }
    }

    package func keep(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError) {
        // Positions alone are one transaction by themselves, as all that is sent at once.
        let end = isBegun ? [PostgresStatement("COMMIT")] : []
        try asking("write to") { (connection) throws(PostgresError) in
            _ = try connection.run(PostgresPositions.replace(positions, of: topic) + end)
        }
        isBegun = false
    }

    // MARK: - Records

    /// The answer for a record that no server could take; `nil` if there is nothing wrong with it.
    private func unusable(_ record: SinkRecord) -> SinkAnswer? {
        if record.configurationId.utf8.contains(0) {
            let id = record.configurationId.replacing("\u{0}", with: "\\u0000")
            return .leftOut(
                reason: "configuration \(id), field configurationId: PostgreSQL takes no text with U+0000")
        }
        guard let value = record.timeline(for: name) else { return nil }
        guard String(validating: value, as: UTF8.self) != nil, TimelineStamp(value) != nil else {
            return Self.unreadable
        }
        return nil
    }

    private static let unreadable = SinkAnswer.leftOut(
        reason: "the value is not a timeline, a JSON object with a revision and entries")

    /// Writes rows, and answers for each. If the server refuses a value, it is looked for by halves.
    private func apply(
        _ rows: ArraySlice<TimelineUpsert.Row>, _ connection: PostgresConnection, _ answers: inout [SinkAnswer?]
    ) throws(PostgresError) {
        guard let first = rows.first else { return }
        // Rows of the half before are in the way.
        try connection.run([PostgresStatement("SAVEPOINT part"), PostgresStatement("DELETE FROM tideline_batch")])
        do throws(PostgresError) {
            try connection.copy(TimelineUpsert.copy, TimelineUpsert.rows(rows))
            let outcomes = try connection.run([
                PostgresStatement(TimelineUpsert.sql), PostgresStatement("RELEASE SAVEPOINT part"),
            ])[0]
            for row in 0..<outcomes.count {
                guard let ordinal = outcomes.integer(row, 0), let outcome = outcomes.text(row, 1) else { continue }
                answers[Int(ordinal)] = Self.answer(outcome)
            }
        } catch {
            guard error.kind == .value, connection.isUsable else { throw error }
            try connection.run([
                PostgresStatement("ROLLBACK TO SAVEPOINT part"), PostgresStatement("RELEASE SAVEPOINT part"),
            ])
            guard rows.count > 1 else {
                answers[first.ordinal] = .leftOut(reason: RefusedField.reason(error, first))
                return
            }
            let middle = rows.startIndex + rows.count / 2
            try apply(rows[..<middle], connection, &answers)
            try apply(rows[middle...], connection, &answers)
        }
    }

    private static func answer(_ outcome: String) -> SinkAnswer {
        switch outcome {
        case "written": .done(.written)
        case "removed": .done(.removed)
        case "unreadable": unreadable
        default: .done(.unchanged)
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
        let session = try PostgresSession(address, known: identity, patience: lockPatience)
        identity = session.identity
        self.session = session
        return session
    }

    private func dropIfLost() {
        if session?.connection.isUsable == false { session = nil }
    }

    /// Asks something of the server, in the session that is there or a new one.
    private func asking<Answer>(
        _ operation: String, _ body: (PostgresConnection) throws(PostgresError) -> Answer
    ) throws(SinkError) -> Answer {
        let connection = try opened().connection
        do throws(PostgresError) {
            return try body(connection)
        } catch {
            dropIfLost()
            throw SinkError(error, operation, address.description)
        }
    }
}
