import Arguments
import Foundation
import Messages
import Observability
import RecordLog
import Settings
import Sinks
import StreamRuntime
import Tracing

/// Writes committed timelines out per configuration, or sends reloads on.
struct SinkCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "sink",
        abstract: "Writes timelines to files or to a database, or sends reloads to devices or a webhook.",
        discussion: """
            '--to' reads committed timelines only, in the order of their offsets, from where the target says it was. \
            files:DIR has one file per configuration; a file is replaced atomically, and removed when its \
            configuration is deleted or names other sinks. sqlite:FILE has the same in the tables timelines and \
            entries, with the positions in the same transaction: exactly once.

            '--reloads apns' sends one WidgetKit push to each device whose configurations have a 'push' and have to be \
            loaded anew; it takes apns.key, apns.key-id and apns.team-id. '--reloads https://…' posts each reload to \
            that address, signed by the scheme of Standard Webhooks with webhook.secret; http:// is for loopback and \
            hosts within a cluster. What fails for now is sent again, so a reload may arrive twice, but none is lost. \
            A webhook that answers with 401, 403, 404, 405 or 410 is waited for, other 4xx make a dead letter, 3xx end \
            the sink. It ends with status 70 where all would be refused, or 20 devices in a row are: look at what it \
            says, and do not let a supervisor start it again within 20 minutes, for Apple counts new tokens of a team.
            """,
        examples: [
            CommandExample("tideline sink --to files:out", "Keeps out/ up to date until it is told to end."),
            CommandExample("tideline sink --to files:out --until-caught-up", "Writes what is there, and ends."),
            CommandExample("tideline sink --to sqlite:timelines.db", "Keeps tables up to date, for SQL."),
            CommandExample(
                "tideline sink --reloads apns --set apns.key=AuthKey.p8 --set apns.key-id=ABC123DEFG"
                    + " --set apns.team-id=DEF123GHIJ", "Pushes to devices."),
            CommandExample(
                "TIDELINE_WEBHOOK_SECRET=whsec_… tideline sink --reloads https://example.com/reloads",
                "Posts to a webhook."),
        ])

    @Option(
        help: ArgumentHelp("Where timelines go: files:DIR or sqlite:FILE.", valueName: "target"),
        completion: .list(["files:", "sqlite:"]))
    var to: String?
    @Option(
        help: ArgumentHelp("Where reloads go: apns, or the address of a webhook.", valueName: "target"),
        completion: .list(["apns", "https://"]))
    var reloads: String?
    @Flag(help: "End when everything there was is written or sent.") var untilCaughtUp = false
    @Option(
        help: ArgumentHelp(
            "Touched at each iteration, for health checks: grows old when the sink hangs, not while it waits.",
            valueName: "file"), completion: .file())
    var healthFile: String?
    @OptionGroup var monitoringOptions: MonitoringOptions
    @OptionGroup var kafka: KafkaOptions

    func validate() throws(ValidationError) { _ = try target() }

    func execute() throws(CommandFailure) {
        let health = try HealthFile(healthFile)
        let target: Target
        do throws(ValidationError) {
            target = try self.target()
        } catch {
            throw CommandFailure(.usage, error.description)
        }
        switch target {
        case .timelines(let target): try writeTimelines(target, health)
        case .reloads(let target):
            let environment = try Environment(kafka, flags: monitoringOptions.flags)
            try ReloadSinkRun(environment, target: target, untilCaughtUp: untilCaughtUp).run(health)
        }
    }

    /// The destination that the options name: of timelines, or of reloads.
    private enum Target {
        case timelines(SinkTarget)
        case reloads(ReloadTarget)
    }

    private func target() throws(ValidationError) -> Target {
        switch (to, reloads) {
        case (let to?, nil):
            do throws(SinkTarget.Problem) {
                return .timelines(try SinkTarget(to))
            } catch {
                throw ValidationError("'--to' \(error)")
            }
        case (nil, let reloads?):
            do throws(WebhookURL.Problem) {
                return .reloads(try ReloadTarget(reloads))
            } catch {
                throw ValidationError("'--reloads' \(error)")
            }
        case (_?, _?):
            throw ValidationError("'--to' and '--reloads' cannot both be given: run a sink for each.")
        case (nil, nil):
            throw ValidationError(
                "Give '--to files:DIR', '--to sqlite:FILE' or '--reloads apns', or the address of a webhook in "
                    + "place of apns.")
        }
    }

    private func writeTimelines(_ target: SinkTarget, _ health: HealthFile?) throws(CommandFailure) {
        let environment = try Environment(kafka, flags: monitoringOptions.flags)
        try environment.resources.start(descriptors: Descriptors.ofSink)
        let monitoring = try Monitoring.start(environment, verb: "sink", MetricsCatalogue.sink)
        defer { monitoring?.close() }
        let traces = try TraceRun.start(environment, verb: "sink", monitoring)
        defer { traces?.end() }
        let admin = try environment.connect()
        try environment.require([environment.topics.timelines], admin)
        admin.close()
        let bar = ProgressBar.standardError("writing timelines", unit: "records", environment)
        var run = try SinkRun(environment, target: target, untilCaughtUp: untilCaughtUp)
        let watch = monitoring.map { SinkMonitoring($0, environment, name: run.name) }
        defer { watch?.end() }
        run.monitoring = watch
        run.tracer = traces?.tracer
        let summary = try run.run(
            until: {
                health?.touch()
                watch?.turned()
                return Signals.isStopRequested
            }, progress: { progress in bar.update(completed: progress.summary.records) })
        bar.finish()
        print(summary.json)
    }
}

/// The destination of timelines.
enum SinkTarget: Sendable {
    case files(directory: String)
    case sqlite(file: String)

    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    init(_ text: String) throws(Problem) {
        let parts = text.split(separator: ":", maxSplits: 1)
        switch (parts.first, parts.count == 2 ? String(parts[1]) : "") {
        case ("files", let directory) where !directory.isEmpty: self = .files(directory: directory)
        case ("sqlite", let file) where !file.isEmpty: self = .sqlite(file: file)
        default: throw Problem(description: "must be files:DIR or sqlite:FILE")
        }
    }
}

/// One run of a sink of timelines, for `sink` and `demo`.
struct SinkRun {
    private let environment: Environment
    private let sink: any TimelineSink
    private let settings: SinkSettings
    /// Is told how far the run is; `nil` if nobody asks.
    var monitoring: SinkMonitoring?
    /// Takes spans; `nil` if nobody traces.
    var tracer: Tracer?

    var name: String { sink.name }

    /// - Throws: with status 70 if the target cannot be written to.
    init(_ environment: Environment, target: SinkTarget, untilCaughtUp: Bool) throws(CommandFailure) {
        self.environment = environment
        var settings = SinkSettings(topic: environment.topics.timelines)
        settings.reading.untilCaughtUp = untilCaughtUp
        settings.reading.acceptsMovedCluster = environment.settings[Keys.clusterMoved] == .accept
        if environment.settings[Keys.metricsListen] != nil {
            settings.reading.lagInterval = SinkMonitoring.lagInterval
        }
        self.settings = settings
        do {
            switch target {
            case .files(let directory):
                let files = try FilesSink(directory: directory)
                sink = files
                // Somebody may look for the files under their old names.
                if !files.renamedFiles.isEmpty {
                    environment.logger(for: .sinks).notice("\(directory): \(files.renamedFiles)")
                }
            case .sqlite(let file): sink = try SQLiteSink(file: file)
            }
        } catch {
            throw CommandFailure(.software, "\(error)")
        }
    }

    /// Blocks until it has caught up, if that was asked for, or until `shouldStop`.
    func run(
        until shouldStop: @escaping () -> Bool = { Signals.isStopRequested },
        progress: @escaping (SinkProgress<SinkSummary>) -> Void = { _ in }
    ) throws(CommandFailure) -> SinkSummary {
        let log = SinkLog(environment.logger(for: .sinks))
        let brokers = environment.brokers
        let monitoring = self.monitoring
        do {
            let runner = try SinkRunner(
                cluster: environment.cluster, sink: sink, settings: settings, clock: SleepingClock(),
                memory: environment.resources.memory, tracer: tracer, shouldStop: shouldStop,
                progress: {
                    brokers?.tellRepeats()
                    monitoring?.note(SinkMonitoring.Progress($0))
                    progress($0)
                },
                notice: { notice in
                    if case .holding(let error, _) = notice { monitoring?.note(trouble: error.description) }
                    log.take(notice, brokers)
                })
            defer { brokers?.tellRepeats(isLast: true) }
            return try runner.run()
        } catch {
            throw CommandFailure(.software, "the sink cannot go on: \(error)")
        }
    }
}

extension SinkSummary {
    var json: String {
        JSONWriter.object { json in
            json.integer("records", records)
            json.integer("written", written)
            json.integer("removed", removed)
            json.integer("unchanged", unchanged)
            json.integer("startedOver", startedOver)
        }
    }
}
