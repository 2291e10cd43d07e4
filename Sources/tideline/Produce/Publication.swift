import Messages
import Observability
import Producers
import RecordLog
import StreamRuntime

/// One run of a verb of `produce`: a source into the topic of its content, with a progress bar.
struct Publication {
    let environment: Environment
    let content: JSONReplay.Content
    private let pacing: Pacing
    private let limit: Int?
    private let healthFile: String?
    private let monitoring: PublicationMonitoring?

    /// - Throws: with status 64 if settings are wrong.
    init(
        _ kafka: KafkaOptions, _ content: JSONReplay.Content, pacing: Pacing, _ options: PublicationOptions
    ) throws(CommandFailure) {
        let environment = try Environment(kafka, flags: options.monitoring.flags)
        self.init(
            environment, content, pacing: pacing, limit: options.limit, healthFile: options.healthFile,
            monitoring: try PublicationMonitoring.start(environment, topic: environment.topics[content]))
    }

    init(
        _ environment: Environment, _ content: JSONReplay.Content, pacing: Pacing, limit: Int? = nil,
        healthFile: String? = nil, monitoring: PublicationMonitoring? = nil
    ) {
        self.environment = environment
        self.content = content
        self.pacing = pacing
        self.limit = limit
        self.healthFile = healthFile
        self.monitoring = monitoring
    }

    private var topic: String { environment.topics[content] }

    /// Publishes a source and prints a JSON summary.
    func run(_ source: any RecordSource) throws(CommandFailure) {
        let summary = try publish(source)
        for problem in summary.skipped { writeError("left out: \(problem)") }
        print(summary.json)
    }

    /// Connects to the broker and publishes a source.
    ///
    /// - Parameter prepare: called before anything of the source is read or sent, with the most bytes that the topic
    ///   takes of a key and a value together; `nil` if the broker does not say it.
    /// - Throws: with status 65 if the input is at fault, with 69 if the broker or the topic is.
    func publish(
        _ source: any RecordSource, prepare: (_ recordBytesMax: Int?) throws(CommandFailure) -> Void = { _ in }
    ) throws(CommandFailure) -> PublishSummary {
        let health = try HealthFile(healthFile)
        let admin = try environment.connect()
        let found = try environment.require([topic], admin)
        admin.close()
        try prepare(found[topic]?.recordBytesMax)
        return try publishWithProgress(source, health)
    }

    /// Publishes a source, with a progress bar, where the topic is known to be there.
    func publishWithProgress(
        _ source: any RecordSource, _ health: HealthFile? = nil
    ) throws(CommandFailure) -> PublishSummary {
        defer { monitoring?.close() }
        let bar = ProgressBar.standardError("publishing \(content.title)", unit: "records", environment)
        let summary = try environment.publish(
            source, to: topic, pacing: pacing, limit: limit,
            healthy: {
                health?.touch()
                monitoring?.acknowledged()
            },
            progress: { progress in
                monitoring?.note(progress)
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

extension Environment {
    /// Publishes a source until it ends, `limit` records are out, or `shouldStop`; blocks.
    ///
    /// - Throws: with status 65 if the input is at fault, with 69 if the broker is.
    func publish(
        _ source: any RecordSource, to topic: String, pacing: Pacing, limit: Int? = nil,
        healthy: @escaping () -> Void = {}, until shouldStop: @escaping () -> Bool = { Signals.isStopRequested },
        progress: @escaping (PublishProgress) -> Void = { _ in }
    ) throws(CommandFailure) -> PublishSummary {
        let producer: any PlainProducer
        do throws(LogError) {
            producer = try cluster.makePlainProducer(clientId: "tideline-produce")
        } catch {
            throw CommandFailure(.unavailable, "cannot make a producer: \(error)")
        }
        defer { producer.close() }
        let publisher = Publisher(
            producer: producer, clock: SleepingClock(), shouldStop: shouldStop, progress: progress,
            healthy: healthy)
        do throws(PublishError) {
            return try publisher.publish(source, to: topic, pacing: pacing, limit: limit)
        } catch {
            switch error {
            case .input(let problem): throw CommandFailure(.dataError, problem.description)
            case .log(let cause): throw CommandFailure(.unavailable, "cannot publish: \(cause)")
            }
        }
    }
}

extension JSONReplay.Content {
    /// The content in the titles of progress bars.
    var title: String {
        switch self {
        case .telemetry: "telemetry"
        case .calendarEvents: "events"
        case .configurations: "configurations"
        case .positions: "positions"
        }
    }
}

extension TopicNames {
    /// The name of the topic that carries a content.
    subscript(content: JSONReplay.Content) -> String {
        switch content {
        case .telemetry: telemetry
        case .calendarEvents: calendarEvents
        case .configurations: configurations
        case .positions: positions
        }
    }
}

extension PublishSummary {
    var json: String { JSONWriter.object { write(to: &$0) } }

    /// Writes the fields of an open object.
    func write(to json: inout JSONWriter) {
        json.integer("records", records)
        json.integer("tombstones", tombstones)
        json.integer("skipped", skippedCount)
        json.integer("bytes", bytes)
    }
}
