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
    private let title: String
    private let unit: String
    /// How much there is to do.
    var total: Int
    private let logger: Logger
    private let begin = WallClock.uptime()
    private var bar: ProgressBar?

    init(_ title: String, unit: String, total: Int, _ logger: Logger = .standardError) {
        self.title = title
        self.unit = unit
        self.total = total
        self.logger = logger
    }

    func update(completed: Int) {
        if bar == nil, WallClock.uptime() - begin > .seconds(1) {
            bar = .standardError(title, unit: unit, total: total, logger)
        }
        bar?.update(completed: completed)
    }

    /// Writes the last line, where something was shown.
    func finish() {
        bar?.finish()
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
