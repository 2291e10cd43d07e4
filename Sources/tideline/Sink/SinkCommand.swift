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
            configuration is deleted or names other sinks. ics:DIR has calendars to subscribe to in their place; \
            '?by=recipient' behind DIR gives each recipient a folder. sqlite:FILE has the same in the tables timelines \
            and entries, with the positions in the same transaction: exactly once. kafka:TOPIC@HOST:PORT copies them \
            to a compacted topic of another cluster, exactly once, too; sink.kafka.* are its client's properties.

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
            CommandExample("tideline sink --to 'ics:out?by=recipient'", "Keeps calendars, by recipient."),
            CommandExample("tideline sink --to sqlite:timelines.db", "Keeps tables up to date, for SQL."),
            CommandExample("tideline sink --to kafka:boards@other:9092", "Keeps a copy in another cluster."),
            CommandExample(
                "tideline sink --reloads apns --set apns.key=AuthKey.p8 --set apns.key-id=ABC123DEFG"
                    + " --set apns.team-id=DEF123GHIJ", "Pushes to devices."),
            CommandExample(
                "TIDELINE_WEBHOOK_SECRET=whsec_… tideline sink --reloads https://example.com/reloads",
                "Posts to a webhook."),
        ])

    @Option(
        help: ArgumentHelp("Where timelines go: \(SinkTarget.forms.joined(separator: ", ")).", valueName: "target"),
        completion: .list(["files:", "ics:", "sqlite:", "kafka:"]))
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
                "Give '--to \(SinkTarget.forms.joined(separator: "', '--to "))' or '--reloads apns', or the address "
                    + "of a webhook in place of apns.")
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
