import Observability
import Sinks
import Synchronization

/// Logs the notices of a sink of timelines: of an obstacle one line when it begins and one when it is gone. What is
/// tried in between is told at debug, but for an obstacle of another kind.
///
/// It stays the same over all attempts of a sink: what an attempt repeats of the one before is no news. Any thread.
final class SinkLog: Sendable {
    private struct State {
        var obstacle: SinkError?
        var hasBegun = false
    }

    private let logger: Logger
    private let setting: String
    private let state = Mutex(State())

    /// - Parameter setting: what the sink's address is given by.
    init(_ logger: Logger, setting: String) {
        self.logger = logger
        self.setting = setting
    }

    /// A sink begins: the first time that is told, then at debug.
    func begin(_ name: String, target: String) {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        logger.tellBegin(ofSink: name, target: target, isFirst: isFirst)
    }

    func take(_ notice: SinkNotice, _ brokers: BrokerWatch?) {
        switch notice {
        case .holding(let error, let delay):
            let isNews = state.withLock { state in
                defer { state.obstacle = error }
                return state.obstacle != error
            }
            if isNews { tell(error, notice, retryIn: delay, brokers) } else { tellAgain(error, retryIn: delay) }
        case .resumed:
            state.withLock { $0.obstacle = nil }
            logger.log(notice, brokers)
        default: logger.log(notice, brokers)
        }
    }

    private func tell(_ error: SinkError, _ notice: SinkNotice, retryIn delay: Duration, _ brokers: BrokerWatch?) {
        guard error.isUnknownHost else { return logger.log(notice, brokers) }
        // Somebody may wait for ever.
        logger.error(
            "\(error.description); its address is that of \(setting); trying again",
            metadata: ["retryInMs": .milliseconds(delay)])
    }

    private func tellAgain(_ error: SinkError, retryIn delay: Duration) {
        logger.debug("\(error.description); trying again", metadata: ["retryInMs": .milliseconds(delay)])
    }
}

extension Logger {
    /// Says that a sink begins, whatever it writes or sends, by the names that `sink --status` has for it.
    ///
    /// - Parameter isFirst: false if it begins again after a failure.
    func tellBegin(ofSink name: String, target: String, isFirst: Bool = true) {
        let metadata: Metadata = ["sink": .string(name), "target": .string(target)]
        if isFirst {
            info("sink begins", metadata: metadata)
        } else {
            debug("sink begins again", metadata: metadata)
        }
    }
}
