import Messages
import RecordLog
import SQLite
import Timelines

/// The rows of `reloads` and `reload_configurations` in SQLite, by prepared statements.
struct ReloadRows {
    private let find: SQLiteStatement
    private let insert: SQLiteStatement
    private let insertConfigurations: SQLiteStatement
    private let delete: SQLiteStatement
    private let deleteOld: SQLiteStatement

    init(_ database: SQLiteDatabase) throws(SQLiteError) {
        let key = "source_partition=? AND source_offset=? AND issued_at=?"
        find = try database.prepare("SELECT value FROM reloads WHERE \(key)")
        delete = try database.prepare("DELETE FROM reloads WHERE \(key)")
        insert = try database.prepare("INSERT INTO reloads VALUES(?,?,?,?,?,?,?,?,?,?,?,?)")
        insertConfigurations = try database.prepare(
            "INSERT INTO reload_configurations SELECT DISTINCT value, ?2, ?3, ?4 FROM json_each(?1)")
        deleteOld = try database.prepare(
            """
            DELETE FROM reloads WHERE (source_partition, source_offset, issued_at) IN (
                SELECT source_partition, source_offset, issued_at FROM reloads WHERE issued_at<?
                ORDER BY issued_at LIMIT ?)
            """)
    }

    /// Another reload of the same place and instant is of a topic that is no more: this one takes its place.
    ///
    /// - Returns: false if the same is there already.
    func insert(_ row: ReloadRow) throws(SQLiteError) -> Bool {
        let fields = row.fields
        let (partition, offset) = (Int64(row.partition.rawValue), row.offset.rawValue)
        let key: [SQLiteStatement.Value] = [
            .integer(partition), .integer(offset), .integer(fields.issuedAt.milliseconds),
        ]
        if let known = try value(key) {
            if known == row.value { return false }
            try delete.run(key)
        }
        let ids = SQLiteStatement.Value.text(String(decoding: row.configurationIds, as: UTF8.self))
        try insert.run([
            .text(fields.recipient), .text(fields.kind), ids, .text(fields.reason), .integer(fields.revision),
            .integer(fields.issuedAt.milliseconds), .integer(fields.budget.limit), .integer(fields.budget.remaining),
            .integer(fields.budget.resetsAt.milliseconds), .text(String(decoding: row.value, as: UTF8.self)),
            .integer(partition), .integer(offset),
        ])
        try insertConfigurations.run([
            ids, .integer(fields.issuedAt.milliseconds), .integer(partition), .integer(offset),
        ])
        return true
    }

    /// Removes reloads that were issued before an instant, the oldest ones first.
    func remove(before instant: Instant, atMost count: Int) throws(SQLiteError) {
        try deleteOld.run([.integer(instant.milliseconds), .integer(Int64(count))])
    }

    private func value(_ key: [SQLiteStatement.Value]) throws(SQLiteError) -> [UInt8]? {
        try find.begin(key)
        defer { find.reset() }
        return try find.step() ? Array(find.blob(0)) : nil
    }
}
