import Foundation
import Glibc
import Messages
import RecordLog
import SQLite
import Sinks
import Timelines

/// What a target's own bulk tool does with the same timelines: the best that anybody could hope for.
struct BulkTools {
    let load: SinkLoad
    let directory: URL

    /// Writes what `sqlite3 .import` reads. Not timed: the tool finds its files ready.
    func prepareImport() throws {
        var (timelines, entries) = ("", "")
        for (record, timeline) in zip(load.records, load.timelines) {
            let value = quoted(String(decoding: record.value ?? [], as: UTF8.self))
            let next = timeline.timeline.nextUpdate.map { "\($0.milliseconds)" } ?? ""
            let until = timeline.timeline.validUntil.map { "\($0.milliseconds)" } ?? ""
            timelines += "\(record.configurationId),\(timeline.kind),\(timeline.family.rawValue),\(timeline.recipient),"
            timelines +=
                "1,1,\(timeline.generatedAt.milliseconds),\(next),\(until),\(value),0,\(record.offset.rawValue)\n"
            for (position, entry) in timeline.timeline.entries.enumerated() {
                var json = JSONWriter()
                json.entry(entry)
                entries += "\(record.configurationId),\(position),\(quoted(entry.id)),\(entry.date.milliseconds),"
                entries += "\(entry.phase.rawValue),\(quoted(entry.event?.title ?? "")),"
                entries += quoted(String(decoding: json.bytes, as: UTF8.self)) + "\n"
            }
        }
        try Data(timelines.utf8).write(to: directory.appending(path: "timelines.csv"))
        try Data(entries.utf8).write(to: directory.appending(path: "entries.csv"))
    }

    /// Writes what psql's `\copy` reads into the rows of a batch. Not timed, as for `.import`.
    func prepareCopy() throws {
        let rows = load.records.enumerated().map { ordinal, record in
            let value = quoted(String(decoding: record.value ?? [], as: UTF8.self))
            return "\(ordinal),\(record.configurationId),\(value),1,1,0,\(record.offset.rawValue)\n"
        }
        try Data(rows.joined().utf8).write(to: directory.appending(path: "batch.csv"))
    }

    /// The commands of psql that do what a sink does: all rows to a temporary table, and the same upsert.
    var copyCommands: [String] {
        [
            PostgresSchema.batch, "BEGIN", "\\copy tideline_batch FROM '\(directory.path)/batch.csv' WITH (FORMAT csv)",
            TimelineUpsert.sql, "COMMIT",
        ]
    }

    private func quoted(_ text: String) -> String { "\"" + text.replacing("\"", with: "\"\"") + "\"" }

    /// Runs the shell of SQLite over the tables that a sink has made, and are empty.
    func runImport(into file: String) throws {
        let shell = Process()
        shell.executableURL = URL(filePath: "/usr/bin/env")
        shell.arguments = [
            "sqlite3", file, "-cmd", "PRAGMA synchronous=FULL", "-cmd", "PRAGMA foreign_keys=ON", "-cmd", ".mode csv",
            ".import \(directory.path)/timelines.csv timelines", ".import \(directory.path)/entries.csv entries",
        ]
        try shell.run()
        shell.waitUntilExit()
        guard shell.terminationStatus == 0 else { fatalError("sqlite3 ended with \(shell.terminationStatus)") }
    }

    /// Write, fsync, rename, for each record's content, which is ready.
    func write(_ contents: [[UInt8]], _ suffix: String, to folder: String) {
        for (record, content) in zip(load.records, contents) {
            let (new, path) = ("\(folder)/.new", "\(folder)/\(record.configurationId)\(suffix)")
            let file = open(new, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
            guard file >= 0, Glibc.write(file, content, content.count) == content.count, fsync(file) == 0,
                close(file) == 0,
                rename(new, path) == 0
            else { fatalError("cannot write \(path)") }
        }
    }
}
