import Messages
package import RecordLog
import SQLite

/// Each reload, and the positions, in a file of SQLite: exactly once.
///
/// The file is one of `SQLiteSink`, too: both may write to it side by side. It has one sink of reloads at a time; a
/// lock beside it (`FILE.reloads.lock`) says so.
package final class SQLiteReloadSink: TimelineSink {
    package let name: String
    package var isTransactional: Bool { true }
    private let target: SQLiteTarget
    private let rows: ReloadRows
    private let retention: ReloadRetention
    private var parser = JSONParser()

    /// Opens the file; makes it if it is not there.
    ///
    /// - Throws: `refused` also if another sink of reloads, of any process, writes to it, if its tables are not a
    ///   sink's, or of a later release.
    package init(
        file path: String, name: String = "reloads-sqlite", retention: ReloadRetention
    ) throws(SinkError) {
        self.name = name
        let target = try SQLiteTarget(file: path, of: .reloads)
        self.target = target
        self.retention = retention
        rows = try target.prepared { (database) throws(SQLiteError) in try ReloadRows(database) }
    }

    package func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] {
        try target.positions(of: topic)
    }

    package func write(_ record: SinkRecord) throws(SinkError) -> SinkOutcome {
        let row: ReloadRow
        do throws(BadRecord) {
            row = try ReloadRow(record, with: &parser)
        } catch {
            throw .unusable(error)
        }
        if retention.isOver(row) { return .unchanged }
        return try target.write(record) { () throws(SQLiteError) in try rows.insert(row) ? .written : .unchanged }
    }

    /// The commit of `keep` makes all durable.
    package func flush() throws(SinkError) {}

    package func rollBack() { target.rollBack() }

    package func keep(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError) {
        if let begin = retention.begin {
            try target.write { () throws(SQLiteError) in try rows.remove(before: begin, atMost: ReloadRetention.portion)
            }
        }
        try target.keep(positions, of: topic)
    }
}
