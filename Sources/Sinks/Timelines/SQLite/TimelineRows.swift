import Messages
import RecordLog
import SQLite
import Timelines

/// The rows of `timelines` and `entries`, by prepared statements.
struct TimelineRows {
    private let find: SQLiteStatement
    private let insert: SQLiteStatement
    private let insertEntry: SQLiteStatement
    private let delete: SQLiteStatement
    private let deleteEntries: SQLiteStatement
    private let database: SQLiteDatabase

    init(_ database: SQLiteDatabase) throws(SQLiteError) {
        self.database = database
        find = try database.prepare(
            "SELECT revision, refresh_count, generated_at, value FROM timelines WHERE configuration_id=?")
        insert = try database.prepare(
            """
            INSERT INTO timelines VALUES(?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT(configuration_id) DO UPDATE SET
            kind=excluded.kind, family=excluded.family, recipient=excluded.recipient, revision=excluded.revision,
            refresh_count=excluded.refresh_count, generated_at=excluded.generated_at, next_update=excluded.next_update,
            valid_until=excluded.valid_until, value=excluded.value, source_partition=excluded.source_partition,
            source_offset=excluded.source_offset
            """)
        insertEntry = try database.prepare("INSERT INTO entries VALUES(?,?,?,?,?,?,?)")
        delete = try database.prepare("DELETE FROM timelines WHERE configuration_id=?")
        deleteEntries = try database.prepare("DELETE FROM entries WHERE configuration_id=?")
    }

    /// The stamp and the value of the timeline that is there.
    func stamp(of configurationId: String) throws(SQLiteError) -> (stamp: TimelineStamp, value: [UInt8])? {
        try find.begin([.text(configurationId)])
        defer { find.reset() }
        guard try find.step() else { return nil }
        let stamp = TimelineStamp(
            revision: find.integer(0), refreshCount: find.integer(1),
            generatedAt: Instant(milliseconds: find.integer(2)))
        return (stamp, Array(find.blob(3)))
    }

    /// Puts a timeline and its entries in place of those that were there.
    ///
    /// - Parameter isNew: true if there are none.
    func replace(
        _ timeline: TimelineRecord, _ value: [UInt8], _ record: SinkRecord, isNew: Bool
    ) throws(SQLiteError) {
        let id = SQLiteStatement.Value.text(record.configurationId)
        try insert.run([
            id, .text(timeline.kind), .text(timeline.family.rawValue), .text(timeline.recipient),
            .integer(timeline.revision.rawValue), .integer(timeline.refreshCount), .instant(timeline.generatedAt),
            .instant(timeline.timeline.nextUpdate), .instant(timeline.timeline.validUntil),
            .text(String(decoding: value, as: UTF8.self)), .integer(Int64(record.origin.partition.rawValue)),
            .integer(record.offset.rawValue),
        ])
        if !isNew { try deleteEntries.run([id]) }
        for (position, entry) in timeline.timeline.entries.enumerated() {
            var json = JSONWriter()
            json.entry(entry)
            try insertEntry.run([
                id, .integer(Int64(position)), .text(entry.id), .instant(entry.date), .text(entry.phase.rawValue),
                entry.event.map { .text($0.title) } ?? .null,
                .text(String(decoding: json.bytes, as: UTF8.self)),
            ])
        }
    }

    /// - Returns: false if there was none.
    func remove(_ configurationId: String) throws(SQLiteError) -> Bool {
        try delete.run([.text(configurationId)])
        return database.changes > 0
    }
}

extension SQLiteStatement.Value {
    /// Milliseconds since 1970.
    fileprivate static func instant(_ instant: Instant?) -> Self {
        instant.map { .integer($0.milliseconds) } ?? .null
    }
}
