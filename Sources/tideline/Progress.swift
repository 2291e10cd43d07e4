import Foundation
import Observability

extension ProgressBar {
    /// A bar on a terminal, a log line every few seconds elsewhere.
    static func standardError(_ title: String, unit: String, total: Int? = nil, _ logger: Logger) -> ProgressBar {
        let clock = ContinuousClock()
        if LogStream.standardErrorIsTerminal {
            return ProgressBar(title, unit: unit, total: total, terminal: .standardError, now: { clock.now })
        }
        return ProgressBar(title, unit: unit, total: total, logger: logger, now: { clock.now })
    }
}

/// Progress of work that is usually done at once: nothing is shown within the first second. Owned by one thread.
final class LateProgress {
    private let bar: ProgressBar
    private let begin = WallClock.uptime()

    init(_ title: String, unit: String, total: Int? = nil, _ logger: Logger = .standardError) {
        bar = .standardError(title, unit: unit, total: total, logger)
    }

    private var isShown: Bool { WallClock.uptime() - begin > .seconds(1) }

    func update(completed: Int, of total: Int) {
        guard isShown else { return }
        bar.setTotal(total)
        bar.update(completed: completed)
    }

    /// Writes the last line, where the work took that long.
    func finish(completed: Int) {
        guard isShown else { return }
        bar.update(completed: completed)
        bar.finish()
    }
}

extension Logger {
    /// For verbs that have no settings.
    static var standardError: Logger {
        Logger(
            label: "tideline",
            handler: StreamLogHandler(
                label: "tideline", level: .info, format: .text, colored: LogStream.standardErrorIsTerminal,
                stream: .standardError, now: { Date() }))
    }
}
