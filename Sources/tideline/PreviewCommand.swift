import Arguments
import Foundation
import Messages
import Preview
import Settings
import Timelines

/// Shows the timelines that would be made of files.
struct PreviewCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Shows the timeline that would be made, from files, without a broker.",
        discussion: """
            On a terminal a table with local times, the entry in force marked and the reason of each entry; elsewhere \
            the record of the topic 'timelines', one line for each. With --until every timeline from --at to then, as \
            the pipeline would make them: telemetry is known from its observedAt on, events from the start.

            Files are JSON: one object, an array, or lines; - is standard input. All that is wrong with them is \
            reported at once, with file and line, and exit status 65.
            """,
        examples: [
            CommandExample(
                "tideline preview --configuration desk.json --ics team.ics --at 2026-11-20T06:25:00Z",
                "What a widget of the calendar 'team' shows on that morning."),
            CommandExample(
                "tideline preview --configuration van.json --telemetry van.jsonl --at 2026-11-20T06:00:00Z"
                    + " --until 2026-11-20T18:00:00Z --html van.html",
                "A day of a vehicle: every timeline, and a page that shows them."),
            CommandExample(
                "tideline preview --configuration widgets.jsonl --at 2026-11-20T06:25:00Z --snapshot --sample | jq .",
                "What a gallery of widgets shows, with a sample vehicle."),
        ])

    @Option(
        name: .customLong("configuration"), help: ArgumentHelp("The widget configurations.", valueName: "file"),
        completion: .file())
    var configurationFile: String
    @Option(help: ArgumentHelp("Records of vehicle.telemetry.", valueName: "file"), completion: .file())
    var telemetry: String?
    @Option(help: ArgumentHelp("Records of calendar.events.", valueName: "file"), completion: .file())
    var events: String?
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "iCalendar files: each the calendar that is named like it, without extension.", valueName: "file"),
        completion: .file(extensions: ["ics"]))
    var ics: [String] = []
    @Option(help: ArgumentHelp("The instant of the timeline.", valueName: "instant")) var at: InstantArgument
    @Option(help: ArgumentHelp("Walk through all timelines up to this instant.", valueName: "instant"))
    var until: InstantArgument?
    @Flag(help: "The snapshot instead: the present alone, a sample instead of a placeholder.") var snapshot = false
    @Flag(help: "Show the sample vehicle where there is no telemetry.") var sample = false
    @Option(help: ArgumentHelp("Draw the timelines on a page, too.", valueName: "file"), completion: .file())
    var html: String?
    @Option(help: ArgumentHelp("How timelines are written: a table is for terminals.", valueName: "format"))
    var format: PreviewFormat?
    @Option(help: ArgumentHelp("Settings in YAML.", valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    func validate() throws(ValidationError) {
        if let until, until.instant < at.instant { throw ValidationError("'--until' must not be before '--at'.") }
        if until != nil && snapshot { throw ValidationError("'--snapshot' and '--until' cannot both be given.") }
        let fromStandardInput = [configurationFile, telemetry, events].count { $0 == "-" }
        if fromStandardInput > 1 { throw ValidationError("Only one file can be standard input.") }
        if ics.contains("-") {
            throw ValidationError("'--ics' needs files with names, which are those of their calendars.")
        }
    }

    func execute() throws(CommandFailure) {
        let settings = try Settings.resolved(config: config)
        let files = PreviewFiles(configuration: configurationFile, telemetry: telemetry, events: events, calendars: ics)
        let inputs: PreviewInputs
        do throws(PreviewProblems) {
            inputs = try PreviewInputs.read(files, kinds: settings[Keys.kinds], at: at.instant)
        } catch {
            for warning in error.warnings { writeError("warning: \(warning)") }
            throw CommandFailure(.dataError, "the files have problems:\n\(error.description)")
        }
        for warning in inputs.warnings { writeError("warning: \(warning)") }
        let run = PreviewRun(
            inputs, at: at.instant, until: until?.instant, isSnapshot: snapshot, isSampled: sample)
        if let html { try writePage(of: run, to: html) }
        switch format ?? (isatty(STDOUT_FILENO) == 1 ? .table : .json) {
        case .json: writeRecords(of: run, settings)
        case .table: writeTables(of: run)
        }
    }

    // MARK: - Writing

    private func writeRecords(of run: PreviewRun, _ settings: Settings) {
        var json = JSONWriter()
        for preview in run.previews {
            let terms = settings.terms(of: preview.configuration.kind)
            for step in preview {
                json.removeAll()
                TimelineRecord(step, of: preview.configuration, terms: terms).write(to: &json)
                json.newline()
                guard json.withUnsafeBytes(StandardOutput.write), !Signals.isStopRequested else { return }
            }
        }
    }

    private func writeTables(of run: PreviewRun) {
        for (index, preview) in run.previews.enumerated() {
            var table = TimelineTable(of: preview, style: .ofStandardOutput)
            guard StandardOutput.write((index > 0 ? [""] : []) + table.heading) else { return }
            for step in preview {
                guard StandardOutput.write(table.lines(for: step)) else { return }
            }
            guard StandardOutput.write(table.finish()) else { return }
        }
    }

    private func writePage(of run: PreviewRun, to file: String) throws(CommandFailure) {
        var page = TimelinePage(of: run)
        for preview in run.previews {
            let steps = Array(preview.prefix(Self.drawnMax + 1))
            if Signals.isStopRequested { return }
            guard steps.count <= Self.drawnMax else {
                throw CommandFailure(
                    .usage,
                    "--html draws at most \(Self.drawnMax) timelines of a configuration: choose an earlier '--until'")
            }
            page.add(preview, steps)
        }
        guard let output = fopen(file, "w") else { throw cannotWrite(file) }
        let html = Array(page.html.utf8)
        let count = fwrite(html, 1, html.count, output)
        guard fclose(output) == 0, count == html.count else { throw cannotWrite(file) }
    }

    private func cannotWrite(_ file: String) -> CommandFailure {
        CommandFailure(.usage, "--html: cannot write \(file): \(String(cString: strerror(errno)))")
    }

    /// The most timelines of a configuration on a page: a browser cannot show more.
    private static let drawnMax = 20_000
}

/// The form in which `preview` and `agenda` write.
enum PreviewFormat: String, CaseIterable, ExpressibleByArgument {
    case json, table
}

/// An instant on the command line, in RFC 3339.
struct InstantArgument: ExpressibleByArgument {
    let instant: Instant

    init?(argument: String) {
        guard let instant = Instant(rfc3339: argument) else { return nil }
        self.instant = instant
    }

    var defaultValueDescription: String { instant.rfc3339 }
    static let allowedDescription: String? = "an RFC 3339 instant with offset, such as 2026-11-20T06:25:00Z"
}
