import Foundation
import Messages
import Observability
import RdKafka
import RecordLog
import Settings
import StreamRuntime

/// The settings, topics, log and broker of a verb that meets Kafka.
struct Environment {
    let settings: Settings
    let topics: TopicNames
    /// The logger of the verb; other modules have their own (`logger(for:)`).
    let logger: Logger
    private let log: SwitchedLogHandler
    private(set) var cluster: any Cluster
    /// Reports which brokers are away; `nil` if the brokers are within this process.
    let brokers: BrokerWatch?
    /// What librdkafka measures; `nil` if nobody asks for metrics.
    let clientStatistics: ClientStatistics?
    let healthLag: LiveSetting<Duration>
    /// Memory and descriptors; a verb that runs on starts it.
    let resources: ResourceWatch
    /// The settings in force: some change while the program runs.
    let live: LiveSettings

    /// - Parameter flags: the flags of the verb that are settings, too.
    /// - Throws: with status 64, naming all settings that are wrong.
    init(_ options: KafkaOptions, flags: [SettingsSources.Flag] = []) throws(CommandFailure) {
        let settings = try options.resolve(with: flags)
        let log = Self.makeLog(settings)
        let (flags, file) = (options.flags(with: flags), options.config)
        let healthLag = LiveSetting(Keys.healthLag, settings)
        let threshold = LiveSetting(Keys.memoryWarningThreshold, settings)
        let live = LiveSettings(settings)
        var takers: [String: @Sendable (Settings) -> Void] = [
            Keys.logLevel.name: { log.take($0[Keys.logLevel]) },
            Keys.healthLag.name: { healthLag.take(from: $0) },
            Keys.memoryWarningThreshold.name: { threshold.take(from: $0) },
        ]
        for name in LiveSettings.names { takers[name] = { live.take($0) } }
        SettingsReread(settings, log.logger(for: .settings), takers: takers) { () throws(CommandFailure) in
            try Settings.resolved(flags: flags, config: file)
        }.start()
        var kafka = Self.kafka(settings)
        let problems = kafka.validate()
        if !problems.isEmpty {
            let lines = problems.map { "kafka.\($0.property): \($0.reason)" }
            throw CommandFailure(.usage, lines.joined(separator: "\n"))
        }
        let brokers = BrokerWatch(log.logger(for: .kafka), kafka, topics: Self.watched(settings))
        kafka.log = { level, facility, message in brokers.log(level: level, facility: facility, message: message) }
        let statistics = settings[Keys.metricsListen].map { _ in ClientStatistics() }
        kafka.statistics = statistics?.settings
        self.init(
            settings: settings, log: log, cluster: RdKafkaCluster(kafka), brokers: brokers,
            clientStatistics: statistics, healthLag: healthLag, live: live,
            resources: ResourceWatch(settings, threshold: threshold, log.logger(for: .tideline)))
        kafka.grants = grants
        cluster = RdKafkaCluster(kafka)
    }

    init(
        settings: Settings, log: SwitchedLogHandler, cluster: any Cluster, brokers: BrokerWatch? = nil,
        clientStatistics: ClientStatistics? = nil, healthLag: LiveSetting<Duration>? = nil, live: LiveSettings? = nil,
        resources: ResourceWatch? = nil
    ) {
        self.settings = settings
        self.log = log
        logger = log.logger(for: .tideline)
        self.cluster = cluster
        self.brokers = brokers
        self.clientStatistics = clientStatistics
        self.healthLag = healthLag ?? LiveSetting(Keys.healthLag, settings)
        self.live = live ?? LiveSettings(settings)
        self.resources =
            resources
            ?? ResourceWatch(settings, threshold: LiveSetting(Keys.memoryWarningThreshold, settings), logger)
        topics = TopicNames(settings)
    }

    /// The same surroundings for parts of the process that read side by side: of many each has smaller queues, so that
    /// all together fit the memory that the process is to have.
    func shared(among parts: Int) -> Environment {
        // Brokers within this process have no such settings.
        guard var kafka = (cluster as? RdKafkaCluster)?.settings, let limit = kafka.memoryLimit else { return self }
        kafka.memoryLimit = MemoryShares.clients(of: limit, parts: parts)
        var environment = self
        environment.cluster = RdKafkaCluster(kafka)
        return environment
    }

    /// The same surroundings by way of some addresses of `bootstrap` alone: each client tries them in any order, and
    /// waits for one that does not answer.
    func reached(at addresses: [String]) -> Environment {
        guard var kafka = (cluster as? RdKafkaCluster)?.settings else { return self }
        kafka.bootstrapServers = addresses.joined(separator: ",")
        var environment = self
        environment.cluster = RdKafkaCluster(kafka)
        return environment
    }

    /// The topics that the pipeline reads and writes.
    private static func watched(_ settings: Settings) -> [String] {
        let topics = TopicNames(settings)
        let own = InternalTopics(settings)
        return [
            topics.telemetry, topics.calendarEvents, topics.configurations, topics.timelines, topics.reloads,
            topics.positions, topics.positionsMerged, topics.deadLetters, own.exchange, own.state,
        ]
    }

    func logger(for module: LogModule) -> Logger { log.logger(for: module) }

    static func makeLog(_ settings: Settings) -> SwitchedLogHandler {
        let format = settings[Keys.logFormat]
        return SwitchedLogHandler(settings[Keys.logLevel]) { module in
            StreamLogHandler(
                label: module.rawValue, format: format, colored: Terminal.isColored, stream: .standardError,
                now: { Date() })
        }
    }

    /// The properties of librdkafka: its defaults, over them the program's settings, over those the user's `kafka.*`.
    /// Its log is dropped.
    static func kafka(_ settings: Settings) -> RdKafkaSettings {
        var properties = [
            "session.timeout.ms": String(settings[Keys.sessionTimeout].milliseconds),
            "heartbeat.interval.ms": String(settings.heartbeatInterval),
            "max.poll.interval.ms": String(settings.pollInterval),
            "transaction.timeout.ms": String(settings[Keys.transactionTimeout].milliseconds),
            "message.max.bytes": String(InternalTopics.recordBytesMax + 65536),
        ]
        for (name, value) in settings.values(under: Keys.kafka) { properties[name] = value.description }
        return RdKafkaSettings(
            bootstrapServers: settings[Keys.bootstrap], properties: properties, memoryLimit: settings.memoryLimit)
    }

    /// Waits until a broker answers. Blocks for `connect.timeout` at most.
    ///
    /// - Throws: with status 69 if no broker answers within that time or the program is to end.
    func connect() throws(CommandFailure) -> any Admin {
        let began = WallClock.uptime()
        do throws(LogError) {
            let admin = try cluster.makeAdmin()
            let deadline = began + settings[Keys.connectTimeout]
            while true {
                // Each call waits a second at most, so that a stop is seen.
                do throws(LogError) {
                    try admin.connect(timeout: min(.seconds(1), settings[Keys.connectTimeout]))
                    return admin
                } catch {
                    brokers?.tellRepeats()
                    if Signals.isStopRequested || WallClock.uptime() >= deadline { throw error }
                }
            }
        } catch {
            brokers?.tellRepeats(isLast: true)
            let tried = WallClock.uptime() - began
            // Nothing was done and nothing was told to anybody: whoever waits for the work must see that.
            let time =
                Signals.isStopRequested && tried < settings[Keys.connectTimeout]
                ? "told to end after \(tried.milliseconds) ms"
                : "tried for \(settings[Keys.connectTimeout].iso8601) (connect.timeout)"
            throw CommandFailure(
                .unavailable, "no broker answers at \(settings[Keys.bootstrap]): \(time). \(error.message)")
        }
    }
}
