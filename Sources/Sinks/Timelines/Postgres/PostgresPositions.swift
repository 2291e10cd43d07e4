import Postgres
import RecordLog

/// The rows of `positions`, as statements. One of partition -1 has the digest of the choice for its offset: earlier
/// releases pass over a partition that the topic does not have.
enum PostgresPositions {
    static func select(_ topic: String) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT partition, next, begun, cluster, before_offset, before_timestamp, before_hash FROM positions
            WHERE topic = $1 ORDER BY partition
            """, [topic])
    }

    static func positions(_ rows: PostgresRows) -> [Partition: SinkPosition] {
        var positions: [Partition: SinkPosition] = [:]
        var choice: Int64?
        for row in 0..<rows.count {
            func number(_ column: Int) -> Int64 { rows.integer(row, column) ?? 0 }
            if number(0) < 0 {
                choice = number(1)
                continue
            }
            let before = rows.integer(row, 4).map { offset in
                Fingerprint(
                    offset: Offset(offset), timestamp: Instant(milliseconds: number(5)),
                    hash: UInt64(bitPattern: number(6)))
            }
            positions[Partition(Int32(number(0)))] = SinkPosition(
                next: Offset(number(1)), begun: Offset(number(2)), cluster: rows.text(row, 3), before: before)
        }
        return positions.mapValues { $0.taken(by: choice) }
    }

    static func replace(_ positions: [Partition: SinkPosition], of topic: String) -> [PostgresStatement] {
        let rows = positions.sorted { $0.key < $1.key }.map { partition, position in
            let before = position.before
            let numbers = [
                before?.offset.rawValue, before?.timestamp.milliseconds, before.map { Int64(bitPattern: $0.hash) },
            ]
            return PostgresStatement(
                "INSERT INTO positions VALUES($1, $2, $3, $4, $5, $6, $7, $8)",
                [
                    topic, "\(partition.rawValue)", "\(position.next.rawValue)", "\(position.begun.rawValue)",
                    position.cluster,
                ] + numbers.map { number in number.map { "\($0)" } })
        }
        let choice = positions.choice.map { choice in
            PostgresStatement(
                "INSERT INTO positions VALUES($1, -1, $2, $2, NULL, NULL, NULL, NULL)", [topic, "\(choice)"])
        }
        let clear = PostgresStatement("DELETE FROM positions WHERE topic = $1", [topic])
        return [clear] + [choice].compactMap(\.self) + rows
    }
}
