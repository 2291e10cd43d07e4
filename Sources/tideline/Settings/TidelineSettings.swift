import Messages
import Observability
import Pipeline
import Settings
import Timelines

/// The settings of the program. Each is declared once, in this folder, and read as `settings[Keys.name]`.
///
/// A setting takes effect when it stands in the list below the declarations of its file. `Documentation/Settings.md`,
/// the flags `--set`, environment variables and the file of `--config` follow from the declaration.
enum Keys {
    static let bootstrap = SettingKey(
        "bootstrap", .brokers, default: "localhost:9092", "The brokers to begin with: HOST:PORT, separated by commas.")
    static let application = SettingKey(
        "application", .applicationId, default: "tideline",
        "The consumer group, and the prefix of transactional ids and of the internal topics.")
    static let topicPrefix = SettingKey(
        "topic.prefix", .partOfName, default: "", "Put before the name of every topic.")
    static let telemetryTopic = topic("vehicle.telemetry")
    static let eventsTopic = topic("calendar.events")
    static let configurationsTopic = topic("widget.configurations")
    static let timelinesTopic = topic("timelines")
    static let reloadsTopic = topic("timeline.reloads")
    static let positionsTopic = topic("timeline.positions")
    static let positionsMergedTopic = topic("timeline.positions.merged")
    static let deadLettersTopic = topic("tideline.dead-letters")
    static let connectTimeout = SettingKey(
        "connect.timeout", .duration(.seconds(1) ... .seconds(3600)), default: .seconds(30),
        "How long a broker is waited for at the start.")
    static let commitInterval = SettingKey(
        "commit.interval.ms", .integer(1...60_000), default: 100, "How often a stream thread commits, in milliseconds.")
    static let sessionTimeout = SettingKey(
        "session.timeout", .duration(.seconds(1) ... .seconds(1800)), default: .seconds(10),
        "After so long without a heartbeat a process's tasks go to others.")
    static let transactionTimeout = SettingKey(
        "transaction.timeout", .duration(.seconds(1) ... .seconds(900)), default: .seconds(10),
        "After so long the broker ends a transaction that is left open.")
    static let restorePatience = SettingKey(
        "restore.patience", .duration(.seconds(1) ... .seconds(3600)), default: .seconds(60),
        "How long the timers of a task that was taken over wait for what is still to be read; then they fire, and that"
            + " is said.")
    static let visibleCommitInterval = SettingKey(
        "commit.visible.interval.ms", .integer(0...60_000), default: 5,
        "How often it commits, in milliseconds, while something visible waits without a backlog, and as a run ends.")
    static let standbyReplicas = SettingKey(
        "standby.replicas", .integer(0...15), default: 0,
        "So many other processes keep a copy of each task's state in memory, so that one of them that takes the task"
            + " over reads only what is new.")
    static let instance = SettingKey(
        "instance", .partOfName, default: "",
        "The name of this process in its group, which it keeps when it is started again: then it gets its tasks back at"
            + " once. No two processes may have the same.")
    static let internalReplication = SettingKey(
        "internal.replication", .integer(-1...32767), default: -1,
        "The replication factor of the internal topics, and of the positions of a sink at another cluster; -1 is the"
            + " broker's default.")
    static let stateFormat = SettingKey(
        "state.format", .stateFormat, default: nil,
        "The format of state and internal messages: automatic keeps what it finds, and is 4 where there is no state."
            + " 2 is that of 0.1.0; 1 also leaves positions unread. 4 raises state for good, once no process of a"
            + " release before runs.")
    static let lostState = SettingKey(
        "state.lost", .choice(LostState.self), default: .refuse,
        "What is done where the group has positions in inputs and the state has gone: replay reads the inputs from"
            + " their earliest record.")
    static let clusterMoved = SettingKey(
        "cluster.moved", .choice(Acceptance.self), default: .refuse,
        "accept goes on with state and positions of another cluster, as after a move to a mirror: a partition whose"
            + " records are others is read from its beginning.")
    static let changedSettings = SettingKey(
        "settings.changed", .choice(Acceptance.self), default: .refuse,
        "What is done with state that was made under other settings of content, and with outputs that another"
            + " application writes: accept goes on, once.")
    static let pause = SettingKey(
        "renewal.pause", .duration(.seconds(1) ... .seconds(86400)), default: .seconds(60),
        "A timeline that is due for longer than this is made for now, not for its due date.")
    static let spread = SettingKey(
        "renewal.spread", .duration(.zero ... .seconds(3600)), default: .zero,
        "The work of timelines that are due at one instant is spread over so long; each is still made for its due date."
    )
    static let telemetryFuture = SettingKey(
        "telemetry.future", .durationOrOff(.zero ... .seconds(31 * 86400)), default: .seconds(300),
        "Telemetry observed later than this after its arrival counts as observed at its arrival; off: as it says.")
    static let vehiclesExpiry = SettingKey(
        "vehicles.expiry", .duration(.seconds(3600) ... .seconds(3650 * 86400)), default: .seconds(30 * 86400),
        "A vehicle that no configuration shows is forgotten when nothing came of it for so long.")
    static let logLevel = SettingKey(
        "log.level", .logLevels, default: LogLevels(.info),
        "What is not written to the log lies below this level; a module may have one of its own.")
    static let logFormat = SettingKey(
        "log.format", .choice(StreamLogHandler.Format.self), default: .text, "How log lines are written.")

    private static let pipelineKeys: [any SettingDeclaration] = [
        bootstrap, application, topicPrefix, telemetryTopic, eventsTopic, configurationsTopic, timelinesTopic,
        reloadsTopic, positionsTopic, positionsMergedTopic, deadLettersTopic, connectTimeout, commitInterval,
        visibleCommitInterval, sessionTimeout, transactionTimeout, restorePatience, standbyReplicas, instance,
        internalReplication,
        stateFormat, lostState, clusterMoved, changedSettings, pause, spread, telemetryFuture, vehiclesExpiry,
    ]

    private static let logKeys: [any SettingDeclaration] = [logLevel, logFormat]

    enum LostState: String, CaseIterable, Sendable { case refuse, replay }

    /// The prefix under which any property of librdkafka is passed through.
    static let kafka = SettingPrefix("kafka", "Any property of librdkafka, such as kafka.security.protocol.")

    /// The same for the clients of a sink that writes to a topic.
    static let sinkKafka = SettingPrefix(
        "sink.kafka", "Any property of librdkafka for the clients of `sink --to kafka:…`, whose cluster is another one."
    )

    /// All settings, in the order in which `Documentation/Settings.md` lists them.
    static let schema = SettingsSchema(
        pipelineKeys + kindKeys + positionKeys + serveKeys + monitoringKeys + memoryKeys + tracingKeys + logKeys
            + sinkKeys + reloadSinkKeys + httpSinkKeys,
        prefixes: [kafka, sinkKafka],
        rules: timeoutRules + memoryRules + kindRules + positionRules + serveRules,
        // Test runs, completion and an orchestrator's service links put these into the environment.
        foreignVariables: [
            "TIDELINE_TEST_", "TIDELINE_EXECUTABLE", "TIDELINE_SERVICE_", "TIDELINE_PORT", "TIDELINE_PORT_",
        ])

    private static func topic(_ name: String) -> SettingKey<String> {
        SettingKey("topics.\(name)", .string, default: name, "The name of the topic \(name), before its prefix.")
    }
}

extension SettingType<Int?> {
    /// A format's number, or `automatic`, which is nil.
    fileprivate static var stateFormat: Self {
        let numbers = 1...PipelineSettings.newestStateFormat
        return SettingType(
            allowed: "automatic, or a number from \(numbers.lowerBound) to \(numbers.upperBound)",
            choices: ["automatic"] + numbers.map { "\($0)" },
            read: { text in
                if text == "automatic" { return .some(nil) }
                guard let number = Int(text), numbers.contains(number), text.count == 1 else { return .none }
                return .some(number)
            },
            write: { $0.map { "\($0)" } ?? "automatic" })
    }
}

/// The answer to a change that nobody makes by the way.
enum Acceptance: String, CaseIterable, Sendable {
    case refuse
    case accept
}

extension SettingType<String> {
    /// The names of consumer groups, from which the names of topics and transactions are made.
    fileprivate static var applicationId: Self {
        .string(allowed: "letters, digits, '.', '_' and '-', 1 to 200 of them") { name in
            (1...200).contains(name.utf8.count) && name.utf8.allSatisfy(isInTopicName)
        }
    }

    /// Addresses as librdkafka takes them, which would take the rest of a division for a port that is too large.
    fileprivate static var brokers: Self {
        .string(allowed: "HOST:PORT, separated by commas, ports from 1 to 65535") { text in
            let addresses = text.split(separator: ",", omittingEmptySubsequences: false)
            return addresses.allSatisfy { address in
                let parts = #/\s*(?:\w+://)?(?:\[[^\]\s]+\]|[^:\[\]\s]+)(?::([0-9]+))?\s*/#
                guard let match = address.wholeMatch(of: parts) else { return false }
                return match.1.map { (1...65535).contains(Int($0) ?? 0) } ?? true
            }
        }
    }

    /// What stands within names of topics; of static members with room for the number of a thread. Empty stands for
    /// none.
    fileprivate static var partOfName: Self {
        .string(allowed: "letters, digits, '.', '_' and '-', 200 of them at most") { name in
            name.utf8.count <= 200 && name.utf8.allSatisfy(isInTopicName)
        }
    }

    private static func isInTopicName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension Settings {
    /// The replication factor of internal topics; `nil` stands for the broker's default.
    var internalReplication: Int32? {
        let replication = self[Keys.internalReplication]
        return replication < 1 ? nil : Int32(replication)
    }
}

extension TopicNames {
    init(_ settings: Settings) {
        self.init()
        let prefix = settings[Keys.topicPrefix]
        telemetry = prefix + settings[Keys.telemetryTopic]
        calendarEvents = prefix + settings[Keys.eventsTopic]
        configurations = prefix + settings[Keys.configurationsTopic]
        timelines = prefix + settings[Keys.timelinesTopic]
        reloads = prefix + settings[Keys.reloadsTopic]
        positions = prefix + settings[Keys.positionsTopic]
        positionsMerged = prefix + settings[Keys.positionsMergedTopic]
        deadLetters = prefix + settings[Keys.deadLettersTopic]
    }
}
