import Foundation
import Messages
import Preview
import Producers
import TestSupport
import Timelines

/// Files of one test in a folder of their own, removed with their owner, and what a preview makes of them.
final class PreviewFixture {
    private let folder: URL
    var files = PreviewFiles(configuration: "")

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tideline-preview-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: folder.appending(path: name))
        return path(name)
    }

    func configuration(_ text: String) throws { files.configuration = try write(text, to: "widgets.json") }
    func telemetry(_ lines: String...) throws {
        files.telemetry = try write(lines.joined(separator: "\n"), to: "telemetry.jsonl")
    }
    func events(_ lines: String...) throws {
        files.events = try write(lines.joined(separator: "\n"), to: "events.jsonl")
    }
    func calendar(_ name: String, _ lines: String...) throws {
        files.calendars.append(try write(lines.joined(separator: "\r\n") + "\r\n", to: name))
    }

    func inputs(at text: String = "2026-11-20T06:25:00Z") throws -> PreviewInputs {
        try PreviewInputs.read(files, at: at(text))
    }

    func run(
        at text: String = "2026-11-20T06:25:00Z", until: String? = nil, isSnapshot: Bool = false,
        isSampled: Bool = false
    ) throws -> PreviewRun {
        PreviewRun(
            try inputs(at: text), at: at(text), until: until.map { at($0) }, isSnapshot: isSnapshot,
            isSampled: isSampled)
    }

    /// What is wrong with the files, each line without the folder.
    func problems() -> [String] {
        do throws(PreviewProblems) {
            _ = try PreviewInputs.read(files, at: at("2026-11-20T06:25:00Z"))
            return []
        } catch {
            return error.problems.map { $0.description.replacing(folder.path + "/", with: "") }
        }
    }

    func warnings() throws -> [String] {
        try inputs().warnings.map { $0.replacing(folder.path + "/", with: "") }
    }
}

extension PreviewRun {
    /// All records as JSON.
    var records: [String] {
        previews.flatMap { preview in
            preview.map { step in
                var json = JSONWriter()
                TimelineRecord(step, of: preview.configuration).write(to: &json)
                return String(decoding: json.bytes, as: UTF8.self)
            }
        }
    }

    /// The table, line by line.
    func table(columns: Int = 120, isColored: Bool = false) -> [String] {
        previews.flatMap { preview in
            var table = TimelineTable(of: preview, style: TableStyle(columns: columns, isColored: isColored))
            var lines = table.heading
            for step in preview { lines += table.lines(for: step) }
            return lines + table.finish()
        }
    }

    var page: String {
        var page = TimelinePage(of: self)
        for preview in previews { page.add(preview, Array(preview)) }
        return page.html
    }
}
