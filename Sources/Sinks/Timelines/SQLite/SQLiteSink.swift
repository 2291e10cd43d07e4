package import RecordLog
import SQLite

/// The newest timeline of each configuration, its entries and the positions, in a file of SQLite: exactly once.
///
/// Positions are committed with what was written, so that a sink which is killed at any point goes on as if it had not
/// been. Readers open the file by themselves: they see whole batches, and hold up nobody (WAL).
/// A file has one sink at a time; a lock beside it (`FILE.lock`) says so.
package final class SQLiteSink: TimelineSink {
    package let name: String
    package var isTransactional: Bool { true }
    private let path: String
    private let lock: FileLock
    private let database: SQLiteDatabase
    private let rows: TimelineRows
    private let positionRows: PositionRows

    /// Opens the file; makes it if it is not there.
    ///
    /// - Throws: `refused` also if another sink, of any process, writes to it, if its tables are not a sink's, or of a
    ///   later release.
    package init(file path: String, name: String = "sqlite") throws(SinkError) {
        self.name = name
        self.path = path
        lock = try FileLock(path + ".lock")
        do throws(SQLiteError) {
            // Who reads it is decided by the directory's owner, as for files.
            database = try SQLiteDatabase(path, permissions: 0o644)
            // Readers go on while a batch is written. A commit is on the disk when it returns.
            try database.execute(
                """
                PRAGMA busy_timeout=2000; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;
                PRAGMA wal_autocheckpoint=4000
                """)
        } catch {
            throw SinkError(error, "open", path)
        }
        try SQLiteSchema.prepare(database, path)
        do throws(SQLiteError) {
            rows = try TimelineRows(database)
            positionRows = try PositionRows(database)
        } catch {
            throw SinkError(error, "open", path)
        }
    }

    package func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] {
        try attempt("read") { () throws(SQLiteError) in try positionRows.positions(of: topic) }
    }

    package func write(_ record: SinkRecord) throws(SinkError) -> SinkOutcome {
        try begin()
        guard let value = record.timeline(for: name) else {
            let isRemoved = try attempt("write to") { () throws(SQLiteError) in
                try rows.remove(record.configurationId)
            }
            return isRemoved ? .removed : .unchanged
        }
        // No more is asked of it than of a file: a later release may say more, and other things.
        let isReadable = try attempt("write to") { () throws(SQLiteError) in try rows.isReadable(value) }
        guard let stamp = TimelineStamp(value), isReadable else {
            throw .unusable(reason: "the value is not a timeline, a JSON object with a revision")
        }
        return try attempt("write to") { () throws(SQLiteError) in
            let known = try rows.stamp(of: record.configurationId)
            if let known, stamp.isOlder(than: known.stamp) { return .unchanged }
            if let known, known.stamp == stamp, known.value == value { return .unchanged }
            try rows.replace(value, stamp, record, isNew: known == nil)
            return .written
        }
    }

    /// The commit of `keep` makes all durable.
    package func flush() throws(SinkError) {}

    package func rollBack() {
        // Some failures have ended it already. If it cannot be ended, the next statement says so.
        if !database.isInAutocommit { try? database.execute("ROLLBACK") }
    }

    package func keep(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError) {
        try begin()
        try attempt("write to") { () throws(SQLiteError) in
            try positionRows.replace(positions, of: topic)
            try database.execute("COMMIT")
        }
    }

    /// SQLite itself knows whether a transaction is open.
    private func begin() throws(SinkError) {
        guard database.isInAutocommit else { return }
        try attempt("write to") { () throws(SQLiteError) in try database.execute("BEGIN IMMEDIATE") }
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
