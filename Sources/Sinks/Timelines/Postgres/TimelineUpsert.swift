import Postgres
import RecordLog

/// The one statement that makes timelines and entries of the rows of `tideline_batch`.
///
/// The server itself reads the JSON, and keeps an entry as it is, with whatever a later release says in it. It is sent
/// anew for each batch: a plan that was made once, for empty tables, would be kept for full ones.
package enum TimelineUpsert: PostgresBatch {
    static let copy = "COPY tideline_batch FROM STDIN (FORMAT binary)"

    /// An RFC 3339 text as an instant, NULL of what is none; words as `now` mean nothing here.
    private static func instant(_ text: String) -> String {
        "CASE WHEN \(text) LIKE '____-__-__T%' THEN (\(text))::timestamptz END"
    }

    private static let set = [
        "kind", "family", "recipient", "revision", "refresh_count", "generated_at", "next_update", "valid_until",
        "value", "source_partition", "source_offset",
    ].map { "\($0) = excluded.\($0)" }.joined(separator: ", ")

    /// Gives for each row its `ordinal` and what became of it: `written`, `removed`, `unchanged` or `unreadable`.
    ///
    /// What is older by the rule of `TimelineStamp.isOlder`, and what is there already, is left alone. Who listens to
    /// `tideline_timelines` hears of each change at the commit. `OFFSET 0` keeps the planner from reading all entries
    /// of all timelines to find those of a batch.
    package static let sql = """
        WITH parsed AS MATERIALIZED (
            SELECT *, value::jsonb AS document FROM tideline_batch WHERE value IS NOT NULL),
        good AS MATERIALIZED (
            SELECT * FROM parsed WHERE jsonb_typeof(document -> 'entries') = 'array'),
        written AS (
            INSERT INTO timelines AS old
            SELECT configuration_id, coalesce(document ->> 'kind', ''), coalesce(document ->> 'family', ''),
                coalesce(document ->> 'recipient', ''), revision, refresh_count,
                \(instant("document ->> 'generatedAt'")), \(instant("document ->> 'nextUpdate'")),
                \(instant("document ->> 'validUntil'")), value, source_partition, source_offset
            FROM good
            ON CONFLICT (configuration_id) DO UPDATE SET \(set)
            WHERE old.value <> excluded.value
                AND ((excluded.revision, excluded.refresh_count) < (old.revision, old.refresh_count)
                    AND excluded.generated_at < old.generated_at) IS NOT TRUE
            RETURNING configuration_id),
        filled AS (
            INSERT INTO entries AS old
            SELECT configuration_id, listed.position - 1, coalesce(entry ->> 'id', ''),
                \(instant("entry ->> 'date'")), coalesce(entry ->> 'phase', ''), entry #>> '{event,title}', entry
            FROM written JOIN good USING (configuration_id),
                jsonb_array_elements(document -> 'entries') WITH ORDINALITY AS listed(entry, position)
            ON CONFLICT (configuration_id, position) DO UPDATE SET entry_id = excluded.entry_id,
                date = excluded.date, phase = excluded.phase, title = excluded.title, value = excluded.value
            WHERE old.value <> excluded.value),
        removed AS (
            DELETE FROM timelines AS old USING tideline_batch AS batch
            WHERE batch.value IS NULL AND old.configuration_id = batch.configuration_id
            RETURNING old.configuration_id),
        surplus AS (
            SELECT place FROM (
                    SELECT configuration_id, jsonb_array_length(document -> 'entries') AS count
                    FROM written JOIN good USING (configuration_id)
                    UNION ALL SELECT configuration_id, 0 FROM removed) AS kept,
                LATERAL (
                    SELECT ctid AS place FROM entries
                    WHERE configuration_id = kept.configuration_id AND position >= kept.count OFFSET 0) AS beyond),
        shortened AS (
            DELETE FROM entries WHERE ctid = ANY (ARRAY(SELECT place FROM surplus))),
        answered AS (
            SELECT batch.ordinal, batch.configuration_id, CASE
                WHEN removed.configuration_id IS NOT NULL THEN 'removed'
                WHEN written.configuration_id IS NOT NULL THEN 'written'
                WHEN batch.value IS NOT NULL AND good.ordinal IS NULL THEN 'unreadable'
                ELSE 'unchanged' END AS outcome
            FROM tideline_batch AS batch LEFT JOIN good USING (ordinal)
                LEFT JOIN written ON written.configuration_id = batch.configuration_id
                LEFT JOIN removed ON removed.configuration_id = batch.configuration_id)
        SELECT ordinal, outcome, CASE WHEN outcome IN ('written', 'removed') THEN pg_notify('tideline_timelines',
            CASE WHEN octet_length(configuration_id) < 8000 THEN configuration_id ELSE '' END) END
        FROM answered
        """

    static let statements = [sql]

    static func answer(_ outcome: String) -> SinkAnswer? {
        switch outcome {
        case "written": .done(.written)
        case "removed": .done(.removed)
        case "unreadable": nil
        default: .done(.unchanged)
        }
    }

    struct Row: PostgresBatchRow {
        var ordinal: Int
        var record: SinkRecord
        /// `nil` removes what is there.
        var value: [UInt8]?
        var stamp: TimelineStamp?
    }

    static func rows(_ rows: ArraySlice<Row>) -> BinaryRows {
        var binary = BinaryRows(columns: 7)
        for row in rows {
            binary.beginRow()
            binary.integer(Int32(row.ordinal))
            binary.text(row.record.configurationId.utf8)
            if let value = row.value, let stamp = row.stamp {
                binary.text(value)
                binary.integer(stamp.revision)
                binary.integer(stamp.refreshCount)
            } else {
                for _ in 0..<3 { binary.null() }
            }
            binary.integer(row.record.origin.partition.rawValue)
            binary.integer(row.record.offset.rawValue)
        }
        binary.end()
        return binary
    }
}
