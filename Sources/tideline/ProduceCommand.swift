import Arguments
import Foundation
import Messages
import Observability
import Producers
import RecordLog
import Timelines

/// Publishes test and replay data.
struct ProduceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "produce",
        abstract: "Publishes telemetry, calendar events or configurations.",
        examples: [
            CommandExample("tideline produce telemetry --fleet 100", "A simulated fleet, until it is told to end."),
            CommandExample(
                "tideline produce calendar --ics team.ics --calendar team", "The events of a calendar file."),
        ],
        subcommands: [ProduceTelemetry.self, ProduceCalendar.self, ProduceConfigurations.self])
}

extension TelemetryReplay.Format: ExpressibleByArgument {}

/// How fast records go out.
struct PacingOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Play data time at so many times its speed.", valueName: "x")) var speedup: Double?
    @Option(help: ArgumentHelp("So many records a second.", valueName: "r")) var rate: Double?

    func validate() throws(ValidationError) {
        if speedup != nil && rate != nil { throw ValidationError("'--speedup' and '--rate' cannot both be given.") }
        for (name, value) in [("--speedup", speedup), ("--rate", rate)] {
            if let value, !(value > 0 && value.isFinite) { throw ValidationError("'\(name)' must be above 0.") }
        }
    }

    var pacing: Pacing? { speedup.map { .speedup($0) } ?? rate.map { .rate($0) } }
}

struct ProduceTelemetry: Verb {
    static let configuration = CommandConfiguration(
        commandName: "telemetry",
        abstract: "Publishes vehicle telemetry: a replay, JSON, or a simulated fleet.",
        discussion:
            "As fast as it goes, unless --speedup or --rate says otherwise; a fleet reports as its vehicles would.",
        examples: [
            CommandExample(
                "tideline produce telemetry --csv 2016-11-24.csv.gz --format capmetrics",
                "A recorded day of city buses, plain or gzip."),
            CommandExample("tideline produce telemetry --fleet 100 --speedup 10", "A hundred vehicles in a hurry."),
            CommandExample("tideline produce telemetry --json - < telemetry.jsonl", "JSON lines from standard input."),
        ])

    @Option(
        parsing: .upToNextOption, help: ArgumentHelp("Recorded sets, plain or gzip.", valueName: "file"),
        completion: .file(extensions: ["csv", "gz"]))
    var csv: [String] = []
    @Option(help: ArgumentHelp("How the recorded sets are written.", valueName: "format")) var format:
        TelemetryReplay.Format?
    @Option(
        help: ArgumentHelp("JSON: one object, an array, or lines; - is standard input.", valueName: "file"),
        completion: .file())
    var json: String?
    @Option(help: ArgumentHelp("Simulate so many vehicles.", valueName: "n")) var fleet: Int?
    @Option(help: ArgumentHelp("The fleet's seed.", valueName: "n")) var seed: UInt64 = 1
    @Option(help: ArgumentHelp("End after so many records.", valueName: "n")) var limit: Int?
    @OptionGroup var pacing: PacingOptions
    @OptionGroup var kafka: KafkaOptions

    func validate() throws(ValidationError) {
        let given = [!csv.isEmpty, json != nil, fleet != nil].filter { $0 }.count
        guard given == 1 else { throw ValidationError("Give one of '--csv', '--json' and '--fleet'.") }
        if !csv.isEmpty && format == nil {
            throw ValidationError("'--csv' needs '--format': one of capmetrics, ndsbr.")
        }
        if let fleet, !(1...1_000_000).contains(fleet) {
            throw ValidationError("'--fleet' must be from 1 to 1000000.")
        }
        if let limit, limit < 1 { throw ValidationError("'--limit' must be 1 or more.") }
    }

    func execute() throws(CommandFailure) {
        let source: any RecordSource
        do throws(InputProblem) {
            if let json {
                source = try JSONReplay(file: json, content: .telemetry, shouldStop: { Signals.isStopRequested })
            } else if let fleet {
                source = FleetSimulator(count: fleet, seed: seed, start: Instant(milliseconds: WallClock.systemTime()))
            } else {
                source = TelemetryReplay(files: csv, format: format ?? .capmetrics)
            }
        } catch {
            throw CommandFailure(.dataError, error.description)
        }
        let pace = pacing.pacing ?? (fleet != nil ? .speedup(1) : .asFastAsPossible)
        try publish(source, kafka, pacing: pace, limit: limit, title: "publishing telemetry") { $0.telemetry }
    }
}

struct ProduceConfigurations: Verb {
    static let configuration = CommandConfiguration(
        commandName: "configurations",
        abstract: "Publishes widget configurations.",
        discussion: #"A line {"configurationId": "…", "deleted": true} is a tombstone."#,
        examples: [
            CommandExample("tideline produce configurations --json widgets.jsonl", "One configuration a line.")
        ])

    @Option(
        help: ArgumentHelp("JSON: one object, an array, or lines; - is standard input.", valueName: "file"),
        completion: .file())
    var json: String
    @OptionGroup var kafka: KafkaOptions

    func execute() throws(CommandFailure) {
        let source: any RecordSource
        do throws(InputProblem) {
            source = try JSONReplay(file: json, content: .configurations, shouldStop: { Signals.isStopRequested })
        } catch {
            throw CommandFailure(.dataError, error.description)
        }
        try publish(source, kafka, pacing: .asFastAsPossible, limit: nil, title: "publishing configurations") {
            $0.configurations
        }
    }
}

extension Verb {
    /// Publishes a source with a progress bar, and prints a JSON summary.
    func publish(
        _ source: any RecordSource, _ kafka: KafkaOptions, pacing: Pacing, limit: Int? = nil, title: String,
        to topic: (TopicNames) -> String
    ) throws(CommandFailure) {
        let environment = try Environment(kafka)
        let admin = try environment.connect()
        let name = topic(environment.topics)
        try environment.require([name], admin)
        admin.close()
        let summary = try Publication(environment).publish(
            source, to: name, pacing: pacing, limit: limit, title: title)
        for problem in summary.skipped { writeError("left out: \(problem)") }
        print(summary.json)
    }
}

/// One source into one topic, for `produce` and `demo`.
struct Publication {
    private let environment: Environment

    init(_ environment: Environment) {
        self.environment = environment
    }

    func publish(
        _ source: any RecordSource, to topic: String, pacing: Pacing, limit: Int? = nil,
        until shouldStop: @escaping () -> Bool = { Signals.isStopRequested },
        progress: @escaping (PublishProgress) -> Void = { _ in }
    ) throws(CommandFailure) -> PublishSummary {
        let producer: any PlainProducer
        do throws(LogError) {
            producer = try environment.cluster.makePlainProducer(clientId: "tideline-produce")
        } catch {
            throw CommandFailure(.unavailable, "cannot make a producer: \(error)")
        }
        defer { producer.close() }
        let publisher = Publisher(
            producer: producer, clock: SleepingClock(), shouldStop: shouldStop, progress: progress)
        do throws(PublishError) {
            return try publisher.publish(source, to: topic, pacing: pacing, limit: limit)
        } catch {
            switch error {
            case .input(let problem): throw CommandFailure(.dataError, problem.description)
            case .log(let cause): throw CommandFailure(.unavailable, "cannot publish: \(cause)")
            }
        }
    }

    /// The same with a progress bar.
    func publish(
        _ source: any RecordSource, to topic: String, pacing: Pacing, limit: Int? = nil, title: String
    ) throws(CommandFailure) -> PublishSummary {
        let bar = ProgressBar.standardError(title, unit: "records", environment.logger)
        let summary = try publish(
            source, to: topic, pacing: pacing, limit: limit,
            progress: { progress in
                if let fraction = progress.fractionDone, fraction > 0, fraction < 1 {
                    bar.setTotal(Int(Double(progress.records) / fraction))
                }
                bar.update(completed: progress.records)
            })
        bar.setTotal(summary.records)
        bar.update(completed: summary.records)
        bar.finish()
        return summary
    }
}

extension PublishSummary {
    var json: String {
        var json = JSONWriter()
        json.beginObject()
        write(to: &json)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Writes the fields of an open object.
    func write(to json: inout JSONWriter) {
        json.integer("records", records)
        json.integer("tombstones", tombstones)
        json.integer("skipped", skipped.count)
        json.integer("bytes", bytes)
    }
}
