import Dispatch
import Foundation
import Observability
import Settings
import Synchronization

/// Reads the settings again at SIGUSR2, takes over those that may change while the program runs, and says which differ
/// and wait for the next start.
///
/// A file with a mistake changes nothing, and the mistake is said.
final class SettingsReread: Sendable {
    private let resolve: @Sendable () throws(CommandFailure) -> Settings
    private let inForce: Mutex<Settings>
    private let logger: Logger
    private let takers: [String: @Sendable (Settings) -> Void]

    /// - Parameters:
    ///   - settings: those in force.
    ///   - takers: of the settings that may change while the program runs, by name: called with new ones that differ.
    ///   - resolve: reads all sources again.
    init(
        _ settings: Settings, _ logger: Logger, takers: [String: @Sendable (Settings) -> Void],
        resolve: @escaping @Sendable () throws(CommandFailure) -> Settings
    ) {
        inForce = Mutex(settings)
        self.logger = logger
        self.takers = takers
        self.resolve = resolve
    }

    /// From now on each SIGUSR2 has the settings read again, on a queue of its own, for as long as the process lives.
    func start() {
        // The source is told of the signal; the process would end of it otherwise.
        signal(SIGUSR2, SIG_IGN)
        let source = DispatchSource.makeSignalSource(
            signal: SIGUSR2, queue: DispatchQueue(label: "settings"))
        source.setEventHandler { self.reread() }
        source.activate()
        // It lives as long as the process.
        _ = Unmanaged.passRetained(source as AnyObject)
    }

    /// Blocks for as long as a file takes to read.
    func reread() {
        let new: Settings
        do throws(CommandFailure) {
            new = try resolve()
        } catch {
            return logger.error("the settings stay as they are, for those that were read are wrong: \(error.message)")
        }
        let old = inForce.withLock { $0 }
        let changed = old.names(differingFrom: new)
        let taken = changed.filter { takers[$0] != nil }
        let waiting = changed.filter { takers[$0] == nil }
        let merged = old.taking(over: taken, from: new)
        if let rule = Keys.schema.rules.first(where: { !$0.holds(merged) }) {
            return logger.error(
                "no setting is taken over: what needs a new start and what does not contradict each other until then",
                metadata: [
                    "rule": .string(rule.requirement), "settings": .array(changed.map { .string($0) }),
                ])
        }
        inForce.withLock { $0 = merged }
        for name in taken { takers[name]?(merged) }
        if changed.isEmpty { return logger.notice("settings read again: they are those in force") }
        if !taken.isEmpty {
            logger.notice("settings taken over", metadata: ["settings": .array(taken.map { .string($0) })])
        }
        if !waiting.isEmpty {
            logger.warning(
                "settings differ that only a new start takes over",
                metadata: ["settings": .array(waiting.map { .string($0) })])
        }
    }
}
