import Postgres

/// A connection that is ready to be written to: its tables are there, and no other sink of the same content writes to
/// them while it lasts.
///
/// The lock is the server's, held by the session, so it ends with the connection. A column of `tideline_schema` counts
/// the sinks that were opened: by it a sink that has lost its connection knows whether another one took its place.
final class PostgresSession {
    let connection: PostgresConnection
    let place: PostgresPlace
    /// What the sink is known by when it comes back.
    let identity: Identity

    struct Identity {
        /// The number of the sink among all that were opened here.
        var number: Int64
        /// The server's process, which may outlive a connection that is lost.
        var serverProcess: Int64
    }

    /// - Parameters:
    ///   - known: the sink's identity in its session before; `nil` at its first one.
    ///   - patience: how long another sink is waited for, which may be a dead one's session.
    init(
        _ address: PostgresAddress, of content: SinkContent, known: Identity?, patience: Duration
    ) throws(SinkError) {
        var place = PostgresPlace(address)
        do throws(PostgresError) {
            connection = try PostgresConnection(address)
            try Self.configure(connection)
        } catch {
            throw SinkError(error, "connect to", place)
        }
        try Self.lock(connection, place, content, known, patience)
        place.schema = try Self.prepare(connection, place)
        self.place = place
        do throws(PostgresError) {
            try connection.run(PostgresSchema.statements(content.batch))
            let sinks = content.counter
            let sql =
                known == nil
                ? "UPDATE tideline_schema SET \(sinks) = \(sinks) + 1 RETURNING \(sinks)"
                : "SELECT \(sinks) FROM tideline_schema"
            identity = Identity(
                number: try connection.run(sql).integer(0, 0) ?? 0, serverProcess: connection.serverProcess)
        } catch {
            throw SinkError(error, "open", place)
        }
        if let known, known.number != identity.number {
            let reason =
                "another sink took this one's place while it was away: start it again, and it goes on from there"
            throw .refused(SinkFault(place: place.description, operation: "write to", reason: reason))
        }
    }

    /// Sets what the address, the role and the server leave open, so that nothing is waited for for ever.
    private static func configure(_ connection: PostgresConnection) throws(PostgresError) {
        let limits = [
            ("statement_timeout", "30s"), ("lock_timeout", "10s"), ("tcp_keepalives_idle", "15"),
            ("tcp_keepalives_interval", "5"), ("tcp_keepalives_count", "3"), ("work_mem", "64MB"),
        ].map { name, value in
            PostgresStatement(
                """
                SELECT set_config(name, $1, false) FROM pg_settings
                WHERE name = $2 AND source NOT IN ('client', 'user', 'database', 'database user')
                """, [value, name])
        }
        // A sink that is killed in the middle of a statement gives its lock back at once.
        let check = PostgresStatement(
            """
            DO $$ BEGIN PERFORM set_config('client_connection_check_interval', '1s', false);
            EXCEPTION WHEN undefined_object OR invalid_parameter_value THEN NULL; END $$
            """)
        let rows = try connection.run(
            limits + [
                check, PostgresStatement("SET TIME ZONE 'UTC'"),
                PostgresStatement("SET standard_conforming_strings = on"),
                PostgresStatement("SELECT setting FROM pg_settings WHERE name = 'statement_timeout'"),
            ])
        // The server ends a statement by itself; if it does not, it is gone.
        let timeout = rows.last?.integer(0, 0) ?? 0
        connection.patience = timeout > 0 ? Duration.milliseconds(timeout) + .seconds(10) : nil
    }

    /// Makes the tables, or migrates them: one sink after the other, for that of timelines and that of reloads may
    /// start at once.
    ///
    /// - Returns: the name of their schema.
    private static func prepare(
        _ connection: PostgresConnection, _ place: PostgresPlace
    ) throws(SinkError) -> String {
        func run(_ statements: String...) throws(SinkError) {
            do throws(PostgresError) {
                try connection.run(statements.map { PostgresStatement($0) })
            } catch {
                throw SinkError(error, "open", place)
            }
        }
        try run("BEGIN", "SELECT pg_advisory_xact_lock(\(tablesClass), hashtext(current_schema()))")
        let schema = try PostgresSchema.prepare(connection, place)
        try run("COMMIT")
        return schema
    }

    private static func lock(
        _ connection: PostgresConnection, _ place: PostgresPlace, _ content: SinkContent, _ known: Identity?,
        _ patience: Duration
    ) throws(SinkError) {
        let milliseconds = patience.components.seconds * 1000 + 1
        do throws(PostgresError) {
            try connection.run([
                PostgresStatement("BEGIN"), PostgresStatement("SET LOCAL lock_timeout = \(milliseconds)"),
                PostgresStatement("SELECT pg_advisory_lock(\(content.lockClass), hashtext(current_schema()))"),
                PostgresStatement("COMMIT"),
            ])
        } catch {
            guard error.code == "55P03" else { throw SinkError(error, "lock", place) }
            let holder = try Self.holder(connection, place, content)
            // The server has not noticed yet that this sink's own connection was lost.
            if let known, known.serverProcess == holder.process {
                let reason = "the session of the connection that was lost still has the lock"
                throw .unavailable(SinkFault(place: place.description, operation: "lock", reason: reason))
            }
            throw .refused(
                SinkFault(
                    place: place.description, operation: "lock", reason: "another sink writes there\(holder.text)"))
        }
    }

    /// "Tids": the class of the lock of the tables themselves.
    private static let tablesClass = 0x5469_6473

    /// Says who has the lock.
    private static func holder(
        _ connection: PostgresConnection, _ place: PostgresPlace, _ content: SinkContent
    ) throws(SinkError) -> (text: String, process: Int64?) {
        do throws(PostgresError) {
            try connection.run("ROLLBACK")
            let rows = try connection.run(
                """
                SELECT pid, concat('process ', pid, ' of role ', usename, ', ', application_name, ', from ',
                    coalesce(host(client_addr), 'a local socket'), ', since ', backend_start::timestamptz(0))
                FROM pg_locks JOIN pg_stat_activity USING (pid)
                WHERE locktype = 'advisory' AND classid = \(content.lockClass) AND objsubid = 2 AND granted
                    AND objid::bigint = hashtext(current_schema())::bigint & x'ffffffff'::bigint
                    AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """)
            guard rows.count > 0 else { return ("", nil) }
            return (rows.text(0, 1).map { " (\($0))" } ?? "", rows.integer(0, 0))
        } catch {
            throw SinkError(error, "lock", place)
        }
    }
}

extension SinkContent {
    /// The class by which the lock of a sink is told from those of others: "Tide", "Tidr".
    fileprivate var lockClass: Int { self == .timelines ? 0x5469_6465 : 0x5469_6472 }

    /// The column of `tideline_schema` that counts the sinks.
    fileprivate var counter: String { self == .timelines ? "sinks" : "reload_sinks" }

    /// The statements that make `tideline_batch`.
    fileprivate var batch: String { self == .timelines ? PostgresSchema.batch : ReloadInsert.batch }
}
