import Observability
import Synchronization

/// A log whose level changes while the program runs: SIGUSR1 lowers it to debug, to trace, and brings it back to that
/// of the settings, which may be read again meanwhile. A level of the settings that is lower stays.
struct SwitchedLogHandler: LogHandler {
    private var base: any LogHandler
    /// What the signal asked for last.
    private let verbosity: @Sendable () -> Signals.Verbosity
    private let shared: Shared

    /// The state that all copies of a handler have in common.
    private final class Shared: Sendable {
        /// What the log has said of its level.
        let told = Atomic<Int>(Signals.Verbosity.asSet.rawValue)
        /// The level of the settings.
        let level: Mutex<Logger.Level>

        init(_ level: Logger.Level) { self.level = Mutex(level) }
    }

    init(_ base: any LogHandler, verbosity: @escaping @Sendable () -> Signals.Verbosity = { Signals.logVerbosity }) {
        self.base = base
        self.verbosity = verbosity
        shared = Shared(base.logLevel)
    }

    /// Setting it sets the level of the settings, of all copies.
    var logLevel: Logger.Level {
        get {
            let level = shared.level.withLock { $0 }
            return switch verbosity() {
            case .asSet: level
            case .debug: min(level, .debug)
            case .trace: .trace
            }
        }
        nonmutating set { shared.level.withLock { $0 = newValue } }
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    func log(level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?) {
        let wanted = verbosity()
        if shared.told.exchange(wanted.rawValue, ordering: .relaxed) != wanted.rawValue {
            base.log(
                level: .notice, message: "log level changed by SIGUSR1",
                metadata: ["level": .string(logLevel.rawValue)])
        }
        base.log(level: level, message: message, metadata: metadata)
    }
}
