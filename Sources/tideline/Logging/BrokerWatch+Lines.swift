import Observability
import Synchronization

extension BrokerWatch {
    /// Logs a line of librdkafka, at `debug` if the watch says what it says. A line that repeats another is counted,
    /// and goes to `trace`.
    ///
    /// - Parameter level: the level as in syslog, from 0 to 7.
    func log(level: Int, facility: String, message: String) {
        let level = isNoNews(level, facility, message) ? Self.debugging : level
        let now = ports.now()
        tellRepeats(now: now)
        let isNew = state.withLock { $0.lines.take(message, level: level, facility: facility, now: now) }
        write(message, level: isNew ? level : Self.tracing, ["facility": .string(facility)])
    }

    /// Logs how many lines were not written because they repeat one that was, when that is due. Call it now and then.
    ///
    /// - Parameter isLast: true if nothing more comes.
    func tellRepeats(isLast: Bool = false) {
        tellRepeats(now: isLast ? nil : ports.now())
    }

    private func tellRepeats(now: Duration?) {
        for withheld in state.withLock({ $0.lines.due(now: now) }) {
            write(
                "and more lines like this: \(withheld.line)", level: withheld.level,
                ["count": .number(withheld.count), "lastedMs": .milliseconds(withheld.lasted)])
        }
    }

    private static let debugging = 6
    private static let tracing = 7

    /// The levels are those of syslog: 0 … 3 are errors, 4 warnings, 5 and 6 information, 7 debugging.
    private func write(_ message: String, level: Int, _ metadata: Logger.Metadata) {
        switch level {
        case ...3: logger.warning("librdkafka: \(message)", metadata: metadata)
        case 4: logger.notice("librdkafka: \(message)", metadata: metadata)
        case 5, 6: logger.debug("librdkafka: \(message)", metadata: metadata)
        default: logger.trace("librdkafka: \(message)", metadata: metadata)
        }
    }
}
