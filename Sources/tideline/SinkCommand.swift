import Arguments
import Foundation
import Messages
import Observability
import RecordLog
import Sinks

/// Where timelines are written to.
enum SinkTarget: Sendable {
    case files(directory: String)

    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    init(_ text: String) throws {
        guard text.hasPrefix("files:"), text.count > 6 else {
            throw Problem(description: "must be files:DIR")
        }
        self = .files(directory: String(text.dropFirst(6)))
    }
}

/// Writes committed timelines out per configuration, or sends reloads on.
struct SinkCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "sink",
        abstract: "Writes timelines out, one file per configuration, or sends reloads to devices or a webhook.",
        discussion: """
            '--to' reads committed timelines only, in the order of their offsets, from where the directory says it \
            was. A file is replaced atomically, and removed when its configuration is deleted or names other sinks.

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
            CommandExample(
                "tideline sink --reloads apns --set apns.key=AuthKey.p8 --set apns.key-id=ABC123DEFG"
                    + " --set apns.team-id=DEF123GHIJ", "Pushes to devices."),
            CommandExample(
                "TIDELINE_WEBHOOK_SECRET=whsec_… tideline sink --reloads https://example.com/reloads",
                "Posts to a webhook."),
        ])

    @Option(help: ArgumentHelp("Where timelines go: files:DIR.", valueName: "target"), completion: .list(["files:"]))
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
    @OptionGroup var kafka: KafkaOptions

    func validate() throws(ValidationError) {
        switch (to, reloads) {
        case (let to?, nil):
            do {
                _ = try SinkTarget(to)
            } catch {
                throw ValidationError("'--to' \(error)")
            }
        case (nil, let reloads?):
            do throws(WebhookURL.Problem) {
                _ = try ReloadTarget(reloads)
            } catch {
                throw ValidationError("'--reloads' \(error)")
            }
        case (_?, _?):
            throw ValidationError("'--to' and '--reloads' cannot both be given: run a sink for each.")
        case (nil, nil):
            throw ValidationError(
                "Give either '--to files:DIR' or '--reloads apns', or the address of a webhook in place of apns.")
        }
    }

    func execute() throws(CommandFailure) {
        let health = try HealthFile(healthFile)
        if let to {
            try writeTimelines(to, health)
        } else if let target = try? reloads.map({ try ReloadTarget($0) }) {
            try ReloadSinkRun(kafka, target: target, untilCaughtUp: untilCaughtUp).run(health)
        }
    }

    private func writeTimelines(_ to: String, _ health: HealthFile?) throws(CommandFailure) {
        let environment = try Environment(kafka)
        let admin = try environment.connect()
        try environment.require([environment.topics.timelines], admin)
        admin.close()
        let bar = ProgressBar.standardError("writing timelines", unit: "records", environment)
        let run = try SinkRun(environment, target: to, untilCaughtUp: untilCaughtUp)
        let summary = try run.run(
            until: {
                health?.touch()
                return Signals.isStopRequested
            }, progress: { progress in bar.update(completed: progress.summary.records) })
        bar.finish()
        print(summary.json)
    }
}

/// One run of a sink, for `sink` and `demo`.
struct SinkRun {
    private let environment: Environment
    private let sink: any TimelineSink
    private let settings: SinkSettings

    init(_ environment: Environment, target: String, untilCaughtUp: Bool) throws(CommandFailure) {
        self.environment = environment
        var settings = SinkSettings(topic: environment.topics.timelines)
        settings.reading.untilCaughtUp = untilCaughtUp
        self.settings = settings
        do {
            switch try SinkTarget(target) {
            case .files(let directory):
                let files = try FilesSink(directory: directory)
                sink = files
                // Somebody may look for the old ones.
                if !files.renamedFiles.isEmpty { environment.logger.notice("\(directory): \(files.renamedFiles)") }
            }
        } catch let error as SinkError {
            throw CommandFailure(.software, "\(error)")
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
    }

    /// Blocks until it has caught up, where that was asked for, or `shouldStop`.
    func run(
        until shouldStop: @escaping () -> Bool = { Signals.isStopRequested },
        progress: @escaping (SinkProgress<SinkSummary>) -> Void = { _ in }
    ) throws(CommandFailure) -> SinkSummary {
        let logger = environment.logger
        let brokers = environment.brokers
        do {
            let runner = try SinkRunner(
                cluster: environment.cluster, sink: sink, settings: settings, clock: SleepingClock(),
                shouldStop: shouldStop, progress: progress, notice: { logger.tell($0, brokers) })
            return try runner.run()
        } catch {
            throw CommandFailure(.software, "the sink cannot go on: \(error)")
        }
    }
}

extension SinkSummary {
    var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.integer("records", records)
        json.integer("written", written)
        json.integer("removed", removed)
        json.integer("unchanged", unchanged)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
