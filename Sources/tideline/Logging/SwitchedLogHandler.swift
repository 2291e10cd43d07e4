import Observability
import Synchronization

/// A log whose levels change while the program runs: SIGUSR1 lowers them to debug, to trace, and brings them back to
/// those of the settings, which may be read again meanwhile. A level of the settings that is lower stays.
struct SwitchedLogHandler: LogHandler {
    private var base: any LogHandler
    private let module: LogModule
    private let makeBase: @Sendable (LogModule) -> any LogHandler
    /// What the signal asked for last.
    private let verbosity: @Sendable () -> Signals.Verbosity
    private let shared: Shared

    /// The state that the handlers of all modules have in common.
    private final class Shared: Sendable {
        /// What the log has said of its level.
        let told = Atomic<Int>(Signals.Verbosity.asSet.rawValue)
        /// The levels of the settings.
        let levels: Mutex<LogLevels>

        init(_ levels: LogLevels) { self.levels = Mutex(levels) }
    }

    /// The handler of the module `tideline`; `handler(for:)` gives those of others.
    ///
    /// - Parameter base: makes what writes the lines of a module, whatever their level.
    init(
        _ levels: LogLevels, verbosity: @escaping @Sendable () -> Signals.Verbosity = { Signals.logVerbosity },
        base: @escaping @Sendable (LogModule) -> any LogHandler
    ) {
        self.init(.tideline, Shared(levels), verbosity, base)
    }

    private init(
        _ module: LogModule, _ shared: Shared, _ verbosity: @escaping @Sendable () -> Signals.Verbosity,
        _ makeBase: @escaping @Sendable (LogModule) -> any LogHandler
    ) {
        self.module = module
        self.shared = shared
        self.verbosity = verbosity
        self.makeBase = makeBase
        base = makeBase(module)
    }

    /// The logger of a module, under the same settings and signals.
    func logger(for module: LogModule) -> Logger {
        Logger(label: module.rawValue, handler: Self(module, shared, verbosity, makeBase))
    }

    /// Takes over other levels of the settings, for all modules.
    func take(_ levels: LogLevels) { shared.levels.withLock { $0 = levels } }

    /// Setting it sets the level of the settings, of all modules.
    var logLevel: Logger.Level {
        get {
            let level = shared.levels.withLock { $0[module] }
            return switch verbosity() {
            case .asSet: level
            case .debug: min(level, .debug)
            case .trace: .trace
            }
        }
        nonmutating set { take(LogLevels(newValue)) }
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
                metadata: ["level": .string(spokenLevel(wanted))])
        }
        base.log(level: level, message: message, metadata: metadata)
    }

    /// The levels as SIGUSR1 has them.
    private func spokenLevel(_ wanted: Signals.Verbosity) -> String {
        switch wanted {
        case .asSet: shared.levels.withLock { $0.text }
        case .debug, .trace: logLevel.rawValue
        }
    }
}
