import Foundation
import HTTPClient
import Messages
import Observability
import RecordLog
import Settings
import Sinks
import StreamRuntime
import Tracing

/// One run of a sink that sends records.
struct DeliverySinkRun {
    private let environment: Environment
    private let target: Target
    private let http: HTTPClientConfiguration
    private let settings: DeliverySettings
    private let deadLetters: DeadLetterLog
    /// The sink of timelines that it is; `nil` for reloads.
    private let declaration: SinkDeclaration?

    /// The destination with the settings that it takes.
    private enum Target {
        case apns(APNsSettings)
        case webhook(WebhookSettings)
        case timelines(HTTPTimelinesSettings)

        var sendsTimelines: Bool { if case .timelines = self { true } else { false } }
        var noun: String { sendsTimelines ? "timelines" : "reloads" }
    }

    /// - Parameter declaration: of a sink of timelines.
    /// - Throws: with status 64, naming all settings that are wrong.
    init(
        _ environment: Environment, target: DeliveryTarget, _ declaration: SinkDeclaration? = nil, untilCaughtUp: Bool
    ) throws(CommandFailure) {
        self.environment = environment
        self.declaration = declaration
        deadLetters = DeadLetterLog(environment.logger(for: .sinks))
        let topics = environment.topics
        let values = environment.settings
        var reading = DeliverySettingsReading(values)
        var http = HTTPClientConfiguration()
        http.timeout = values[Keys.reloadsTimeout]
        http.connectTimeout = values[Keys.reloadsConnectTimeout]
        var topic = topics.reloads
        let found: Target?
        switch target {
        case .apns:
            found = reading.apns(configurationsTopic: topics.configurations).map { .apns($0) }
            http.additionalTrustRoots = reading.authorities(Keys.apnsCAFile)
        case .webhook(let url):
            found = reading.webhook(url).map { .webhook($0) }
            http.additionalTrustRoots = reading.authorities(Keys.webhookCAFile)
            // Its server may know HTTP/1.1 alone.
            http.connectionsPerHost = 16
        case .timelines(let address):
            found = reading.timelines(address, of: declaration).map { settings in
                var settings = settings
                if let choice = declaration?.choice { (settings.name, settings.choice) = (choice.name, choice) }
                return .timelines(settings)
            }
            http.additionalTrustRoots = reading.authorities(Keys.webhookCAFile)
            http.timeout = values[Keys.sinkHTTPTimeout]
            http.connectTimeout = values[Keys.sinkHTTPConnectTimeout]
            http.connectionsPerHost = min(16, values[Keys.sinkHTTPConcurrency])
            topic = topics.timelines
        }
        guard let found, reading.problems.isEmpty else {
            throw CommandFailure(.usage, reading.problems.joined(separator: "\n"))
        }
        self.target = found
        self.http = http
        var settings = DeliverySettings(
            name: target.name, application: values[Keys.application], topic: topic,
            deadLettersTopic: topics.deadLetters)
        settings.reading.untilCaughtUp = untilCaughtUp
        settings.reading.acceptsMovedCluster = values[Keys.clusterMoved] == .accept
        settings.pace = DeliveryPace(values, ofTimelines: found.sendsTimelines)
        settings.replication = values.internalReplication
        if let limit = values.memoryLimit {
            settings.outstandingBytesMax = min(settings.outstandingBytesMax, limit / 16)
        }
        if values[Keys.metricsListen] != nil { settings.reading.lagInterval = SinkMonitoring.lagInterval }
        self.settings = settings
    }

    /// Runs alone in its process: blocks until it has caught up, if that was asked for, or until the program is to end;
    /// prints a summary.
    ///
    /// - Parameter health: the file that is touched with each round.
    func run(_ health: HealthFile?) throws(CommandFailure) {
        try environment.resources.start(descriptors: Descriptors.ofDeliveries)
        let monitoring = try Monitoring.start(environment, verb: "sink", MetricsCatalogue.sink)
        defer { monitoring?.close() }
        let traces = try TraceRun.start(environment, verb: "sink", monitoring)
        defer { traces?.end() }
        let admin = try environment.connect()
        try environment.require(neededTopics, admin)
        admin.close()
        let bar = ProgressBar.standardError("sending \(target.noun)", unit: "records", environment)
        let watch = monitoring.map {
            SinkMonitoring(
                $0, environment, name: settings.name, outcomes: SinkMonitoring.Progress.outcomes(DeliverySummary()))
        }
        defer { watch?.end() }
        var surroundings = Surroundings()
        surroundings.watch = watch
        surroundings.tracer = traces?.tracer
        surroundings.turned = { health?.touch() }
        surroundings.progress = { bar.update(completed: $0) }
        let summary = try deliver(surroundings)
        bar.finish()
        print(summary.json())
    }

    /// What a run tells of itself, and to whom.
    struct Surroundings {
        var watch: SinkMonitoring?
        var report: SinkStatusReport?
        var tracer: Tracer?
        /// Called with each round, also while brokers are waited for.
        var turned: () -> Void = {}
        /// Called with the number of records that were read.
        var progress: (Int) -> Void = { _ in }
    }

    var neededTopics: [String] {
        let topics = environment.topics
        var needed = [settings.reading.topic, topics.deadLetters]
        if case .apns = target { needed.append(topics.configurations) }
        return needed
    }

    /// Blocks until it has caught up, if that was asked for, or until the program is to end.
    func deliver(_ surroundings: Surroundings) throws(CommandFailure) -> DeliverySummary {
        environment.logger(for: .sinks).info(
            "sink of \(target.noun)",
            metadata: ["sink": .string(settings.name), "ledger": .string(settings.ledgerTopic)])
        if let declaration {
            surroundings.report?.begin(
                SinkStatus(
                    name: declaration.name, target: declaration.shown, topic: settings.reading.topic, at: .now()))
        }
        do {
            let summary: DeliverySummary
            switch target {
            case .apns(let apns):
                let destination = try APNsDestination(
                    apns, sink: settings, cluster: environment.cluster, clock: SleepingClock(),
                    shouldStop: { Self.shouldStop(surroundings) }, notice: { log($0, surroundings) })
                summary = try runner(destination, surroundings).run()
            case .webhook(let webhook): summary = try runner(WebhookDestination(webhook), surroundings).run()
            case .timelines(let http): summary = try runner(HTTPTimelines(http), surroundings).run()
            }
            if let declaration { surroundings.report?.end(declaration.name, nil) }
            return summary
        } catch {
            if let declaration { surroundings.report?.end(declaration.name, "\(error)") }
            throw CommandFailure(
                .software, "the sink\(declaration.map { " '\($0.name)'" } ?? "") cannot go on: \(error)")
        }
    }

    private func runner<Destination: DeliveryDestination>(
        _ destination: Destination, _ surroundings: Surroundings
    ) throws(LogError) -> SinkRunner<DeliverySender<Destination>> {
        let pace = LiveValue(environment.live) { [sendsTimelines = target.sendsTimelines] settings in
            DeliveryPace(settings, ofTimelines: sendsTimelines)
        }
        var delivered = 0
        // Dead letters that were made before it do not end it, as they end other trouble.
        var turnedAway: String?
        return try SinkRunner(
            cluster: environment.cluster, destination: destination, transport: HTTPClient(http), settings: settings,
            instance: UUID().uuidString, clock: SleepingClock(), random: { Double.random(in: 0..<1) },
            memory: environment.resources.memory, pace: { pace.value }, tracer: surroundings.tracer,
            shouldStop: { Self.shouldStop(surroundings) },
            progress: { progress in
                surroundings.progress(progress.summary.records)
                deadLetters.flush(now: WallClock.uptime())
                environment.brokers?.tellRepeats()
                surroundings.watch?.note(SinkMonitoring.Progress(progress))
                if progress.summary.delivered > delivered || progress.unsettled == 0 { turnedAway = nil }
                if let turnedAway { surroundings.watch?.note(trouble: turnedAway) }
                let hasDelivered = progress.summary.delivered > delivered
                delivered = progress.summary.delivered
                guard let name = declaration?.name, let report = surroundings.report else { return }
                if hasDelivered { report.note(name, trouble: nil) }
                report.note(name, progress.positions, progress.written, records: progress.summary.records)
            },
            notice: { notice in
                if case .turnedAway(let reason) = notice { turnedAway = reason }
                log(notice, surroundings)
            })
    }

    /// The sink asks this in each round, also while it waits for brokers.
    private static func shouldStop(_ surroundings: Surroundings) -> Bool {
        surroundings.turned()
        surroundings.watch?.turned()
        return Signals.isStopRequested
    }

    private func log(_ notice: DeliveryNotice, _ surroundings: Surroundings) {
        switch notice {
        case .holding(let reason, _), .turnedAway(let reason):
            surroundings.watch?.note(trouble: reason)
            if let declaration { surroundings.report?.note(declaration.name, trouble: reason) }
        default: break
        }
        switch notice {
        case .deadLetter(let place, let offset, let reason):
            deadLetters.add(place, offset, reason: reason, now: WallClock.uptime())
        default: environment.logger(for: .sinks).log(notice, environment.brokers)
        }
    }
}

extension SleepingClock: DeliveryClock {}

extension DeliveryPace {
    fileprivate init(_ settings: Settings, ofTimelines: Bool) {
        self.init()
        requestsMax = settings[ofTimelines ? Keys.sinkHTTPConcurrency : Keys.reloadsConcurrency]
        ageMax = settings[ofTimelines ? Keys.sinkHTTPMaxAge : Keys.reloadsMaxAge]
        gather = settings[Keys.reloadsGather]
        backoff.first = settings[ofTimelines ? Keys.sinkHTTPBackoffFirst : Keys.reloadsBackoffFirst]
        backoff.most = settings[ofTimelines ? Keys.sinkHTTPBackoffMax : Keys.reloadsBackoffMax]
        declinedMax = settings[Keys.webhookRefusals]
    }
}

extension DeliverySummary {
    /// - Parameter sink: the name of the sink, where there are several.
    func json(of sink: String? = nil) -> String {
        JSONWriter.object { json in
            json.string("sink", sink)
            json.integer("records", records)
            json.integer("delivered", delivered)
            json.integer("conflated", conflated)
            json.integer("retries", retries)
            json.integer("retired", retired)
            json.integer("deadLetters", deadLetters)
            json.integer("skipped", skipped)
            json.integer("tooOld", tooOld)
            json.integer("startedOver", startedOver)
        }
    }
}
