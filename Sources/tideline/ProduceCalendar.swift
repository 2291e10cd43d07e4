import Agendas
import Arguments
import Messages
import Observability
import Producers
import RecordLog

/// Publishes calendars: what of iCalendar files has changed, or JSON as it is.
struct ProduceCalendar: Verb {
    static let configuration = CommandConfiguration(
        commandName: "calendar",
        abstract: "Publishes calendar events, from iCalendar files or JSON.",
        discussion: """
            Of iCalendar files only what is new or differs from what the topic holds is sent; with --prune what the \
            files no longer have is removed by tombstones. What of a file cannot be used is left out and never counts \
            as removed; the others are published when a file cannot be read at all, which ends with status 65.

            A folder stands for all *.ics and *.ics.gz below it, each the calendar that is named like the file, unless \
            --calendar names one for all. The last line is a summary: sent, unchanged, removed.
            """,
        examples: [
            CommandExample(
                "tideline produce calendar --ics team.ics --calendar team", "A file's events, as calendar 'team'."),
            CommandExample(
                "tideline produce calendar --ics calendars/ --prune --dry-run",
                "What would be sent and removed of a folder's calendars."),
            CommandExample("tideline produce calendar --json events.jsonl", "Events as the contract has them."),
        ])

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("iCalendar files, plain or gzip, or folders of them.", valueName: "file"),
        completion: .file(extensions: ["ics", "gz"]))
    var ics: [String] = []
    @Option(help: ArgumentHelp("The calendarId of the files' events.", valueName: "id")) var calendar: String?
    @Option(
        help: ArgumentHelp("JSON: one object, an array, or lines; - is standard input.", valueName: "file"),
        completion: .file())
    var json: String?
    @Flag(help: "Remove events of these calendars that the files no longer have.") var prune = false
    @Flag(help: "Say what would be sent and removed, and do nothing.") var dryRun = false
    @OptionGroup var pacing: PacingOptions
    @OptionGroup var kafka: KafkaOptions

    func validate() throws(ValidationError) {
        guard ics.isEmpty != (json == nil) else { throw ValidationError("Give one of '--ics' and '--json'.") }
        if let calendar, calendar.isEmpty { throw ValidationError("'--calendar' must not be empty.") }
        if json != nil {
            for (name, isGiven) in [("--prune", prune), ("--dry-run", dryRun)] where isGiven {
                throw ValidationError("'\(name)' is for '--ics'.")
            }
        }
        if calendar == nil, !ics.allSatisfy({ CalendarInput.isFolder($0) }) {
            throw ValidationError("'--ics' needs '--calendar': the id under which a file's events are published.")
        }
    }

    func execute() throws(CommandFailure) {
        guard let json else { return try CalendarPublication(self).run() }
        let source: any RecordSource
        do throws(InputProblem) {
            source = try JSONReplay(file: json, content: .calendarEvents, shouldStop: { Signals.isStopRequested })
        } catch {
            throw CommandFailure(.dataError, error.description)
        }
        try publish(
            source, kafka, pacing: pacing.pacing ?? .asFastAsPossible, title: "publishing events"
        ) { $0.calendarEvents }
    }
}

/// Brings a topic to what calendar files hold.
private struct CalendarPublication {
    private let verb: ProduceCalendar
    private let environment: Environment
    private var topic: String { environment.topics.calendarEvents }

    init(_ verb: ProduceCalendar) throws(CommandFailure) {
        self.verb = verb
        environment = try Environment(verb.kafka)
    }

    /// 1. Reads the files.
    /// 2. Reads what the topic holds of their calendars.
    /// 3. Publishes what differs, or says it.
    func run() throws(CommandFailure) {
        let (contents, unreadable) = try read()
        guard !Signals.isStopRequested, let published = try published(of: contents) else { return }
        let changes = CalendarChanges(from: published, to: contents, prune: verb.prune)
        for problem in contents.leftOut { writeError("left out: \(problem)") }
        for problem in contents.remarks { writeError("warning: \(problem)") }
        if verb.dryRun {
            for change in changes.changes { print(change.json) }
            print(summary(of: changes, nil))
        } else {
            let done = try Publication(environment).publish(
                changes, to: topic, pacing: verb.pacing.pacing ?? .asFastAsPossible, title: "publishing events")
            print(summary(of: changes, done))
        }
        if changes.kept > 0 {
            writeError(
                "the topic holds \(changes.kept) more of these calendars, which the files do not have:"
                    + " '--prune' removes them")
        }
        guard unreadable.isEmpty else {
            throw CommandFailure(.dataError, unreadable.map(\.description).joined(separator: "\ntideline: "))
        }
    }

    private func read() throws(CommandFailure) -> (contents: CalendarContents, unreadable: [InputProblem]) {
        let found = CalendarInput.find(verb.ics, calendarId: verb.calendar)
        if verb.calendar == nil { try requireNames(of: found.inputs) }
        var contents = CalendarContents()
        if let calendarId = verb.calendar, !found.problems.isEmpty { contents.noteIncomplete(calendarId) }
        let progress = LateProgress("reading calendars", unit: "files", environment.logger)
        for (index, input) in found.inputs.enumerated() {
            if Signals.isStopRequested { break }
            contents.read(input)
            progress.update(completed: index + 1, of: found.inputs.count)
        }
        progress.finish(completed: found.inputs.count)
        let unreadable = found.problems + contents.unreadable
        if contents.unreadable.count == found.inputs.count, !unreadable.isEmpty {
            throw CommandFailure(.dataError, unreadable.map(\.description).joined(separator: "\ntideline: "))
        }
        return (contents, unreadable)
    }

    /// Two files of one name in different folders would be one calendar, of which nobody knows.
    private func requireNames(of inputs: [CalendarInput]) throws(CommandFailure) {
        var first: [String: String] = [:]
        for input in inputs {
            guard let other = first.updateValue(input.file, forKey: input.calendarId) else { continue }
            throw CommandFailure(
                .dataError,
                "\(input.file): would be the calendar '\(input.calendarId)', and so would \(other):"
                    + " rename one, or give '--calendar'")
        }
    }

    /// - Returns: nil where it was stopped.
    private func published(of contents: CalendarContents) throws(CommandFailure) -> PublishedEvents? {
        let admin = try environment.connect()
        try environment.require([topic], admin)
        admin.close()
        let progress = LateProgress("reading \(topic)", unit: "records", environment.logger)
        var read = 0
        do throws(LogError) {
            let published = try PublishedEvents.read(
                topic: topic, calendars: contents.calendars, of: environment.cluster, clock: SleepingClock(),
                shouldStop: { Signals.isStopRequested },
                progress: { records, total in
                    read = records
                    progress.update(completed: records, of: total)
                })
            progress.finish(completed: read)
            return published
        } catch {
            throw CommandFailure(.unavailable, "cannot read \(topic): \(error)")
        }
    }

    private func summary(of changes: CalendarChanges, _ done: PublishSummary?) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.bool("dryRun", done == nil ? true : nil)
        done?.write(to: &json)
        json.integer("sent", done.map { changes.published($0).sent } ?? changes.sent)
        json.integer("unchanged", changes.unchanged)
        json.integer("removed", done.map { changes.published($0).removed } ?? changes.removed)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension CalendarChanges {
    /// How many changes lie in the first records, where the rest was not published as somebody asked to stop.
    fileprivate func published(_ summary: PublishSummary) -> (sent: Int, removed: Int) {
        var records = 0
        var (sent, removed) = (0, 0)
        for change in changes {
            records += change.records.count
            guard records <= summary.records else { break }
            if change.action == .remove { removed += 1 } else { sent += 1 }
        }
        return (sent, removed)
    }
}

extension CalendarChanges.Change {
    fileprivate var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.string("action", action.rawValue)
        json.string("key", key.text)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
