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
