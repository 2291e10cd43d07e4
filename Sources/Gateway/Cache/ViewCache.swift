import Glibc
import Messages
import RecordLog
import SQLite
import Timelines

/// A file that makes the next start warm: the values in force and the positions up to which they were read, written
/// together in one transaction of SQLite. The reader's thread owns it.
///
/// A process that is killed loses what it read since the last write, which the next one reads again from the topics.
/// Reloads are not kept: the topic has them.
package final class ViewCache {
    let database: SQLiteDatabase
    private var dirty: [DirtyKey: DirtyValue] = [:]
    /// The record that was read last of each partition.
    private var last: [ViewedTopic: [Partition: Fingerprint]] = [:]
    private var writtenAt: Duration = .zero
    private var isDirty = false
    private var hasFailed = false

    /// The form of the file; another one is not read.
    static let version: Int64 = 3
    /// Tells the file from databases of other programs ("TdlV").
    static let applicationId: Int64 = 0x5464_6c56
    private static let interval = Duration.seconds(2)
    private static let dirtyMaximum = 20_000

    private struct DirtyKey: Hashable {
        var topic: ViewedTopic
        var key: [UInt8]
    }

    private struct DirtyValue {
        /// `nil` is a tombstone.
        var value: [UInt8]?
        var place: ViewPlace
        var timestamp: Instant
    }

    struct Position {
        var next: Offset
        /// The last record before it; `nil` if there was none.
        var last: Fingerprint?
    }

    /// The positions of a file's contents.
    struct Contents {
        var positions: [ViewedTopic: [Partition: Position]] = [:]
    }

    /// True if others than the owner may read the file, which holds configurations with their push tokens.
    package let isReadableByOthers: Bool

    /// Opens the file, which nobody else may use meanwhile.
    ///
    /// - Throws: a sentence: the file cannot be opened, is another program's, or is in use.
    package init(path: String) throws(ViewCacheProblem) {
        do throws(SQLiteError) {
            database = try SQLiteDatabase(path)
            var status = stat()
            isReadableByOthers = stat(path, &status) == 0 && status.st_mode & 0o077 != 0
            try database.execute("PRAGMA locking_mode=EXCLUSIVE")
            // Kept until the process ends: two servers would write over each other's positions.
            try database.execute("BEGIN EXCLUSIVE; COMMIT")
            let id = try database.integer("PRAGMA application_id") ?? 0
            let tables = try database.integer("SELECT count(*) FROM sqlite_master") ?? 0
            guard id == Self.applicationId || (id == 0 && tables == 0) else {
                throw SQLiteError(code: 0, description: "it is a database of another program")
            }
            try database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY")
            try database.execute("PRAGMA application_id=\(Self.applicationId)")
        } catch {
            var reason = error.description
            if error.isBusy { reason = "another process uses it" }
            if error.isNoDatabase { reason = "it is no SQLite database" }
            throw ViewCacheProblem(description: "\(path): \(reason)")
        }
    }

    // MARK: - Writing

    /// Remembers a record that the views took in, for the next write.
    ///
    /// - Parameter isReadable: false for a record that is left out; the position moves over it.
    func note(_ record: RecordView, _ topic: ViewedTopic, isReadable: Bool) {
        isDirty = true
        guard topic != .reloads else { return }
        last[topic, default: [:]][record.partition] = Fingerprint(record)
        guard isReadable, let key = record.key else { return }
        dirty[DirtyKey(topic: topic, key: Array(key))] = DirtyValue(
            value: record.value.map { Array($0) }, place: ViewPlace(record.partition, record.offset),
            timestamp: record.timestamp)
    }

    /// Takes over the last records of what was loaded.
    func adopt(_ contents: Contents) {
        for (topic, partitions) in contents.positions { last[topic] = partitions.compactMapValues(\.last) }
    }

    /// Drops a topic that was made anew.
    func forget(_ topic: ViewedTopic) {
        last[topic] = nil
        for key in dirty.keys where key.topic == topic { dirty[key] = nil }
        forgotten.insert(topic)
        isDirty = true
    }

    private var forgotten: Set<ViewedTopic> = []

    func flushIfDue(_ views: TopicViews, now: Duration, _ notice: (ViewNotice) -> Void) {
        guard isDirty, now - writtenAt >= Self.interval || dirty.count >= Self.dirtyMaximum else { return }
        writtenAt = now
        flush(views, notice)
    }

    /// Writes what has changed, together with the positions. A failure is told once, and tried again later.
    func flush(_ views: TopicViews, _ notice: (ViewNotice) -> Void) {
        guard isDirty else { return }
        do throws(SQLiteError) {
            try write(views)
            isDirty = false
            dirty.removeAll(keepingCapacity: true)
            forgotten = []
            hasFailed = false
        } catch {
            try? database.execute("ROLLBACK")
            if !hasFailed { notice(.cacheFailed(reason: error.description)) }
            hasFailed = true
        }
    }

    private func write(_ views: TopicViews) throws(SQLiteError) {
        try database.execute("BEGIN IMMEDIATE")
        for topic in forgotten {
            try database.execute("DELETE FROM records WHERE topic=\(topic.rawValue)")
            try database.execute("DELETE FROM positions WHERE topic=\(topic.rawValue)")
        }
        let put = try database.prepare("INSERT OR REPLACE INTO records VALUES (?,?,?,?,?,?,?)")
        let remove = try database.prepare("DELETE FROM records WHERE topic=? AND key=?")
        for (key, value) in dirty {
            let topic = SQLiteStatement.Value.integer(Int64(key.topic.rawValue))
            guard let bytes = value.value else {
                try remove.run([topic, .blob(key.key)])
                continue
            }
            try put.run([
                topic, .blob(key.key), .blob(bytes), .integer(Int64(value.place.partition.rawValue)),
                .integer(value.place.offset.rawValue), .integer(value.timestamp.milliseconds),
                history(of: key, at: value.place, views),
            ])
        }
        let position = try database.prepare("INSERT OR REPLACE INTO positions VALUES (?,?,?,?,?,?)")
        let next = views.positions
        for topic in ViewedTopic.allCases where topic != .reloads {
            for (partition, offset) in next.positions(of: topic) {
                let last = last[topic]?[partition]
                try position.run([
                    .integer(Int64(topic.rawValue)), .integer(Int64(partition.rawValue)), .integer(offset.rawValue),
                    last.map { .integer($0.offset.rawValue) } ?? .null,
                    last.map { .integer($0.timestamp.milliseconds) } ?? .null,
                    last.map { .integer(Int64(bitPattern: $0.hash)) } ?? .null,
                ])
            }
        }
        try database.execute("COMMIT")
    }

    private func history(of key: DirtyKey, at place: ViewPlace, _ views: TopicViews) -> SQLiteStatement.Value {
        guard key.topic == .timelines, let timeline = views.timeline(String(decoding: key.key, as: UTF8.self)),
            timeline.place == place, !timeline.history.isEmpty
        else { return .null }
        return .text(timeline.history.text)
    }
}

/// The reason why a cache file cannot be used: a sentence.
package struct ViewCacheProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
}
