import SQLite

/// The tables of the sinks of SQLite, as Documentation/Consuming.md has them for whoever reads them.
enum SQLiteSchema {
    /// In the file's `user_version`. A file of a later version is refused; one of an earlier version is migrated.
    static var version: Int64 { Int64(steps.count) }
    /// In the file's `application_id`: "Tide". A file with tables and another id is somebody else's.
    static let applicationId: Int64 = 0x5469_6465

    /// What brings the tables from each version to the next one; an empty file is of version 0.
    ///
    /// Instants are milliseconds since 1970, so that `<=` compares them.
    static let steps = [
        """
        CREATE TABLE timelines(
            configuration_id TEXT PRIMARY KEY NOT NULL, kind TEXT NOT NULL, family TEXT NOT NULL,
            recipient TEXT NOT NULL, revision INTEGER NOT NULL, refresh_count INTEGER NOT NULL,
            generated_at INTEGER, next_update INTEGER, valid_until INTEGER, value TEXT NOT NULL,
            source_partition INTEGER NOT NULL, source_offset INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX timelines_recipient ON timelines(recipient, kind);
        CREATE INDEX timelines_next_update ON timelines(next_update);
        CREATE TABLE entries(
            configuration_id TEXT NOT NULL REFERENCES timelines ON DELETE CASCADE, position INTEGER NOT NULL,
            entry_id TEXT NOT NULL, date INTEGER, phase TEXT NOT NULL, title TEXT, value TEXT NOT NULL,
            PRIMARY KEY(configuration_id, position)) WITHOUT ROWID;
        CREATE INDEX entries_date ON entries(configuration_id, date, position);
        CREATE TABLE positions(
            topic TEXT NOT NULL, partition INTEGER NOT NULL, next INTEGER NOT NULL, begun INTEGER NOT NULL,
            cluster TEXT, before_offset INTEGER, before_timestamp INTEGER, before_hash INTEGER,
            PRIMARY KEY(topic, partition)) WITHOUT ROWID;
        """,
        """
        CREATE TABLE reloads(
            recipient TEXT NOT NULL, kind TEXT NOT NULL, configuration_ids TEXT NOT NULL, reason TEXT NOT NULL,
            revision INTEGER NOT NULL, issued_at INTEGER NOT NULL, budget_limit INTEGER NOT NULL,
            budget_remaining INTEGER NOT NULL, budget_resets_at INTEGER NOT NULL, value TEXT NOT NULL,
            source_partition INTEGER NOT NULL, source_offset INTEGER NOT NULL,
            PRIMARY KEY(source_partition, source_offset, issued_at)) WITHOUT ROWID;
        CREATE INDEX reloads_recipient ON reloads(recipient, issued_at);
        CREATE INDEX reloads_issued_at ON reloads(issued_at);
        CREATE TABLE reload_configurations(
            configuration_id TEXT NOT NULL, issued_at INTEGER NOT NULL, source_partition INTEGER NOT NULL,
            source_offset INTEGER NOT NULL,
            PRIMARY KEY(configuration_id, issued_at, source_partition, source_offset),
            FOREIGN KEY(source_partition, source_offset, issued_at) REFERENCES reloads ON DELETE CASCADE)
            WITHOUT ROWID;
        CREATE INDEX reload_configurations_reload
            ON reload_configurations(source_partition, source_offset, issued_at);
        """,
    ]

    /// Makes the tables, or brings those that are there to this version.
    ///
    /// - Throws: an error that does not pass if the file is of a later version, or not a sink's.
    static func prepare(_ database: SQLiteDatabase) throws(SQLiteError) {
        if try found(in: database) == version { return }
        // Another sink may make them at this moment.
        try database.execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            let found = try found(in: database)
            for step in steps.dropFirst(Int(found)) { try database.execute(step) }
            try database.execute("PRAGMA application_id=\(applicationId)")
            try database.execute("PRAGMA user_version=\(version)")
            try database.execute("COMMIT")
        } catch {
            try? database.execute("ROLLBACK")
            throw error
        }
    }

    /// The version of the tables that are there.
    private static func found(in database: SQLiteDatabase) throws(SQLiteError) -> Int64 {
        if try database.integer("SELECT count(*) FROM sqlite_schema") == 0 { return 0 }
        guard try database.integer("PRAGMA application_id") == applicationId else { throw .foreign }
        let found = try database.integer("PRAGMA user_version") ?? 0
        if found > version { throw SQLiteError(later: found) }
        return found
    }
}

extension SQLiteError {
    /// A file that is a database, and not one of these.
    fileprivate static var foreign: SQLiteError {
        SQLiteError(code: foreignCode, description: "its tables are not a sink's: name another file")
    }

    fileprivate init(later version: Int64) {
        self.init(
            code: Self.foreignCode,
            description: "its tables are of version \(version), and this release knows \(SQLiteSchema.version) at most")
    }

    /// `SQLITE_MISMATCH`.
    private static let foreignCode: Int32 = 20
}

extension SinkError {
    /// What is over by itself is waited for: a lock of another program, a full disk, a disk that fails. What the
    /// database refuses of one record, `SQLiteTarget.write` leaves out.
    init(_ error: SQLiteError, _ operation: String, _ path: String) {
        let fault = SinkFault(place: path, operation: operation, reason: error.description)
        self = error.isBusy || error.isFull || error.isInputOutput ? .unavailable(fault) : .refused(fault)
    }
}
