import Foundation
package import RecordLog
import Timelines

/// One JSON file per configuration in a directory: the record's value as it is, replaced atomically, removed by a
/// tombstone, and when the configuration's `sinks` no longer name this sink.
///
/// The file's name is that of `fileName(of:)`. Files that begin with a dot are the sink's own. A directory has one sink
/// at a time. To start over, empty it.
package final class FilesSink: TimelineSink {
    package let name: String
    /// True if names keep capitals as they are: the directory tells `Car` from `car`.
    package let keepsCapitals: Bool
    /// The files with names of another form that were found at the start.
    package let renamedFiles: RenamedFiles
    private let directory: Directory

    /// Makes the directory if it is missing, removes what a crash left half written, and gives files that have names
    /// of another form those of now.
    ///
    /// - Throws: `refused` also if another sink, of any process, writes to the directory.
    package init(directory path: String, name: String = "files") throws(SinkError) {
        self.name = name
        directory = try Directory(path: path)
        keepsCapitals = try directory.distinguishesCases(known: SinkPositionsFile.name)
        for leftover in try directory.names() where leftover.hasPrefix(Directory.temporaryPrefix) {
            try directory.remove(leftover)
        }
        renamedFiles = try Self.renameFiles(in: directory, keepsCapitals: keepsCapitals)
    }

    package func fileName(of configurationId: String) -> String {
        TimelineFileName.of(configurationId, keepsCapitals: keepsCapitals)
    }

    package func write(_ record: SinkRecord) throws(SinkError) -> SinkOutcome {
        let file = fileName(of: record.configurationId)
        guard let timeline = record.timeline(for: name) else {
            return try directory.remove(file) ? .removed : .unchanged
        }
        let old = try directory.read(file)
        if old == timeline { return .unchanged }
        guard let stamp = TimelineStamp(timeline) else {
            throw .unusable(reason: "the value is not a timeline, a JSON object with a revision")
        }
        // What is there but cannot be read is no timeline to keep.
        if let old, let oldStamp = TimelineStamp(old), stamp.isOlder(than: oldStamp) { return .unchanged }
        try directory.replace(file, with: timeline)
        return .written
    }

    package func flush() throws(SinkError) {
        try directory.synchronise()
    }

    package func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] {
        guard let bytes = try directory.read(SinkPositionsFile.name) else { return [:] }
        // `rm DIR/*` leaves this file alone, and still means to start over.
        guard try directory.names().contains(where: { !$0.hasPrefix(".") }) else { return [:] }
        return SinkPositionsFile(bytes).positions[topic] ?? [:]
    }

    package func keep(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError) {
        var file = SinkPositionsFile(try directory.read(SinkPositionsFile.name) ?? [])
        file.positions[topic] = positions
        try directory.replace(SinkPositionsFile.name, with: file.bytes)
        try directory.synchronise()
    }
}
