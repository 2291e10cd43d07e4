import Postgres

/// The tables of the sinks of PostgreSQL, as Documentation/Consuming.md has them for whoever reads them. They are in
/// the first schema of the session's search path that is there.
package enum PostgresSchema {
    /// What brings the tables from each version to the next one; a schema without them is of version 0.
    static let steps = [
        """
        CREATE TABLE timelines(
            configuration_id text PRIMARY KEY, kind text NOT NULL, family text NOT NULL, recipient text NOT NULL,
            revision bigint NOT NULL, refresh_count bigint NOT NULL, generated_at timestamptz, next_update timestamptz,
            valid_until timestamptz, value text NOT NULL, source_partition integer NOT NULL,
            source_offset bigint NOT NULL);
        CREATE INDEX timelines_recipient ON timelines(recipient, kind);
        CREATE INDEX timelines_next_update ON timelines(next_update);
        CREATE TABLE entries(
            configuration_id text NOT NULL, position integer NOT NULL, entry_id text NOT NULL, date timestamptz,
            phase text NOT NULL, title text, value jsonb NOT NULL, PRIMARY KEY(configuration_id, position));
        CREATE INDEX entries_date ON entries(configuration_id, date, position);
        CREATE TABLE positions(
            topic text NOT NULL, partition integer NOT NULL, next bigint NOT NULL, begun bigint NOT NULL, cluster text,
            before_offset bigint, before_timestamp bigint, before_hash bigint, PRIMARY KEY(topic, partition))
        """,
        """
        CREATE TABLE reloads(
            recipient text NOT NULL, kind text NOT NULL, configuration_ids jsonb NOT NULL, reason text NOT NULL,
            revision bigint NOT NULL, issued_at timestamptz NOT NULL, budget_limit bigint NOT NULL,
            budget_remaining bigint NOT NULL, budget_resets_at timestamptz NOT NULL, value text NOT NULL,
            source_partition integer NOT NULL, source_offset bigint NOT NULL,
            PRIMARY KEY(source_partition, source_offset, issued_at));
        CREATE INDEX reloads_recipient ON reloads(recipient, issued_at);
        CREATE INDEX reloads_issued_at ON reloads(issued_at);
        CREATE TABLE reload_configurations(
            configuration_id text NOT NULL, issued_at timestamptz NOT NULL, source_partition integer NOT NULL,
            source_offset bigint NOT NULL,
            PRIMARY KEY(configuration_id, issued_at, source_partition, source_offset),
            FOREIGN KEY(source_partition, source_offset, issued_at) REFERENCES reloads ON DELETE CASCADE);
        CREATE INDEX reload_configurations_reload
            ON reload_configurations(source_partition, source_offset, issued_at);
        ALTER TABLE tideline_schema ADD reload_sinks bigint NOT NULL DEFAULT 0
        """,
    ]
    static var version: Int64 { Int64(steps.count) }

    /// The rows of a batch, before they are timelines. `value` is NULL where none is to be held.
    package static let batch = """
        CREATE TEMPORARY TABLE tideline_batch(
            ordinal integer NOT NULL, configuration_id text NOT NULL, value text, revision bigint,
            refresh_count bigint, source_partition integer NOT NULL, source_offset bigint NOT NULL)
        ON COMMIT DELETE ROWS;
        ALTER TABLE tideline_batch ALTER value SET STORAGE EXTERNAL
        """

    /// The fields of a record that an index or a table holds, for who is told what it refuses.
    static func field(of constraint: String) -> String? {
        switch constraint {
        case "timelines_pkey", "entries_pkey", "entries_date": "configurationId"
        case "timelines_recipient", "reloads_recipient": "recipient"
        case "reload_configurations_pkey": "configurationIds"
        default: nil
        }
    }

    /// Makes the tables, or brings those that are there to this version, in the transaction that is open. The caller
    /// holds the lock of the tables.
    ///
    /// - Returns: the name of their schema.
    /// - Throws: `SinkError.refused` if tables of their names are somebody else's, or of a later release.
    static func prepare(
        _ connection: PostgresConnection, _ place: PostgresPlace
    ) throws(SinkError) -> String {
        var place = place
        let found: PostgresRows
        do throws(PostgresError) {
            found = try connection.run(
                """
                SELECT current_schema(), current_setting('server_encoding'),
                    string_agg(relname, ', ' ORDER BY relname) FILTER (WHERE relname <> 'tideline_schema'),
                    bool_or(relname = 'tideline_schema')
                FROM pg_namespace LEFT JOIN pg_class ON relnamespace = pg_namespace.oid
                    AND relname IN (
                        'timelines', 'entries', 'positions', 'reloads', 'reload_configurations', 'tideline_schema')
                WHERE nspname = current_schema()
                """)
        } catch {
            throw SinkError(error, "open", place)
        }
        func refuse(_ reason: String) -> SinkError {
            .refused(SinkFault(place: place.description, operation: "open", reason: reason))
        }
        guard let schema = found.text(0, 0) else {
            throw refuse("no schema of its search_path is there: CREATE SCHEMA tideline; or name another one")
        }
        place.schema = schema
        if let encoding = found.text(0, 1), encoding != "UTF8" {
            throw refuse("its encoding is \(encoding): make a database with ENCODING 'UTF8'")
        }
        let hasVersion = found.text(0, 3) == "t"
        let later: Int64
        if let others = found.text(0, 2), !hasVersion {
            throw refuse(
                "the tables \(others) of schema \(schema) are not a sink's: name another schema, that is there, by"
                    + " ?options=-csearch_path%3DNAME")
        }
        do throws(PostgresError) {
            let version =
                hasVersion ? try connection.run("SELECT version FROM tideline_schema").integer(0, 0) ?? 0 : 0
            if version < Self.version { try migrate(connection, from: version, hasVersion: hasVersion) }
            if version <= Self.version { return schema }
            later = version
        } catch {
            throw SinkError(error, "open", place)
        }
        throw refuse("its tables are of version \(later), and this release knows \(Self.version) at most")
    }

    private static func migrate(
        _ connection: PostgresConnection, from version: Int64, hasVersion: Bool
    ) throws(PostgresError) {
        let first =
            hasVersion
            ? ""
            : "CREATE TABLE tideline_schema(version bigint NOT NULL, sinks bigint NOT NULL);"
                + "INSERT INTO tideline_schema VALUES(0, 0)"
        let texts = [first] + steps.dropFirst(Int(version)) + ["UPDATE tideline_schema SET version = \(Self.version)"]
        try connection.run(texts.flatMap(statements))
    }

    /// The statements of a text.
    static func statements(_ text: String) -> [PostgresStatement] {
        text.split(separator: ";").map { PostgresStatement(String($0)) }
    }
}
