import Arguments
import Messages
import Producers
import Timelines

extension TelemetryReplay.Format: ExpressibleByArgument {}

/// Publishes vehicle telemetry: recorded sets, JSON, or a simulated fleet.
struct ProduceTelemetry: Verb {
    static let configuration = CommandConfiguration(
        commandName: "telemetry",
        abstract: "Publishes vehicle telemetry: a replay, JSON, or a simulated fleet.",
        discussion: """
            Recorded and JSON telemetry goes out as fast as it goes, unless --speedup or --rate says otherwise. JSON \
            is judged before it is sent: a file as a whole, standard input in batches of 10,000 records or a second. \
            Where something is wrong, all faults are named with line and column, nothing of the file or batch is \
            sent, and the exit status is 65; --keep-going sends the rest, and ends with 65 where something was left \
            out. What comes later than --rate wants it by more than a second, as a pipe was silent, is not caught up \
            with.

            A fleet drives in real time and reports as its vehicles would: every few seconds on the way, rarely when \
            parked; vehicle-0001 seldom stands for more than a minute. With --rate it sends so many records a second \
            in all, each with what is true at that moment. Where its vehicles are follows from the seed and the time, \
            so after a restart they go on from there. --speedup lets its clock run ahead of the time.

            As real fleets do, 2 % of the reports on the way arrive 5 to 40 s late, 0.5 % arrive twice, one in 400 is \
            broken (a dead letter), and one vehicle of 100, beginning with vehicle-0017, has a wrong clock: 70 years \
            ahead, 3 hours behind or 2 hours ahead. --no-faults leaves all that out. Vehicles say their battery's or \
            tank's level as a series.
            """,
        examples: [
            CommandExample(
                "tideline produce telemetry --csv 2016-11-24.csv.gz --format capmetrics",
                "A recorded day of city buses, plain or gzip."),
            CommandExample("tideline produce telemetry --fleet 100 --rate 50", "A hundred vehicles, in real time."),
            CommandExample(
                "tideline produce telemetry --fleet 1000 --rate 2000 --no-faults", "An even load of good records."),
            CommandExample("tideline produce telemetry --json - < telemetry.jsonl", "JSON lines from standard input."),
        ])

    @Option(
        parsing: .upToNextOption, help: ArgumentHelp("Recorded sets, plain or gzip.", valueName: "file"),
        completion: .file(extensions: ["csv", "gz"]))
    var csv: [String] = []
    @Option(help: ArgumentHelp("How the recorded sets are written.", valueName: "format")) var format:
        TelemetryReplay.Format?
    @OptionGroup var input: JSONOptions
    @Option(help: ArgumentHelp("Simulate so many vehicles.", valueName: "n")) var fleet: Int?
    @Flag(help: "With --fleet: no late, double, broken or misdated records.") var noFaults = false
    @OptionGroup var options: PublicationOptions
    @OptionGroup var pacing: PacingOptions
    @OptionGroup var kafka: KafkaOptions

    func validate() throws(ValidationError) {
        try ProduceCommand.checkOne(
            of: [("--csv", !csv.isEmpty), ("--json", input.json != nil), ("--fleet", fleet != nil)])
        if !csv.isEmpty && format == nil {
            throw ValidationError("'--csv' needs '--format': one of capmetrics, ndsbr.")
        }
        try ProduceCommand.check("--no-faults", noFaults, isFor: "--fleet", fleet != nil)
        try input.check()
        try ProduceCommand.check(fleet: fleet)
    }

    func execute() throws(CommandFailure) {
        let publication = try Publication(kafka, .telemetry, pacing: pace, options)
        if let file = input.json {
            try JSONPublication(file, publication, keepGoing: input.keepGoing).run()
        } else if let fleet {
            let source = FleetSimulator(
                count: fleet, seed: options.seed, start: .now(), rate: pacing.rate, hasFaults: !noFaults,
                clock: pacing.speedup == nil ? { .now() } : nil)
            try publication.run(source)
        } else {
            try publication.run(TelemetryReplay(files: csv, format: format ?? .capmetrics))
        }
    }

    private var pace: Pacing {
        guard fleet != nil else { return pacing.pacing ?? .asFastAsPossible }
        return pacing.speedup.map { .speedup($0) } ?? .realTime
    }
}
