import Arguments
import Foundation
import Inspection
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
        abstract: "Writes timelines to files, a database, standard output or over HTTP, or writes or sends reloads.",
        discussion: """
            '--to' reads committed timelines only, in the order of their offsets, from where the target says it was. \
            files:DIR has one file per configuration; a file is replaced atomically, and removed when its \
            configuration is deleted or names other sinks. ics:DIR has calendars to subscribe to in their place; \
            '?by=recipient' behind DIR gives each recipient a folder. sqlite:FILE has the same in the tables timelines \
            and entries, with the positions in the same transaction: exactly once. postgres://USER@HOST/DB has these \
            tables in PostgreSQL, and notifies who listens; the password is better given in PGPASSWORD or PGPASSFILE. \
            redis://HOST has a key per configuration and a stream of changes, with the positions in the same \
            transaction; its password may be in REDISCLI_AUTH. kafka:TOPIC@HOST:PORT copies them to a compacted topic \
            of another cluster, exactly once, too; sink.kafka.* are its client's properties. stdout has a line of JSON \
            per record, from the earliest on; the summary is then written to standard error. https://… gets each \
            timeline by PUT, and DELETE of what is gone, where the address has {configurationId}; else by POST, signed \
            with webhook.secret; {recipient}, {kind} and {family} are fields, too.

            What a topic that was made again does not have stays in a target, for it may be right. '--remove-absent', \
            where the topic has all by now, reads it from its beginning and removes the rest from files, calendars, \
            tables and keys. It asks before that, and needs '--yes' where there is no terminal. With a topic without \
            any timeline, with a target that another topic has filled, and while a reset is under way it removes \
            nothing, and ends with status 70.

            Without a target it runs the sinks that the settings name ('sinks'), of timelines and tables of reloads, \
            or those of them that are named here: each with a position of its own, and none holds up another; one that \
            fails begins again while others go on. What a target cannot take is a dead letter. '--status' says how all \
            of them are, and those of '--reloads', from wherever the brokers can be reached.

            '--reloads apns' sends one WidgetKit push to each device whose configurations have a 'push' and have to be \
            loaded anew; it takes apns.key, apns.key-id and apns.team-id. '--reloads https://…' posts each reload to \
            that address, signed by the scheme of Standard Webhooks with webhook.secret; http:// is for loopback and \
            hosts within a cluster. What fails for now is sent again, so a reload may arrive twice, but none is lost. \
            A webhook that answers with 401 to 405, 407, 410, 421, 423 or 426 is waited for. Other 4xx make a dead \
            letter; from the twentieth alike in a row on (webhook.refusals) they are waited for, too. 3xx end the \
            sink. Pushes end with status 70 where all would be refused, or 20 devices in a row are: look at what it \
            says, and do not let a supervisor start it again within 20 minutes, for Apple counts new tokens of a team.

            '--reloads sqlite:FILE' and '--reloads postgres://…' keep each reload as a row of the table reloads, \
            exactly once, in the same databases as '--to', whose sink may run beside it. Rows stay for reloads.keep.
            """,
        examples: [
            CommandExample("tideline sink --to files:out", "Keeps out/ up to date until it is told to end."),
            CommandExample("tideline sink --to files:out --until-caught-up", "Writes what is there, and ends."),
            CommandExample(
                "tideline sink --to files:out --until-caught-up --remove-absent --yes",
                "Removes the files that a topic which was made again does not have."),
            CommandExample("tideline sink --to 'ics:out?by=recipient'", "Keeps calendars, by recipient."),
            CommandExample("tideline sink --to sqlite:timelines.db", "Keeps tables up to date, for SQL."),
            CommandExample("tideline sink --to redis://localhost:6379/0", "Keeps the keys of a Redis up to date."),
            CommandExample("tideline sink --to stdout --until-caught-up | jq .kind", "Hands on what there is."),
            CommandExample("tideline sink --to postgres://tideline@db.example/timelines", "The same in PostgreSQL."),
            CommandExample("tideline sink --config settings.yaml", "All sinks that the settings name."),
            CommandExample("tideline sink --status", "State, lag, rate and last error of each."),
            CommandExample("tideline sink --status --forget phones", "Shows a sink no more that runs no more."),
            CommandExample(
                "TIDELINE_WEBHOOK_SECRET=whsec_… tideline sink --to 'https://example.com/timelines/{configurationId}'",
                "Puts each timeline to an address of its own."),
            CommandExample("tideline sink --to kafka:boards@other:9092", "Keeps a copy in another cluster."),
            CommandExample(
                "tideline sink --reloads apns --set apns.key=AuthKey.p8 --set apns.key-id=ABC123DEFG"
                    + " --set apns.team-id=DEF123GHIJ", "Pushes to devices."),
            CommandExample(
                "TIDELINE_WEBHOOK_SECRET=whsec_… tideline sink --reloads https://example.com/reloads",
                "Posts to a webhook."),
            CommandExample("tideline sink --reloads sqlite:timelines.db", "Keeps a table of reloads, for SQL."),
        ])

    @Argument(help: ArgumentHelp("Sinks of the settings, 'sinks'; all of them if none is named.", valueName: "name"))
    var names: [String] = []
    @Option(
        help: ArgumentHelp("Where timelines go: \(TimelineTarget.allowed).", valueName: "target"),
        completion: .list(["files:", "ics:", "sqlite:", "postgres://", "redis://", "kafka:", "stdout", "https://"]))
    var to: String?
    @Option(
        help: ArgumentHelp("Where reloads go: \(ReloadTarget.allowed).", valueName: "target"),
        completion: .list(["apns", "https://", "sqlite:", "postgres://"]))
    var reloads: String?
    @Flag(help: "Shows how the sinks of this application are, and ends.") var status = false
    @Option(
        help: ArgumentHelp(
            "With '--status': takes away what an ended sink has told, so that it is shown no more.", valueName: "name"))
    var forget: String?
    @Flag(help: "Forgets, or removes what is absent, without asking.") var yes = false
    @Flag(help: "End when everything there was is written or sent.") var untilCaughtUp = false
    @Flag(help: "With '--until-caught-up': removes in the end what the target has and the topic does not.")
    var removeAbsent = false
    @Option(
        help: ArgumentHelp(
            "Touched at each iteration, for health checks: grows old when the sink hangs, not while it waits.",
            valueName: "file"), completion: .file())
    var healthFile: String?
    @OptionGroup var output: InspectOptions
    @OptionGroup var monitoringOptions: MonitoringOptions
    @OptionGroup var kafka: KafkaOptions

    func validate() throws(ValidationError) { _ = try task() }

    func execute() throws(CommandFailure) {
        let task: Task
        do throws(ValidationError) {
            task = try self.task()
        } catch {
            throw CommandFailure(.usage, error.description)
        }
        if case .status = task {
            let run = SinkStatusRun(try Environment(kafka), output, names: names)
            if let forget { return try run.forget(forget, isAgreed: yes) }
            return try run.run()
        }
        let health = try HealthFile(healthFile)
        let environment = try Environment(kafka, flags: monitoringOptions.flags)
        let consent = removeAbsent ? RemovalConsent(isGiven: yes) : nil
        switch task {
        case .status: break
        case .kept(let sink):
            try SinkRuns(
                environment, [sink], untilCaughtUp: untilCaughtUp, consent: consent, areNamed: false
            ).run(health)
        case .named:
            let sinks = try named(environment.settings[Keys.sinks])
            try SinkRuns(
                environment, sinks, untilCaughtUp: untilCaughtUp, consent: consent, areNamed: true
            ).run(health)
        case .sentReloads(let target):
            try DeliverySinkRun(environment, target: target, untilCaughtUp: untilCaughtUp).run(health)
        }
    }

    /// What the options ask for.
    private enum Task {
        /// One sink of timelines, or a table of reloads.
        case kept(SinkDeclaration)
        /// The sinks of the settings.
        case named
        case sentReloads(DeliveryTarget)
        case status
    }

    private func task() throws(ValidationError) -> Task {
        guard !removeAbsent || (untilCaughtUp && reloads == nil) else {
            throw ValidationError("'--remove-absent' is for sinks of timelines, with '--until-caught-up'.")
        }
        if status {
            guard to == nil, reloads == nil, !untilCaughtUp, healthFile == nil else {
                throw ValidationError("'--status' shows sinks and runs none: give names alone with it.")
            }
            guard forget == nil || names.isEmpty else {
                throw ValidationError("'--forget' has the name of the sink: give no other with it.")
            }
            guard forget != nil || !yes else { throw ValidationError("With '--status' '--yes' is for '--forget'.") }
            return .status
        }
        guard forget == nil else { throw ValidationError("'--forget' is for '--status'.") }
        guard !yes || removeAbsent else { throw ValidationError("'--yes' is for '--forget' and '--remove-absent'.") }
        guard !output.json, !output.table else { throw ValidationError("'--json' and '--table' are for '--status'.") }
        switch (to, reloads) {
        case (nil, nil): return .named
        case (_?, _?):
            throw ValidationError("'--to' and '--reloads' cannot both be given: run a sink for each.")
        case _ where !names.isEmpty:
            throw ValidationError("Names are those of 'sinks' in the settings, and cannot be given with a target.")
        case (let to?, nil):
            do throws(TimelineTarget.Problem) {
                let target = try TimelineTarget(to)
                if removeAbsent, !target.saysWhatItHolds {
                    throw TimelineTarget.Problem(
                        description: "must be \(TimelineTarget.speaking) with '--remove-absent'")
                }
                return .kept(SinkDeclaration(target, address: to))
            } catch {
                throw ValidationError("'--to' \(error)")
            }
        case (nil, let reloads?):
            do throws(ReloadTarget.Problem) {
                return switch try ReloadTarget(reloads) {
                case .kept(let table): .kept(SinkDeclaration(.kept(.reloads(table)), address: reloads))
                case .sent(let target): .sentReloads(target)
                }
            } catch {
                throw ValidationError("'--reloads' \(error)")
            }
        }
    }

    /// - Throws: with status 64 if the settings name no such sink, or none at all.
    private func named(_ sinks: SinkDeclarations) throws(CommandFailure) -> [SinkDeclaration] {
        let unknown = names.first { sinks[$0] == nil }.map { Secrets.masked($0) }
        guard !sinks.all.isEmpty else {
            throw CommandFailure(
                .usage,
                (unknown.map { "there is no sink '\($0)', for the settings name none" } ?? "no sink is named")
                    + ": give '--to files:DIR' or another target, '--reloads apns' or the address of a"
                    + " webhook, or name sinks in the settings, such as"
                    + " --set 'sinks={\"phones\": {\"to\": \"files:out\"}}'")
        }
        if let unknown {
            let isTarget = (try? TimelineTarget(unknown)) != nil
            let hint = isTarget ? "; a target stands behind --to" : ""
            throw CommandFailure(.usage, NearIds.unknown("sink", unknown, among: sinks.all.map(\.name)) + hint)
        }
        let chosen = names.isEmpty ? sinks.all : sinks.all.filter { names.contains($0.name) }
        if removeAbsent, let other = chosen.first(where: { !$0.target.saysWhatItHolds }) {
            throw CommandFailure(
                .usage,
                "the target of the sink '\(other.name)' must be \(TimelineTarget.speaking) with '--remove-absent':"
                    + " name the sinks that are meant")
        }
        return chosen
    }
}
