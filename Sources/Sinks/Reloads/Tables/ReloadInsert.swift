import Messages
import Postgres
import RecordLog
import Timelines

/// The statements that make rows of `reloads` and `reload_configurations` of the rows of `tideline_batch`.
enum ReloadInsert: PostgresBatch {
    /// The rows of a batch, before they are reloads. Instants are milliseconds since 1970.
    static let batch = """
        CREATE TEMPORARY TABLE tideline_batch(
            ordinal integer NOT NULL, recipient text NOT NULL, kind text NOT NULL, configuration_ids text NOT NULL,
            reason text NOT NULL, revision bigint NOT NULL, issued_at bigint NOT NULL, budget_limit bigint NOT NULL,
            budget_remaining bigint NOT NULL, budget_resets_at bigint NOT NULL, value text NOT NULL,
            source_partition integer NOT NULL, source_offset bigint NOT NULL)
        ON COMMIT DELETE ROWS
        """

    static let copy = "COPY tideline_batch FROM STDIN (FORMAT binary)"

    private static func instant(_ milliseconds: String) -> String {
        "timestamptz 'epoch' + \(milliseconds) * interval '1 millisecond'"
    }

    private static let place = """
        old.source_partition = batch.source_partition AND old.source_offset = batch.source_offset
            AND old.issued_at = \(instant("batch.issued_at"))
        """

    /// Another reload of the same place and instant is of a topic that is no more: what is new takes its place.
    static let statements = [
        "DELETE FROM reloads AS old USING tideline_batch AS batch WHERE \(place) AND old.value <> batch.value",
        """
        WITH written AS (
            INSERT INTO reloads
            SELECT recipient, kind, configuration_ids::jsonb, reason, revision, \(instant("issued_at")), budget_limit,
                budget_remaining, \(instant("budget_resets_at")), value, source_partition, source_offset
            FROM tideline_batch ON CONFLICT DO NOTHING
            RETURNING *),
        named AS (
            INSERT INTO reload_configurations
            SELECT DISTINCT id, issued_at, source_partition, source_offset
            FROM written, jsonb_array_elements_text(configuration_ids) AS id)
        SELECT ordinal, CASE WHEN old.source_offset IS NULL THEN 'unchanged' ELSE 'written' END
        FROM tideline_batch AS batch LEFT JOIN written AS old ON \(place)
        """,
    ]

    /// Removes reloads that were issued before an instant, the oldest ones first.
    static func removal(before instant: Instant, atMost count: Int) -> PostgresStatement {
        PostgresStatement(
            """
            DELETE FROM reloads WHERE ctid = ANY(ARRAY(
                SELECT ctid FROM reloads WHERE issued_at < \(Self.instant("$1::bigint"))
                ORDER BY issued_at LIMIT \(count)))
            """, ["\(instant.milliseconds)"])
    }

    static func answer(_ outcome: String) -> SinkAnswer? { .done(outcome == "written" ? .written : .unchanged) }

    struct Row: PostgresBatchRow {
        var ordinal: Int
        var reload: ReloadRow

        var value: [UInt8]? { reload.value }
    }

    static func rows(_ rows: ArraySlice<Row>) -> BinaryRows {
        var binary = BinaryRows(columns: 13)
        for row in rows {
            let (reload, fields) = (row.reload, row.reload.fields)
            binary.beginRow()
            binary.integer(Int32(row.ordinal))
            binary.text(fields.recipient.utf8)
            binary.text(fields.kind.utf8)
            binary.text(reload.configurationIds)
            binary.text(fields.reason.utf8)
            binary.integer(fields.revision)
            binary.integer(fields.issuedAt.milliseconds)
            binary.integer(fields.budget.limit)
            binary.integer(fields.budget.remaining)
            binary.integer(fields.budget.resetsAt.milliseconds)
            binary.text(reload.value)
            binary.integer(reload.partition.rawValue)
            binary.integer(reload.offset.rawValue)
        }
        binary.end()
        return binary
    }
}
