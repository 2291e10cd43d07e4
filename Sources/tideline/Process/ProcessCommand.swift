import Arguments
import Foundation
import Settings
import Timelines

/// Runs the pipeline.
struct ProcessCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "process",
        abstract: "Makes timelines and reloads from telemetry, calendars and configurations.",
        discussion: """
            Exactly once: what is published, the state behind it and the positions in the inputs are committed in one \
            transaction. Any number of processes of one application share the work; each can be killed at any time.

            Creates its internal topics ID.exchange and ID.state where they are missing. SIGTERM commits, leaves the \
            group and ends with status 0; for a broker that does not answer it waits 10 seconds.

            With '--instance NAME' it does not leave the group: its tasks wait for a process of that name, which gets \
            them back at once, and go to others when session.timeout is over. Threads of one process are NAME-1, \
            NAME-2 and so on. If a second process comes with the name of one that runs, the first one ends with \
            status 70.
            """,
        examples: [
            CommandExample("tideline process --bootstrap localhost:9092", "Runs until it is told to end."),
            CommandExample(
                "tideline process --clock 2026-11-20T06:25:00Z --until-caught-up",
                "Reads what is there, as if it were that time, prints a summary and ends."),
        ])

    @Option(help: ArgumentHelp("Consumers and producers in this process.", valueName: "n")) var streamThreads = 1
    @Option(
        help: ArgumentHelp(
            "The name of this process, which it keeps over restarts: it gets its tasks back at once.",
            valueName: "name"))
    var instance: String?
    @Option(help: ArgumentHelp("Let the clock of timelines start at this instant.", valueName: "instant"))
    var clock: String?
    @Flag(help: "Let the clock stand, and end when everything there was is committed.") var untilCaughtUp = false
    @Option(
        help: ArgumentHelp("Touched while there is progress, for health checks.", valueName: "file"),
        completion: .file())
    var healthFile: String?
    @OptionGroup var monitoringOptions: MonitoringOptions
    @OptionGroup var kafka: KafkaOptions

    func validate() throws(ValidationError) {
        guard (1...64).contains(streamThreads) else {
            throw ValidationError("'--stream-threads' must be from 1 to 64.")
        }
        if let clock, Instant(rfc3339: clock) == nil {
            throw ValidationError("'--clock' must be an RFC 3339 instant, such as 2026-11-20T06:25:00Z.")
        }
    }

    func execute() throws(CommandFailure) {
        let flags = instance.map { [SettingsSources.Flag(key: Keys.instance.name, text: $0, flag: "--instance")] }
        let environment = try Environment(kafka, flags: (flags ?? []) + monitoringOptions.flags)
        try environment.resources.start(descriptors: Descriptors.ofProcess(streamThreads: streamThreads))
        let monitoring = try Monitoring.start(environment, verb: "process", MetricsCatalogue.pipeline)
        defer { monitoring?.close() }
        let traces = try TraceRun.start(environment, verb: "process", monitoring)
        defer { traces?.end() }
        let admin = try environment.connect()
        var options = PipelineRun.Options()
        options.streamThreads = streamThreads
        options.clock = clock.flatMap { Instant(rfc3339: $0) }
        options.untilCaughtUp = untilCaughtUp
        options.healthFile = healthFile
        options.monitoring = monitoring
        options.tracer = traces?.tracer
        let summary = try PipelineRun(environment, admin, options).run()
        for line in summary.table { writeError(line) }
        print(summary.json)
    }
}
