import Glibc
import RecordLog
import SQLite

/// A database file with the tables of sinks, and the transaction that is open in it. One thread owns it.
///
/// A file has one sink of timelines and one of reloads at a time; a lock beside it says so. Their transactions wait for
/// each other.
final class SQLiteTarget {
    private let database: SQLiteDatabase
    private let path: String
    private let lock: FileLock
    private let positionRows: PositionRows
    /// The records that the database has refused since the last commit.
    private var refused: [SinkRecord: BadRecord] = [:]
    /// The number of the file that is open.
    private let file: UInt64?

    /// Opens the file; makes it if it is not there.
    ///
    /// - Throws: `refused` also if another sink of this content, of any process, writes to it, if its tables are not a
    ///   sink's, or of a later release.
    init(file path: String, of content: SinkContent) throws(SinkError) {
        self.path = path
        try Self.checkFolder(of: path)
        lock = try FileLock(path + (content == .timelines ? ".lock" : ".reloads.lock"))
        do throws(SQLiteError) {
            // Who reads it is decided by the directory's owner, as for files.
            database = try SQLiteDatabase(path, permissions: 0o644)
            // Readers go on while a batch is written. A commit is on the disk when it returns.
            try database.execute(
                """
                PRAGMA busy_timeout=2000; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;
                PRAGMA wal_autocheckpoint=4000
                """)
            try SQLiteSchema.prepare(database)
            positionRows = try PositionRows(database)
        } catch {
            throw SinkError(error, "open", path)
        }
        file = Self.file(at: path)
    }

    private static func checkFolder(of path: String) throws(SinkError) {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
        let folder = String(path[..<slash])
        guard file(at: folder) == nil, errno == ENOENT else { return }
        let reason = "\(String(cString: strerror(ENOENT))): mkdir -p '\(folder)' makes its folder"
        throw .refused(SinkFault(place: path, operation: "open", reason: reason))
    }

    /// - Returns: `nil` if nothing is there.
    private static func file(at path: String) -> UInt64? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// Prepares what reads and writes rows of the tables.
    func prepared<Rows>(_ rows: (SQLiteDatabase) throws(SQLiteError) -> Rows) throws(SinkError) -> Rows {
        try attempt("open") { () throws(SQLiteError) in try rows(database) }
    }

    func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] {
        try attempt("read") { () throws(SQLiteError) in try positionRows.positions(of: topic) }
    }

    /// Does something in the transaction that is open, or begins one. SQLite itself knows whether one is open.
    func write<Result>(_ body: () throws(SQLiteError) -> Result) throws(SinkError) -> Result {
        try attempt("write to") { () throws(SQLiteError) in
            if database.isInAutocommit { try database.execute("BEGIN IMMEDIATE") }
            return try body()
        }
    }

    /// Writes a record, in the transaction that is open or a new one.
    ///
    /// What was written of the first record that the database refuses cannot be told from what was written of others,
    /// so the transaction has to be made again, without it. Each record has a savepoint then, until the commit; as long
    /// as nothing is refused, none has.
    ///
    /// - Throws: `recordRefused` or `unusable` if the database refuses the record.
    func write<Result>(
        _ record: SinkRecord, _ body: () throws(SQLiteError) -> Result
    ) throws(SinkError) -> Result {
        if let bad = refused[record] { throw .unusable(bad) }
        let hasSavepoint = !refused.isEmpty
        do throws(SQLiteError) {
            if database.isInAutocommit { try database.execute("BEGIN IMMEDIATE") }
            if hasSavepoint { try database.execute("SAVEPOINT record") }
            let result = try body()
            if hasSavepoint { try database.execute("RELEASE record") }
            return result
        } catch {
            guard error.isOfValue else { throw SinkError(error, "write to", path) }
            let field = SQLiteSchema.field(of: error.description)
            let bad = BadRecord(field: field, "SQLite refuses it: \(error)")
            refused[record] = bad
            guard hasSavepoint, returnToSavepoint() else {
                throw .recordRefused(SinkFault(place: path, operation: "write to", reason: error.description))
            }
            throw .unusable(bad)
        }
    }

    /// Undoes what was written of a record.
    ///
    /// - Returns: false if there is no transaction any more: a trigger may end it (`RAISE(ROLLBACK)`).
    private func returnToSavepoint() -> Bool {
        guard !database.isInAutocommit else { return false }
        do throws(SQLiteError) {
            try database.execute("ROLLBACK TO record; RELEASE record")
            return true
        } catch {
            return false
        }
    }

    func rollBack() {
        // Some failures have ended it already. If it cannot be ended, the next statement says so.
        if !database.isInAutocommit { try? database.execute("ROLLBACK") }
    }

    /// Commits what was written, with these positions in place of those that were kept before for the topic.
    func keep(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError) {
        // What is written to a file without a name is lost, and another sink may write to one that took its name.
        guard Self.file(at: path) == file else {
            let reason =
                "the file was removed or replaced while it was open; started again, the sink begins in the new one"
            throw .refused(SinkFault(place: path, operation: "write to", reason: reason))
        }
        try write { () throws(SQLiteError) in
            try positionRows.replace(positions, of: topic)
            try database.execute("COMMIT")
        }
        refused.removeAll()
    }

    private func attempt<Result>(
        _ operation: String, _ body: () throws(SQLiteError) -> Result
    ) throws(SinkError) -> Result {
        do throws(SQLiteError) {
            return try body()
        } catch {
            throw SinkError(error, operation, path)
        }
    }
}
