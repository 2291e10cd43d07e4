import CSQLite
import Glibc

/// A failure of SQLite, in its words.
package struct SQLiteError: Error, CustomStringConvertible {
    package let code: Int32
    package let description: String

    package init(code: Int32, description: String) {
        self.code = code
        self.description = description
    }

    package var isBusy: Bool { code & 0xff == SQLITE_BUSY }
    /// The disk is full.
    package var isFull: Bool { code & 0xff == SQLITE_FULL }
    /// Reading or writing the file failed, which may be over soon.
    package var isInputOutput: Bool { code & 0xff == SQLITE_IOERR }
    /// The database refuses what was to be written, by a constraint, a trigger, its type or its size. It may take
    /// something else.
    package var isOfValue: Bool { [SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG].contains(code & 0xff) }
    package var isNoDatabase: Bool { code & 0xff == SQLITE_NOTADB || code & 0xff == SQLITE_CORRUPT }
}

/// A database file, owned by one thread.
package final class SQLiteDatabase {
    private let handle: OpaquePointer

    /// Opens a file; makes it if it is not there.
    ///
    /// - Parameter permissions: of a file that is made.
    package init(_ path: String, permissions: UInt32 = 0o600) throws(SQLiteError) {
        // SQLite would let everybody read it. The files beside it get the same permissions. A file that is there is
        // left alone: closing it here would give up the locks that another owner in this process has.
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
        guard file >= 0 || errno == EEXIST else {
            throw SQLiteError(code: SQLITE_CANTOPEN, description: String(cString: strerror(errno)))
        }
        if file >= 0 { close(file) }
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
        guard let handle else { throw SQLiteError(code: code, description: "no memory for a database") }
        self.handle = handle
        try check(code)
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    /// Runs statements that give no rows.
    package func execute(_ sql: String) throws(SQLiteError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// Prepares a statement to be run many times.
    package func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
        guard let statement else { throw SQLiteError(code: SQLITE_MISUSE, description: "no statement: \(sql)") }
        return SQLiteStatement(statement, of: self)
    }

    /// The number of rows that the last statement has changed, made or removed.
    package var changes: Int { Int(sqlite3_changes(handle)) }

    /// True outside a transaction. Some failures end one by themselves.
    package var isInAutocommit: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// The number that a query gives; `nil` if it gives none.
    package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : nil
    }

    fileprivate func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE else {
            let extended = sqlite3_extended_errcode(handle)
            throw SQLiteError(
                code: extended == SQLITE_OK ? code : extended, description: String(cString: sqlite3_errmsg(handle)))
        }
    }
}

/// A prepared statement.
package final class SQLiteStatement {
    private let statement: OpaquePointer
    private let database: SQLiteDatabase

    fileprivate init(_ statement: OpaquePointer, of database: SQLiteDatabase) {
        self.statement = statement
        self.database = database
    }

    deinit {
        sqlite3_finalize(statement)
    }

    package enum Value {
        case integer(Int64)
        case text(String)
        case blob([UInt8])
        case null
    }

    /// Runs a statement that gives no rows, with these values.
    package func run(_ values: [Value]) throws(SQLiteError) {
        try begin(values)
        defer { sqlite3_reset(statement) }
        _ = try step()
    }

    /// Begins a query anew with these values; `step` goes to its first row.
    package func begin(_ values: [Value]) throws(SQLiteError) {
        sqlite3_reset(statement)
        for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
    }

    /// Ends a query, so that nothing is held for it.
    package func reset() { sqlite3_reset(statement) }

    private func bind(_ value: Value, at index: Int32) throws(SQLiteError) {
        switch value {
        case .integer(let integer): try database.check(sqlite3_bind_int64(statement, index, integer))
        case .text(var text):
            // With its length: a text may hold a zero.
            let code = text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    // A null pointer would bind NULL.
                    bytes.isEmpty
                        ? sqlite3_bind_text(statement, index, "", 0, Self.copied)
                        : sqlite3_bind_text(statement, index, bytes.baseAddress, Int32(bytes.count), Self.copied)
                }
            }
            try database.check(code)
        case .blob(let bytes):
            let code = bytes.withUnsafeBytes { bytes in
                // A null pointer would bind NULL.
                bytes.isEmpty
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob(statement, index, bytes.baseAddress, Int32(bytes.count), Self.copied)
            }
            try database.check(code)
        case .null: try database.check(sqlite3_bind_null(statement, index))
        }
    }

    /// Goes to the next row; false if there is none.
    package func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(statement)
        try database.check(code)
        return code == SQLITE_ROW
    }

    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    package func text(_ column: Int32) -> String {
        // The text is made before its length is asked for: SQLite may have to convert it.
        guard let text = sqlite3_column_text(statement, column) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    /// The bytes of a column, until the next step.
    package func blob(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(statement, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }

    /// `SQLITE_TRANSIENT`, a macro: SQLite copies the bytes.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
