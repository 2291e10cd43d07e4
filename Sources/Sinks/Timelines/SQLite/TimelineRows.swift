import RecordLog
import SQLite
import Timelines

/// The rows of `timelines` and `entries`, by prepared statements. SQLite itself reads the JSON, and keeps an entry as
/// it is, with whatever a later release says in it.
struct TimelineRows {
    private let check: SQLiteStatement
    private let find: SQLiteStatement
    private let insert: SQLiteStatement
    private let insertEntries: SQLiteStatement
    private let delete: SQLiteStatement
    private let deleteEntries: SQLiteStatement
    private let database: SQLiteDatabase

    init(_ database: SQLiteDatabase) throws(SQLiteError) {
        self.database = database
        check = try database.prepare(
            """
            SELECT CASE WHEN json_valid(?1) THEN json_type(?1, '$.entries') = 'array'
            AND NOT EXISTS (SELECT 1 FROM json_each(?1, '$.entries') WHERE type <> 'object') ELSE 0 END
            """)
        find = try database.prepare(
            "SELECT revision, refresh_count, generated_at, value FROM timelines WHERE configuration_id=?")
        insert = try database.prepare(
            """
            INSERT INTO timelines SELECT ?1, coalesce(?2 ->> '$.kind', ''), coalesce(?2 ->> '$.family', ''),
            coalesce(?2 ->> '$.recipient', ''), ?3, ?4, \(Self.instant("?2 ->> '$.generatedAt'")),
            \(Self.instant("?2 ->> '$.nextUpdate'")), \(Self.instant("?2 ->> '$.validUntil'")), ?2, ?5, ?6 WHERE true
            ON CONFLICT(configuration_id) DO UPDATE SET
            kind=excluded.kind, family=excluded.family, recipient=excluded.recipient, revision=excluded.revision,
            refresh_count=excluded.refresh_count, generated_at=excluded.generated_at, next_update=excluded.next_update,
            valid_until=excluded.valid_until, value=excluded.value, source_partition=excluded.source_partition,
            source_offset=excluded.source_offset
            """)
        insertEntries = try database.prepare(
            """
            INSERT INTO entries SELECT ?1, key, coalesce(value ->> '$.id', ''), \(Self.instant("value ->> '$.date'")),
            coalesce(value ->> '$.phase', ''), value ->> '$.event.title', value FROM json_each(?2, '$.entries')
            """)
        delete = try database.prepare("DELETE FROM timelines WHERE configuration_id=?")
        deleteEntries = try database.prepare("DELETE FROM entries WHERE configuration_id=?")
    }

    /// Milliseconds since 1970 of an RFC 3339 text; NULL of what is none.
    private static func instant(_ text: String) -> String {
        "CAST(round((julianday(\(text)) - 2440587.5) * 86400000) AS INTEGER)"
    }

    /// The ids of all timelines that are there, ascending.
    static func configurations(of database: SQLiteDatabase) throws(SQLiteError) -> [String] {
        let statement = try database.prepare("SELECT configuration_id FROM timelines ORDER BY configuration_id")
        var ids: [String] = []
        while try statement.step() { ids.append(statement.text(0)) }
        return ids
    }

    /// True if SQLite can read it: JSON with a list of entries.
    func isReadable(_ value: [UInt8]) throws(SQLiteError) -> Bool {
        try check.begin([.text(String(decoding: value, as: UTF8.self))])
        defer { check.reset() }
        return try check.step() && check.integer(0) == 1
    }

    /// The stamp and the value of the timeline that is there.
    func stamp(of configurationId: String) throws(SQLiteError) -> (stamp: TimelineStamp, value: [UInt8])? {
        try find.begin([.text(configurationId)])
        defer { find.reset() }
        guard try find.step() else { return nil }
        let stamp = TimelineStamp(
            revision: find.integer(0), refreshCount: find.integer(1),
            generatedAt: find.isNull(2) ? nil : Instant(milliseconds: find.integer(2)))
        return (stamp, Array(find.blob(3)))
    }

    /// Puts a timeline and its entries in place of those that were there.
    ///
    /// - Parameter isNew: true if there are none.
    func replace(
        _ value: [UInt8], _ stamp: TimelineStamp, _ record: SinkRecord, isNew: Bool
    ) throws(SQLiteError) {
        let id = SQLiteStatement.Value.text(record.configurationId)
        let text = SQLiteStatement.Value.text(String(decoding: value, as: UTF8.self))
        try insert.run([
            id, text, .integer(stamp.revision), .integer(stamp.refreshCount),
            .integer(Int64(record.origin.partition.rawValue)), .integer(record.offset.rawValue),
        ])
        if !isNew { try deleteEntries.run([id]) }
        try insertEntries.run([id, text])
    }

    /// - Returns: false if there was none.
    func remove(_ configurationId: String) throws(SQLiteError) -> Bool {
        try delete.run([.text(configurationId)])
        return database.changes > 0
    }
}
