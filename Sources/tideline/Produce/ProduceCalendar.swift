import Agendas
import Arguments
import Messages
import Observability
import Pipeline
import Producers
import RecordLog
import Timelines

/// Publishes calendars: what of iCalendar files has changed, JSON as it is, or a simulated fleet's.
struct ProduceCalendar: Verb {
    static let configuration = CommandConfiguration(
        commandName: "calendar",
        abstract: "Publishes calendar events, from iCalendar files, JSON, or of a simulated fleet.",
        discussion: """
            Of iCalendar files only what is new or differs from what the topic holds is sent; with --prune what the \
            files no longer have is removed by tombstones. What of a file cannot be used is left out and never counts \
            as removed; the others are published when a file cannot be read at all, which ends with status 65.

            A folder stands for all *.ics and *.ics.gz below it, each the calendar that is named like the file, unless \
            --calendar names one for all. The last line is a summary: sent, unchanged, removed.

            JSON is read and judged as a whole before any of it is sent. Where something is wrong, all faults are \
            named with line and column, nothing is sent, and the exit status is 65; --keep-going sends the rest, and \
            ends with 65 where something was left out.

            With --fleet it publishes the rounds of as many vehicles as calendars depot-west, depot-north and \
            depot-harbour, or as the one that --calendar names: in each a round begins every four minutes, announced a \
            minute before. Besides daily series and tentative events. Then, until it is told to end, something is \
            moved, renamed, cancelled, confirmed or added every 20 seconds. Started again, it goes on from what the \
            topic holds.
            """,
        examples: [
            CommandExample(
                "tideline produce calendar --ics team.ics --calendar team", "A file's events, as calendar 'team'."),
            CommandExample(
                "tideline produce calendar --ics calendars/ --prune --dry-run",
                "What would be sent and removed of a folder's calendars."),
            CommandExample("tideline produce calendar --json events.jsonl", "Events as the contract has them."),
            CommandExample("tideline produce calendar --fleet 12", "A simulated fleet's rounds, with changes."),
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
    @OptionGroup var judging: JudgingOptions
    @Flag(help: "Remove events of these calendars that the files no longer have.") var prune = false
    @Flag(help: "Say what would be sent and removed, and do nothing.") var dryRun = false
    @Option(help: ArgumentHelp("The rounds of so many vehicles.", valueName: "n")) var fleet: Int?
    @OptionGroup var changes: ChangeOptions
    @OptionGroup var fleetOptions: FleetOptions
    @OptionGroup var pacing: PacingOptions
    @OptionGroup var kafka: KafkaOptions

    func validate() throws(ValidationError) {
        guard [!ics.isEmpty, json != nil, fleet != nil].filter({ $0 }).count == 1 else {
            throw ValidationError("Give one of '--ics', '--json' and '--fleet'.")
        }
        if let calendar, calendar.isEmpty { throw ValidationError("'--calendar' must not be empty.") }
        try judging.check(json: json)
        try FleetOptions.check(fleet: fleet)
        if fleet != nil && pacing.pacing != nil {
            throw ValidationError(
                "'--rate' and '--speedup' are not for '--fleet' here; '--every' says its pace.")
        }
        if fleet == nil && changes.every != nil { throw ValidationError("'--every' is for '--fleet'.") }
        for (name, isGiven) in [
            ("--limit", fleetOptions.limit != nil), ("--health-file", fleetOptions.healthFile != nil),
        ] where isGiven && !ics.isEmpty {
            throw ValidationError("'\(name)' is not for '--ics'.")
        }
        if ics.isEmpty {
            for (name, isGiven) in [("--prune", prune), ("--dry-run", dryRun)] where isGiven {
                throw ValidationError("'\(name)' is for '--ics'.")
            }
        }
        if !ics.isEmpty, calendar == nil, !ics.allSatisfy({ CalendarInput.isFolder($0) }) {
            throw ValidationError("'--ics' needs '--calendar': the id under which a file's events are published.")
        }
    }

    func execute() throws(CommandFailure) {
        if let fleet { return try publish(fleet: fleet) }
        guard let json else { return try CalendarPublication(self).run() }
        try JSONPublication(file: json, content: .calendarEvents, keepGoing: judging.keepGoing).publish(
            kafka, pacing: pacing.pacing ?? .asFastAsPossible, limit: fleetOptions.limit,
            healthFile: fleetOptions.healthFile, title: "publishing events"
        ) { $0.calendarEvents }
    }

    /// Goes on from what the topic holds, so that no version goes back.
    private func publish(fleet: Int) throws(CommandFailure) {
        let environment = try Environment(kafka)
        let health = try HealthFile(fleetOptions.healthFile)
        let calendarIds = calendar.map { [$0] } ?? FleetCalendars.all
        let ids = Set(calendarIds.map { Array($0.utf8) })
        guard let published = try environment.publishedEvents(of: ids) else { return }
        let source = SimulatedCalendars(
            fleet: fleet, seed: fleetOptions.seed, calendarIds: calendarIds, start: .now(), every: changes.interval,
            published: published, clock: { .now() })
        let summary = try Publication(environment).publish(
            source, to: environment.topics.calendarEvents, pacing: .realTime, limit: fleetOptions.limit, health: health,
            title: "publishing events")
        print(summary.json)
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
        guard !Signals.isStopRequested, let published = try environment.publishedEvents(of: contents.calendars)
        else { return }
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
        var contents = CalendarContents(valueBytesMax: PipelineSettings().recordBytesMax)
        if let calendarId = verb.calendar, !found.problems.isEmpty { contents.noteIncomplete(calendarId) }
        let progress = LateProgress("reading calendars", unit: "files", environment)
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

extension Environment {
    /// What the topic of events holds of some calendars.
    ///
    /// - Parameter calendars: their ids as UTF-8.
    /// - Returns: nil where it was stopped.
    fileprivate func publishedEvents(of calendars: Set<[UInt8]>) throws(CommandFailure) -> PublishedEvents? {
        let topic = topics.calendarEvents
        let admin = try connect()
        try require([topic], admin)
        admin.close()
        let progress = LateProgress("reading \(topic)", unit: "records", self)
        var read = 0
        do throws(LogError) {
            let published = try PublishedEvents.read(
                topic: topic, calendars: calendars, of: cluster, clock: SleepingClock(),
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
