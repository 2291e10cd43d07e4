import RecordLog
import SQLite

/// The rows of `positions`, by prepared statements. One of partition -1 has the digest of the choice for its offset:
/// earlier releases pass over a partition that the topic does not have.
struct PositionRows {
    private let select: SQLiteStatement
    private let delete: SQLiteStatement
    private let insert: SQLiteStatement

    init(_ database: SQLiteDatabase) throws(SQLiteError) {
        select = try database.prepare(
            """
            SELECT partition, next, begun, cluster, before_offset, before_timestamp, before_hash FROM positions
            WHERE topic=? ORDER BY partition
            """)
        delete = try database.prepare("DELETE FROM positions WHERE topic=?")
        insert = try database.prepare("INSERT INTO positions VALUES(?,?,?,?,?,?,?,?)")
    }

    func positions(of topic: String) throws(SQLiteError) -> [Partition: SinkPosition] {
        try select.begin([.text(topic)])
        defer { select.reset() }
        var positions: [Partition: SinkPosition] = [:]
        var choice: Int64?
        while try select.step() {
            if select.integer(0) < 0 {
                choice = select.integer(1)
                continue
            }
            let before =
                select.isNull(4)
                ? nil
                : Fingerprint(
                    offset: Offset(select.integer(4)), timestamp: Instant(milliseconds: select.integer(5)),
                    hash: UInt64(bitPattern: select.integer(6)))
            positions[Partition(Int32(select.integer(0)))] = SinkPosition(
                next: Offset(select.integer(1)), begun: Offset(select.integer(2)),
                cluster: select.isNull(3) ? nil : select.text(3), before: before)
        }
        return positions.mapValues { $0.taken(by: choice) }
    }

    func replace(_ positions: [Partition: SinkPosition], of topic: String) throws(SQLiteError) {
        try delete.run([.text(topic)])
        if let choice = positions.choice {
            try insert.run([
                .text(topic), .integer(-1), .integer(choice), .integer(choice), .null, .null, .null, .null,
            ])
        }
        for (partition, position) in positions.sorted(by: { $0.key < $1.key }) {
            let before = position.before
            try insert.run([
                .text(topic), .integer(Int64(partition.rawValue)), .integer(position.next.rawValue),
                .integer(position.begun.rawValue), position.cluster.map { .text($0) } ?? .null,
                before.map { .integer($0.offset.rawValue) } ?? .null,
                before.map { .integer($0.timestamp.milliseconds) } ?? .null,
                before.map { .integer(Int64(bitPattern: $0.hash)) } ?? .null,
            ])
        }
    }
}
