import SQLite

/// The tables of a `SQLiteSink`, as Documentation/Consuming.md has them for whoever reads them.
enum SQLiteSchema {
    /// In the file's `user_version`. A file of a later version is refused; one of an earlier version is migrated.
    static let version: Int64 = 1
    /// In the file's `application_id`: "Tide". A file with tables and another id is somebody else's.
    static let applicationId: Int64 = 0x5469_6465

    /// Instants are milliseconds since 1970, so that `<=` compares them.
    static let tables = """
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
        """

    /// Makes the tables, or finds those that are there.
    ///
    /// - Throws: `SinkError.refused` if the file is of a later version, or not a sink's.
    static func prepare(_ database: SQLiteDatabase, _ path: String) throws(SinkError) {
        do throws(SQLiteError) {
            let found = try database.integer("PRAGMA user_version") ?? 0
            let id = try database.integer("PRAGMA application_id") ?? 0
            let isEmpty = try database.integer("SELECT count(*) FROM sqlite_schema") == 0
            if isEmpty {
                try database.execute("BEGIN IMMEDIATE")
                try database.execute(tables)
                try database.execute("PRAGMA application_id=\(applicationId)")
                try database.execute("PRAGMA user_version=\(version)")
                return try database.execute("COMMIT")
            }
            if id != applicationId { throw SQLiteError(foreign: path) }
            if found > version { throw SQLiteError(later: found) }
        } catch {
            throw SinkError(error, "open", path)
        }
    }
}

extension SQLiteError {
    /// A file that is a database, and not one of these.
    fileprivate init(foreign path: String) {
        self.init(code: Self.foreignCode, description: "its tables are not a sink's: name another file")
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
    /// What is over by itself is waited for: a lock of another program, a full disk, a disk that fails.
    init(_ error: SQLiteError, _ operation: String, _ path: String) {
        let fault = SinkFault(place: path, operation: operation, reason: error.description)
        self = error.isBusy || error.isFull || error.isInputOutput ? .unavailable(fault) : .refused(fault)
    }
}
