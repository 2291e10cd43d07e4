import Arguments
import Messages
import Producers
import Timelines

/// Publishes widget configurations: JSON, or those of a simulated fleet.
struct ProduceConfigurations: Verb {
    static let configuration = CommandConfiguration(
        commandName: "configurations",
        abstract: "Publishes widget configurations, from JSON or of a simulated fleet.",
        discussion: """
            A line {"configurationId": "…", "deleted": true} is a tombstone. All is read and judged before any of it \
            is sent, as the pipeline would judge it, by the setting 'kinds', too: what would show an error instead of \
            a widget is refused. Where something is wrong, all faults are named with line and column, nothing is \
            sent, and the exit status is 65; --keep-going sends the rest, and ends with 65 where something was left \
            out.

            With --fleet it publishes the widgets of the vehicles of 'produce telemetry --fleet' and of the calendars \
            of 'produce calendar --fleet', each with the same number: a status widget (kind TrackerStatusWidget) for \
            each vehicle, an agenda (kind AgendaWidget) on each phone, which shows three vehicles, and a board for \
            each depot. Then, until it is told to end, something changes every 20 seconds: somebody signs out, chooses \
            another vehicle, removes a widget or makes a mistake in its configuration; two changes later it is undone.
            """,
        examples: [
            CommandExample("tideline produce configurations --json widgets.jsonl", "One configuration a line."),
            CommandExample(
                "tideline produce configurations --fleet 12 --every PT10S", "A simulated fleet's, with changes."),
        ])

    @OptionGroup var input: JSONOptions
    @Option(help: ArgumentHelp("The widgets of so many vehicles.", valueName: "n")) var fleet: Int?
    @OptionGroup var changes: ChangeOptions
    @OptionGroup var options: PublicationOptions
    @OptionGroup var kafka: KafkaOptions

    func validate() throws(ValidationError) {
        try ProduceCommand.checkOne(of: [("--json", input.json != nil), ("--fleet", fleet != nil)])
        try changes.check(fleet: fleet)
        try input.check()
        try ProduceCommand.check(fleet: fleet)
    }

    func execute() throws(CommandFailure) {
        if let file = input.json {
            let publication = try Publication(kafka, .configurations, pacing: .asFastAsPossible, options)
            return try JSONPublication(file, publication, keepGoing: input.keepGoing).run()
        }
        let source = SimulatedWidgets(
            fleet: fleet ?? 1, seed: options.seed, start: .now(), every: changes.interval, clock: { .now() })
        try Publication(kafka, .configurations, pacing: .realTime, options).run(source)
    }
}
