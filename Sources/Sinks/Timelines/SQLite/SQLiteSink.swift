package import RecordLog
import SQLite

/// The newest timeline of each configuration, its entries and the positions, in a file of SQLite: exactly once.
///
/// Positions are committed with what was written, so that a sink which is killed at any point goes on as if it had not
/// been. What the database refuses of one record, such as by a trigger that stands beside the tables, takes no other
/// along. Readers open the file by themselves: they see whole batches, and hold up nobody (WAL).
/// A file has one sink of timelines at a time; a lock beside it (`FILE.lock`) says so.
package final class SQLiteSink: TimelineSink {
    package let name: String
    package var isTransactional: Bool { true }
    private let target: SQLiteTarget
    private let rows: TimelineRows

    /// Opens the file; makes it if it is not there.
    ///
    /// - Throws: `refused` also if another sink of timelines, of any process, writes to it, if its tables are not a
    ///   sink's, or of a later release.
    package init(file path: String, name: String = "sqlite") throws(SinkError) {
        self.name = name
        let target = try SQLiteTarget(file: path, of: .timelines)
        self.target = target
        rows = try target.prepared { (database) throws(SQLiteError) in try TimelineRows(database) }
    }

    package func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] {
        try target.positions(of: topic)
    }

    package func write(_ record: SinkRecord) throws(SinkError) -> SinkOutcome {
        guard let value = record.timeline(for: name) else {
            let isRemoved = try target.write(record) { () throws(SQLiteError) in
                try rows.remove(record.configurationId)
            }
            return isRemoved ? .removed : .unchanged
        }
        // No more is asked of it than of a file: a later release may say more, and other things.
        let isReadable = try target.write(record) { () throws(SQLiteError) in try rows.isReadable(value) }
        guard let stamp = TimelineStamp(value), isReadable else {
            throw .unusable(BadRecord(noTimeline: value))
        }
        return try target.write(record) { () throws(SQLiteError) in
            let known = try rows.stamp(of: record.configurationId)
            if let known, stamp.isOlder(than: known.stamp) { return .unchanged }
            if let known, known.stamp == stamp, known.value == value { return .unchanged }
            try rows.replace(value, stamp, record, isNew: known == nil)
            return .written
        }
    }

    package func configurations(while goesOn: () -> Bool) throws(SinkError) -> [String]? {
        try target.prepared { (database) throws(SQLiteError) -> [String] in
            try TimelineRows.configurations(of: database)
        }
    }

    /// The commit of `keep` makes all durable.
    package func flush() throws(SinkError) {}

    package func rollBack() { target.rollBack() }

    package func keep(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError) {
        try target.keep(positions, of: topic)
    }
}
