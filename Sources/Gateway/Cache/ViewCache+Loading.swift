import Messages
import RecordLog
import SQLite
import Timelines

extension ViewCache {
    /// Puts the contents into the views, if they are of these topics.
    ///
    /// - Parameters:
    ///   - names: the topics' names.
    ///   - cluster: the id of their cluster.
    ///   - ends: their present ends.
    /// - Returns: `nil` if there is nothing to go on from; then the file is empty, and of these topics.
    func load(
        _ names: [ViewedTopic: String], of cluster: String, ends: [ViewedTopic: [Partition: Offset]],
        into views: TopicViews,
        _ notice: (ViewNotice) -> Void
    ) -> Contents? {
        do throws(SQLiteError) {
            let version = try database.integer("PRAGMA user_version") ?? 0
            guard version == Self.version else {
                if version != 0 { notice(.cacheRebuilt(reason: "it was written in another form, \(version)")) }
                try rebuild(names, of: cluster)
                return nil
            }
            if let reason = try difference(names, of: cluster) {
                notice(.cacheRebuilt(reason: reason))
                try rebuild(names, of: cluster)
                return nil
            }
            let contents = try positions()
            for (topic, partitions) in contents.positions {
                for (partition, position) in partitions where position.next > ends[topic]?[partition] ?? Offset(0) {
                    let place = TopicPartition(names[topic] ?? "", partition)
                    notice(.cacheRebuilt(reason: "\(place) ends before \(position.next), where the file was"))
                    try rebuild(names, of: cluster)
                    return nil
                }
            }
            try restore(contents, into: views)
            adopt(contents)
            return contents
        } catch {
            notice(.cacheFailed(reason: error.description))
            return nil
        }
    }

    /// The number under which the table of topics has the id of the cluster.
    private static let clusterRow: Int64 = -1

    private func rebuild(_ names: [ViewedTopic: String], of cluster: String) throws(SQLiteError) {
        try database.execute(
            """
            BEGIN IMMEDIATE;
            DROP TABLE IF EXISTS records;
            DROP TABLE IF EXISTS positions;
            DROP TABLE IF EXISTS topics;
            CREATE TABLE records (
                topic INTEGER, key BLOB, value BLOB, partition INTEGER, offset INTEGER, timestamp INTEGER, history TEXT,
                PRIMARY KEY (topic, key)) WITHOUT ROWID;
            CREATE TABLE positions (
                topic INTEGER, partition INTEGER, next INTEGER, last_offset INTEGER, last_timestamp INTEGER,
                last_hash INTEGER, PRIMARY KEY (topic, partition)) WITHOUT ROWID;
            CREATE TABLE topics (topic INTEGER PRIMARY KEY, name TEXT);
            PRAGMA user_version=\(Self.version);
            """)
        let insert = try database.prepare("INSERT INTO topics VALUES (?,?)")
        for topic in ViewedTopic.allCases {
            try insert.run([.integer(Int64(topic.rawValue)), .text(names[topic] ?? "")])
        }
        try insert.run([.integer(Self.clusterRow), .text(cluster)])
        try database.execute("COMMIT")
    }

    /// The difference between the topics of the file and these; `nil` if there is none.
    private func difference(_ names: [ViewedTopic: String], of cluster: String) throws(SQLiteError) -> String? {
        let rows = try database.prepare("SELECT topic, name FROM topics ORDER BY topic")
        var found: [ViewedTopic: String] = [:]
        while try rows.step() {
            if rows.integer(0) == Self.clusterRow, rows.text(1) != cluster {
                return "it was made of cluster \(rows.text(1)), not of \(cluster)"
            }
            if let topic = ViewedTopic(rawValue: Int(rows.integer(0))) { found[topic] = rows.text(1) }
        }
        for topic in ViewedTopic.allCases where found[topic] != names[topic] {
            return "it was made of \(found[topic] ?? "no topic"), not of \(names[topic] ?? "")"
        }
        return nil
    }

    private func positions() throws(SQLiteError) -> Contents {
        var contents = Contents()
        let rows = try database.prepare(
            "SELECT topic, partition, next, last_offset, last_timestamp, last_hash FROM positions")
        while try rows.step() {
            guard let topic = ViewedTopic(rawValue: Int(rows.integer(0))) else { continue }
            let last =
                rows.isNull(3)
                ? nil
                : Fingerprint(
                    offset: Offset(rows.integer(3)), timestamp: Instant(milliseconds: rows.integer(4)),
                    hash: UInt64(bitPattern: rows.integer(5)))
            contents.positions[topic, default: [:]][Partition(Int32(rows.integer(1)))] = Position(
                next: Offset(rows.integer(2)), last: last)
        }
        return contents
    }

    private func restore(_ contents: Contents, into views: TopicViews) throws(SQLiteError) {
        // Offsets ascend, as they did when the records were read.
        let rows = try database.prepare(
            """
            SELECT topic, key, value, partition, offset, timestamp, history FROM records
            ORDER BY topic, partition, offset
            """)
        while try rows.step() {
            guard let topic = ViewedTopic(rawValue: Int(rows.integer(0))) else { continue }
            let record = RecordView(
                topic: 0, partition: Partition(Int32(rows.integer(3))), offset: Offset(rows.integer(4)),
                timestamp: Instant(milliseconds: rows.integer(5)), key: rows.blob(1), value: rows.blob(2), handle: nil)
            views.restore(record, of: topic, history: rows.isNull(6) ? nil : RevisionHistory(text: rows.text(6)))
        }
        for (topic, partitions) in contents.positions {
            for (partition, position) in partitions {
                // Deletions are not in the file.
                views.forgetDeletions(of: topic, before: ViewPlace(partition, position.next))
            }
        }
    }
}

extension TopicViews {
    /// Takes a record of the cache in. It was readable when it was written; what is not any more is counted.
    func restore(_ record: RecordView, of topic: ViewedTopic, history: RevisionHistory?) {
        guard let change = try? apply(record, of: topic, now: record.timestamp) else { return }
        guard case .timeline(let timeline, _) = change, let history else { return }
        withState { $0.timelines.replace(StoredTimeline(timeline, history: history)) }
    }
}

extension RevisionHistory {
    /// The history as JSON.
    var text: String {
        JSONWriter.object { json in
            json.integer("floor", floor)
            json.array("marks", marks) { $0.integer($1) }
            json.array("removed", removed) { json, removal in
                json.beginObject()
                json.integer("mark", removal.mark)
                json.string("id", removal.id)
                json.endObject()
            }
        }
    }

    init?(text: String) {
        var text = text
        let read: RevisionHistory? = text.withUTF8 { bytes in
            guard let json = JSONText(validating: UnsafeRawBufferPointer(bytes)) else { return nil }
            let fields = RawFields(json, json.whole)
            guard let floor = try? fields.integer("floor") else { return nil }
            let marks = (fields["marks"].map { json.elements(of: $0) } ?? []).compactMap { json.integer(at: $0) }
            let removed = (fields["removed"].map { json.elements(of: $0) } ?? []).compactMap { place -> Removal? in
                let removal = RawFields(json, place)
                guard let mark = try? removal.integer("mark"), let id = try? removal.text("id") else { return nil }
                return Removal(mark: mark, id: id)
            }
            return RevisionHistory(floor: floor, marks: marks, removed: removed)
        }
        guard let read else { return nil }
        self = read
    }

    /// True if nothing has changed since the floor.
    var isEmpty: Bool { marks.isEmpty && removed.isEmpty }
}
