import Arguments
import Messages
import Producers
import Timelines

/// Publishes readers' positions: JSON, or those of a simulated fleet of readers.
struct ProducePositions: Verb {
    static let configuration = CommandConfiguration(
        commandName: "positions",
        abstract: "Publishes readers' positions, from JSON or of simulated readers.",
        discussion: """
            A line {"readerId": "…", "configurationId": "…", "deviceId": "…", "deleted": true} is a tombstone. All is \
            read and judged before any of it is sent, as the pipeline would judge it. Where something is wrong, all \
            faults are named with line and column, nothing is sent, and the exit status is 65; --keep-going sends the \
            rest, and ends with 65 where something was left out.

            With --fleet so many readers scroll through the rounds of 'produce calendar --fleet', in the agendas and \
            boards of 'produce configurations --fleet' of the same number, until it is told to end. Each has up to \
            three devices (phone, tablet, and one without a name), scrolls 3 to 10 times about every 20 seconds, goes \
            away, and comes back on the same device or on another. One time of five a device has no reception: it \
            sends later what happened, the newest place with the others as its history. One time of 33 a reader signs \
            out, which is a tombstone.

            As real devices do, 2 % of the records arrive 5 to 40 s late, 1 % arrive twice, one in 400 is broken (a \
            dead letter), and the phone of one reader of 20, beginning with reader-0008, has a wrong clock: an hour \
            fast, an hour slow or 70 years ahead. --no-faults leaves all that out.
            """,
        examples: [
            CommandExample("tideline produce positions --json positions.jsonl", "One position a line."),
            CommandExample("tideline produce positions --fleet 12 --every PT5S", "Simulated readers, who scroll fast."),
        ])

    @OptionGroup var input: JSONOptions
    @Option(help: ArgumentHelp("Simulate so many readers.", valueName: "n")) var fleet: Int?
    @Flag(help: "With --fleet: no late, double, broken or misdated records.") var noFaults = false
    @OptionGroup var changes: ChangeOptions
    @OptionGroup var options: PublicationOptions
    @OptionGroup var kafka: KafkaOptions

    func validate() throws(ValidationError) {
        try ProduceCommand.checkOne(of: [("--json", input.json != nil), ("--fleet", fleet != nil)])
        try ProduceCommand.check("--no-faults", noFaults, isFor: "--fleet", fleet != nil)
        try changes.check(fleet: fleet)
        try input.check()
        try ProduceCommand.check(fleet: fleet)
    }

    func execute() throws(CommandFailure) {
        if let file = input.json {
            let publication = try Publication(kafka, .positions, pacing: .asFastAsPossible, options)
            return try JSONPublication(file, publication, keepGoing: input.keepGoing).run()
        }
        let source = ReaderFleet(
            count: fleet ?? 1, seed: options.seed, start: .now(), every: changes.interval, hasFaults: !noFaults,
            clock: { .now() })
        try Publication(kafka, .positions, pacing: .realTime, options).run(source)
    }
}
