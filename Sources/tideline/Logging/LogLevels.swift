import Observability
import Settings
import Timelines

/// The parts of the program that speak for themselves in the log: the labels of its loggers, in `log.level` and in log
/// lines as JSON.
enum LogModule: String, CaseIterable, Sendable {
    /// The verbs: starts, progress, the status line, summaries.
    case tideline
    /// Stream threads: tasks, restores, transactions, positions.
    case runtime
    /// What is made of records: timelines, dead letters, failed sources.
    case pipeline
    /// The watch over brokers, and librdkafka's own log.
    case kafka
    /// Sinks of timelines and of reloads.
    case sinks
    /// The HTTP API.
    case gateway
    /// Settings that are read again.
    case settings
    /// Metrics and health.
    case monitoring
    /// The export of spans.
    case tracing
}

/// The least level of each module that is written to the log: one for all, and others for some.
struct LogLevels: Hashable, Sendable {
    private var base: Logger.Level
    private var modules: [LogModule: Logger.Level] = [:]

    init(_ base: Logger.Level) { self.base = base }

    /// Reads `info`, or `info,runtime=debug,sinks=trace`; `nil` if it is none. A level without a module comes first,
    /// and no module twice. Without a first level that is info.
    init?(_ text: String) {
        self.init(.info)
        for (index, part) in text.split(separator: ",", omittingEmptySubsequences: false).enumerated() {
            let words = part.split(separator: "=", omittingEmptySubsequences: false)
                .map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
            guard let level = words.last.flatMap({ Logger.Level(rawValue: $0) }) else { return nil }
            switch words.count {
            case 1 where index == 0: base = level
            case 2:
                guard let module = LogModule(rawValue: words[0]), modules.updateValue(level, forKey: module) == nil
                else { return nil }
            default: return nil
            }
        }
    }

    subscript(module: LogModule) -> Logger.Level { modules[module] ?? base }

    /// As `init(_:)` reads it, modules in their order.
    var text: String {
        let parts = LogModule.allCases.compactMap { module in
            modules[module].map { "\(module.rawValue)=\($0.rawValue)" }
        }
        return ([base.rawValue] + parts).joined(separator: ",")
    }
}

extension SettingType<LogLevels> {
    static var logLevels: Self {
        let levels = Logger.Level.allCases.map(\.rawValue)
        let modules = LogModule.allCases.map(\.rawValue).joined(separator: ", ")
        return SettingType(
            allowed: "one of \(levels.joined(separator: ", ")), and for some modules another one, such as"
                + " info,runtime=debug; the modules are \(modules)",
            read: { LogLevels($0) }, write: { $0.text })
    }
}
