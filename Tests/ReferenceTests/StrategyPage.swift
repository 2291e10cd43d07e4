import Foundation
import Messages
import Preview
import Timelines

/// Documentation/Strategies.md: every strategy and schedule with its options, an example, and the timeline that the
/// example makes.
struct StrategyPage {
    private var text = ""

    init() throws {
        text += Self.introduction
        for strategy in TimelineStrategies.all {
            text += "\n## \(strategy.name)\n\n"
            try add(strategy.reference)
        }
        text += "\n# Schedules\n\n\(Self.schedules)"
        for schedule in TimelineSchedules.all {
            text += "\n## \(schedule.name)\n\n"
            try add(schedule.reference)
        }
        text += "\n\(Self.kinds)"
        try add(Self.gameCharacter)
    }

    var markdown: String { text }

    // MARK: - Parts

    private mutating func add(_ reference: StrategyReference) throws {
        text += "\(reference.summary)\n\n\(reference.discussion)\n"
        if !reference.options.isEmpty {
            text += "\n| option | default | must be | |\n|---|---|---|---|\n"
            for option in reference.options { text += Self.row(of: option) }
        }
        if let difference = reference.difference { text += "\n**Other than WidgetKit's example.** \(difference)\n" }
        if let example = reference.example { try add(example) }
    }

    private static func row(of option: any OptionDeclaration) -> String {
        let defaultText = option.defaultValue.map { "`\($0.json)`" } ?? option.withoutValue ?? "has to be there"
        let cells = ["`\(option.key)`", defaultText, option.allowed, option.documentation]
        return "| " + cells.map { $0.replacingOccurrences(of: "|", with: "\\|") }.joined(separator: " | ") + " |\n"
    }

    private mutating func add(_ example: StrategyReference.Example) throws {
        if !example.kinds.isEmpty { text += "\nIn the settings file:\n\n```yaml\n\(example.kinds)\n```\n" }
        text += "\nThe configuration\n\n```json\n\(example.configuration)\n```\n"
        for (topic, lines) in [("vehicle.telemetry", example.telemetry), ("calendar.events", example.events)]
        where !lines.isEmpty {
            text += "\nwith `\(topic)`\n\n```json\n\(lines)\n```\n"
        }
        let made = try ExampleTimeline(of: example)
        text += "\nat \(example.at) makes\n\n```text\n\(made.table)\n```\n"
        text += "\n<details><summary>the record on <code>timelines</code></summary>\n\n"
        text += "```json\n\(made.record)\n```\n\n</details>\n"
    }
}

/// The timeline of an example, as `tideline preview` shows it.
struct ExampleTimeline {
    var table: String
    var record: String

    init(of example: StrategyReference.Example) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "example-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ text: String) throws -> String? {
            if text.isEmpty { return nil }
            let url = folder.appending(path: name)
            try Data(text.utf8).write(to: url)
            return url.path
        }
        guard let at = Instant(rfc3339: example.at), let configuration = try file("c.json", example.configuration)
        else { throw ExampleProblem(description: "an example has a configuration and an instant") }
        let files = PreviewFiles(
            configuration: configuration, telemetry: try file("telemetry.jsonl", example.telemetry),
            events: try file("events.jsonl", example.events))
        let inputs = try PreviewInputs.read(files, kinds: try DeclaredExample.kinds(example.kinds), at: at)
        guard let preview = PreviewRun(inputs, at: at).previews.first, let step = Array(preview).first else {
            throw ExampleProblem(description: "an example makes a timeline")
        }
        var lines = TimelineTable(of: preview, style: TableStyle(columns: 110, isColored: false))
        let all = lines.heading + lines.lines(for: step) + lines.finish()
        table = all.map { line in String(line.reversed().drop { $0 == " " }.reversed()) }.joined(separator: "\n")
        var json = JSONWriter()
        TimelineRecord(step, of: preview.configuration).write(to: &json)
        record = String(decoding: json.bytes, as: UTF8.self)
    }
}

struct ExampleProblem: Error, CustomStringConvertible {
    var description: String
}
