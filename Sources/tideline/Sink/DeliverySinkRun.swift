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
    /// What `sink --status` calls it, and its target.
    private let shown: (name: String, target: String)

    /// The destination with the settings that it takes.
    private enum Target {
        case apns(APNsSettings)
        case webhook(WebhookSettings)
        case timelines(HTTPTimelinesSettings)

        var sendsTimelines: Bool { if case .timelines = self { true } else { false } }
        var noun: String { sendsTimelines ? "timelines" : "reloads" }
    }

    /// - Parameters:
    ///   - declaration: of a sink of timelines.
    ///   - sinks: so many share the memory of the process; 1 or more.
    /// - Throws: with status 64, naming all settings that are wrong.
    init(
        _ environment: Environment, target: DeliveryTarget, _ declaration: SinkDeclaration? = nil, untilCaughtUp: Bool,
        sinks: Int = 1
    ) throws(CommandFailure) {
        self.environment = environment
        self.declaration = declaration
        shown = declaration.map { (name: $0.name, target: $0.shown) } ?? (name: target.name, target: target.shown)
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
            settings.outstandingBytesMax = min(
                settings.outstandingBytesMax, MemoryShares.outstanding(of: limit, parts: sinks))
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
        let report = SinkStatusReport(environment, admin)
        defer { report.close() }
        admin.close()
        let bar = ProgressBar.standardError("sending \(target.noun)", unit: "records", environment)
        let watch = monitoring.map {
            SinkMonitoring(
                $0, environment, name: settings.name, outcomes: SinkMonitoring.Progress.outcomes(DeliverySummary()))
        }
        defer { watch?.end() }
        var surroundings = Surroundings()
        surroundings.watch = watch
        surroundings.report = report
        surroundings.tracer = traces?.tracer
        surroundings.turned = { health?.touch() }
        surroundings.progress = { records, _ in bar.update(completed: records) }
        let summary: DeliverySummary
        do throws(SinkFailure) {
            summary = try deliver(surroundings)
        } catch {
            throw error.command
        }
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
        /// Called with the number of records that were read, and whether reading has begun.
        var progress: (_ records: Int, _ hasBegun: Bool) -> Void = { _, _ in }
    }

    var neededTopics: [String] {
        let topics = environment.topics
        var needed = [settings.reading.topic, topics.deadLetters]
        if case .apns = target { needed.append(topics.configurations) }
        return needed
    }

    /// Blocks until it has caught up, if that was asked for, or until the program is to end.
    ///
    /// - Throws: `SinkFailure`, with status 70, if it cannot go on.
    func deliver(_ surroundings: Surroundings) throws(SinkFailure) -> DeliverySummary {
        environment.logger(for: .sinks).tellBegin(ofSink: shown.name, target: shown.target)
        surroundings.report?.begin(
            SinkStatus(name: shown.name, target: shown.target, topic: settings.reading.topic, at: .now()))
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
            surroundings.report?.end(shown.name, nil)
            return summary
        } catch {
            surroundings.report?.end(shown.name, "\(error)")
            throw SinkFailure(of: declaration?.name, error)
        }
    }

    private func runner<Destination: DeliveryDestination>(
        _ destination: Destination, _ surroundings: Surroundings
    ) throws(LogError) -> SinkRunner<DeliverySender<Destination>> {
        let pace = LiveValue(environment.live) { [sendsTimelines = target.sendsTimelines] settings in
            DeliveryPace(settings, ofTimelines: sendsTimelines)
        }
        var (answers, successes, wasAway) = (0, 0, false)
        var turnedAway: String?  // Dead letters of before do not end it, as they end other trouble.
        let transport = HTTPClient(http)
        do throws(LogError) {
            return try SinkRunner(
                cluster: environment.cluster, destination: destination, transport: transport, settings: settings,
                instance: UUID().uuidString, clock: SleepingClock(), random: { Double.random(in: 0..<1) },
                memory: environment.resources.memory, pace: { pace.value }, tracer: surroundings.tracer,
                shouldStop: { Self.shouldStop(surroundings) },
                progress: { progress in
                    surroundings.progress(progress.summary.records, progress.hasBegun)
                    deadLetters.flush(now: WallClock.uptime())
                    environment.brokers?.tellRepeats()
                    let told = SinkMonitoring.Progress(progress)
                    surroundings.watch?.note(told)
                    if told.successes > successes || told.unsettled == 0 { turnedAway = nil }
                    if let turnedAway { surroundings.watch?.note(trouble: turnedAway) }
                    // Where nothing waits it is of no matter that the target refused something.
                    if let away = told.reasonAway {
                        surroundings.report?.note(shown.name, trouble: away)
                    } else if told.hasBegun, turnedAway == nil, wasAway || told.answers > answers || told.unsettled == 0
                    {
                        surroundings.report?.note(shown.name, trouble: nil)
                    }
                    (answers, successes, wasAway) = (told.answers, told.successes, told.reasonAway != nil)
                    surroundings.report?.note(
                        shown.name, told.positions, progress.written, records: told.records, waiting: told.unsettled)
                },
                notice: { notice in
                    if case .turnedAway(let reason) = notice { turnedAway = reason }
                    log(notice, surroundings)
                })
        } catch {
            transport.shutdown()
            throw error
        }
    }

    /// The sink asks this in each round, also while it waits for brokers.
    private static func shouldStop(_ surroundings: Surroundings) -> Bool {
        surroundings.turned()
        surroundings.watch?.turned()
        return Signals.isStopRequested
    }

    /// - Parameter reason: `nil` once what is waited for is there.
    private func note(awaiting reason: String?, _ surroundings: Surroundings) {
        surroundings.watch?.note(awaiting: reason)
        surroundings.report?.note(shown.name, trouble: reason)
    }

    private func log(_ notice: DeliveryNotice, _ surroundings: Surroundings) {
        switch notice {
        case .holding(let reason, _), .turnedAway(let reason):
            surroundings.watch?.note(trouble: reason)
            surroundings.report?.note(shown.name, trouble: reason)
        case .deadLetter(_, _, let reason): surroundings.report?.note(shown.name, error: reason)
        case .awaiting(let error): note(awaiting: "\(settings.reading.topic): \(error.message)", surroundings)
        case .brokersBack: note(awaiting: nil, surroundings)
        default: break
        }
        switch notice {
        case .deadLetter(let place, let offset, let reason):
            deadLetters.add(place, offset, reason: reason, now: WallClock.uptime())
        default: environment.logger(for: .sinks).log(notice, environment.brokers)
        }
    }
}
