package import Postgres
package import RecordLog

/// The newest timeline of each configuration, its entries and the positions, in tables of PostgreSQL: exactly once.
///
/// A batch is one transaction: its rows go to a temporary table by COPY, one statement makes timelines and entries of
/// them, and the positions are committed with that. So a sink or a server that is killed at any point goes on as if it
/// had not been. What the server refuses of one record is found and left out; the others are written.
/// Tables have one sink of timelines at a time; a lock of its session says so.
package final class PostgresSink: BatchSink {
    package let name: String
    private let target: PostgresTarget

    /// Connects when it is first asked for something.
    ///
    /// - Parameter lockPatience: how long another sink is waited for before this one is refused, in whole seconds. The
    ///   server may take a while to notice that the one before was killed.
    package init(_ address: PostgresAddress, name: String = "postgres", lockPatience: Duration = .seconds(15)) {
        target = PostgresTarget(address, of: .timelines, lockPatience: lockPatience)
        self.name = name
    }

    package func tell(_ turned: @escaping () -> Void) { target.turned = turned }

    package func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] {
        try target.positions(of: topic)
    }

    package func write(_ records: [SinkRecord]) throws(SinkError) -> [SinkAnswer] {
        try target.write(records, as: TimelineUpsert.self) { ordinal, record in step(ordinal, record) }
    }

    package func configurations(while goesOn: () -> Bool) throws(SinkError) -> [String]? {
        try target.texts("SELECT configuration_id FROM timelines")
    }

    /// The commit of `keep` makes all durable.
    package func flush() throws(SinkError) {}

    package func rollBack() { target.rollBack() }

    package func keep(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError) {
        try target.keep(positions, of: topic)
    }

    /// A row, or the answer for a record that no server could take.
    private func step(_ ordinal: Int, _ record: SinkRecord) -> PostgresStep<TimelineUpsert.Row> {
        if record.configurationId.utf8.contains(0) {
            return .answered(
                .leftOut(BadRecord(field: "configurationId", "PostgreSQL takes no text with U+0000")))
        }
        var row = TimelineUpsert.Row(ordinal: ordinal, record: record)
        guard let value = record.timeline(for: name) else { return .row(row) }
        guard String(validating: value, as: UTF8.self) != nil, let stamp = TimelineStamp(value) else {
            return .answered(.leftOut(BadRecord(noTimeline: value)))
        }
        (row.value, row.stamp) = (value, stamp)
        return .row(row)
    }
}
