import Arguments
import Messages
import Producers
import Timelines

/// Publishes calendars: the changes of iCalendar files, JSON as it is, or a simulated fleet's calendars.
struct ProduceCalendar: Verb {
    static let configuration = CommandConfiguration(
        commandName: "calendar",
        abstract: "Publishes calendar events, from iCalendar files, JSON, or of a simulated fleet.",
        discussion: """
            Of iCalendar files only what is new or differs from what the topic holds is sent; with --prune what the \
            files no longer have is removed by tombstones. What of a file cannot be used is left out and never counts \
            as removed; the others are published when a file cannot be read at all, which ends with status 65. Where \
            something is to be removed, it asks on a terminal, and needs '--yes' elsewhere.

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
    @OptionGroup var input: JSONOptions
    @Flag(help: "Remove events of these calendars that the files no longer have.") var prune = false
    @Flag(help: "Say what would be sent and removed, and do nothing.") var dryRun = false
    @Flag(help: "With --prune: do not ask.") var yes = false
    @Option(help: ArgumentHelp("The rounds of so many vehicles.", valueName: "n")) var fleet: Int?
    @OptionGroup var changes: ChangeOptions
    @OptionGroup var options: PublicationOptions
    @OptionGroup var pacing: PacingOptions
    @OptionGroup var kafka: KafkaOptions

    func validate() throws(ValidationError) {
        try ProduceCommand.checkOne(
            of: [("--ics", !ics.isEmpty), ("--json", input.json != nil), ("--fleet", fleet != nil)])
        if let calendar, calendar.isEmpty { throw ValidationError("'--calendar' must not be empty.") }
        try input.check()
        try ProduceCommand.check(fleet: fleet)
        if fleet != nil && pacing.pacing != nil {
            throw ValidationError(
                "'--rate' and '--speedup' are not for '--fleet' here; '--every' says its pace.")
        }
        try changes.check(fleet: fleet)
        for (name, isGiven) in [
            ("--limit", options.limit != nil), ("--health-file", options.healthFile != nil),
            ("--metrics", options.monitoring.metrics != nil),
        ] where isGiven && !ics.isEmpty {
            throw ValidationError("'\(name)' is not for '--ics'.")
        }
        try ProduceCommand.check("--prune", prune, isFor: "--ics", !ics.isEmpty)
        try ProduceCommand.check("--dry-run", dryRun, isFor: "--ics", !ics.isEmpty)
        try ProduceCommand.check("--yes", yes, isFor: "--prune", prune)
        if !ics.isEmpty, calendar == nil, !ics.allSatisfy({ CalendarInput.isFolder($0) }) {
            throw ValidationError("'--ics' needs '--calendar': the id under which a file's events are published.")
        }
    }

    func execute() throws(CommandFailure) {
        if let fleet {
            try publish(fleet: fleet)
        } else if let file = input.json {
            let publication = try Publication(
                kafka, .calendarEvents, pacing: pacing.pacing ?? .asFastAsPossible, options)
            try JSONPublication(file, publication, keepGoing: input.keepGoing).run()
        } else {
            let publication = CalendarPublication(
                try Environment(kafka), files: ics, calendarId: calendar,
                mode: .init(prunes: prune, isDryRun: dryRun, isAgreed: yes), pacing: pacing.pacing ?? .asFastAsPossible)
            try publication.run()
        }
    }

    /// Goes on from what the topic holds, so that no version goes back.
    private func publish(fleet: Int) throws(CommandFailure) {
        let environment = try Environment(kafka, flags: options.monitoring.flags)
        let health = try HealthFile(options.healthFile)
        let monitoring = try PublicationMonitoring.start(environment, topic: environment.topics[.calendarEvents])
        defer { monitoring?.close() }
        let calendarIds = calendar.map { [$0] } ?? FleetCalendars.all
        let ids = Set(calendarIds.map { Array($0.utf8) })
        guard let published = try environment.publishedEvents(of: ids) else { return }
        let source = SimulatedCalendars(
            fleet: fleet, seed: options.seed, calendarIds: calendarIds, start: .now(), every: changes.interval,
            published: published, clock: { .now() })
        let publication = Publication(
            environment, .calendarEvents, pacing: .realTime, limit: options.limit, monitoring: monitoring)
        print(try publication.publishWithProgress(source, health).json)
    }
}
