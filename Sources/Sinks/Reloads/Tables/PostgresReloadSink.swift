import Messages
package import Postgres
package import RecordLog

/// Each reload, and the positions, in tables of PostgreSQL: exactly once.
///
/// They are beside those of `PostgresSink`: both may write side by side. A batch is one transaction, as there, and what
/// the server refuses of one record is found and left out.
/// Tables have one sink of reloads at a time; a lock of its session says so.
package final class PostgresReloadSink: BatchSink {
    package let name: String
    private let target: PostgresTarget
    private let retention: ReloadRetention
    private var parser = JSONParser()

    /// Connects when it is first asked for something.
    ///
    /// - Parameter lockPatience: how long another sink is waited for before this one is refused, in whole seconds.
    package init(
        _ address: PostgresAddress, name: String = "reloads-postgres", retention: ReloadRetention,
        lockPatience: Duration = .seconds(15)
    ) {
        target = PostgresTarget(address, of: .reloads, lockPatience: lockPatience)
        self.name = name
        self.retention = retention
    }

    package func tell(_ turned: @escaping () -> Void) { target.turned = turned }

    package func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] {
        try target.positions(of: topic)
    }

    package func write(_ records: [SinkRecord]) throws(SinkError) -> [SinkAnswer] {
        try target.write(records, as: ReloadInsert.self) { ordinal, record in
            do throws(BadRecord) {
                let row = try ReloadRow(record, with: &parser)
                if retention.isOver(row) { return .answered(.done(.unchanged)) }
                return .row(ReloadInsert.Row(ordinal: ordinal, reload: row))
            } catch {
                return .answered(.leftOut(error))
            }
        }
    }

    /// The commit of `keep` makes all durable.
    package func flush() throws(SinkError) {}

    package func rollBack() { target.rollBack() }

    package func keep(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError) {
        let removal = retention.begin.map { ReloadInsert.removal(before: $0, atMost: ReloadRetention.portion) }
        try target.keep(positions, of: topic, with: removal.map { [$0] } ?? [])
    }
}
