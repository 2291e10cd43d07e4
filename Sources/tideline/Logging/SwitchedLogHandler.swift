import Observability
import Synchronization

/// A log whose level SIGUSR1 changes while the program runs: to debug, to trace, and back to that of the settings. A
/// level of the settings that is lower stays.
struct SwitchedLogHandler: LogHandler {
    private var base: any LogHandler
    /// What the signal asked for last.
    private let verbosity: @Sendable () -> Signals.Verbosity
    private let told: Told

    /// What the log has said of its level.
    private final class Told: Sendable {
        let verbosity = Atomic<Int>(Signals.Verbosity.asSet.rawValue)
    }

    init(_ base: any LogHandler, verbosity: @escaping @Sendable () -> Signals.Verbosity = { Signals.logVerbosity }) {
        self.base = base
        self.verbosity = verbosity
        told = Told()
    }

    var logLevel: Logger.Level {
        get {
            switch verbosity() {
            case .asSet: base.logLevel
            case .debug: min(base.logLevel, .debug)
            case .trace: .trace
            }
        }
        set { base.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    func log(level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?) {
        let wanted = verbosity()
        if told.verbosity.exchange(wanted.rawValue, ordering: .relaxed) != wanted.rawValue {
            base.log(
                level: .notice, message: "log level changed by SIGUSR1",
                metadata: ["level": .string(logLevel.rawValue)])
        }
        base.log(level: level, message: message, metadata: metadata)
    }
}
