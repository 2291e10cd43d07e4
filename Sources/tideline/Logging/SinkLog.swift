import Observability
import Sinks

/// Logs the notices of a sink of timelines: of an obstacle one line when it begins and one when it is gone. What is
/// tried in between is told at debug, but for an obstacle of another kind. One thread owns it.
final class SinkLog {
    private let logger: Logger
    private let setting: String
    private var obstacle: SinkError?

    /// - Parameter setting: what the sink's address is given by.
    init(_ logger: Logger, setting: String) {
        self.logger = logger
        self.setting = setting
    }

    func take(_ notice: SinkNotice, _ brokers: BrokerWatch?) {
        switch notice {
        case .holding(let error, let delay) where error == obstacle:
            logger.debug("\(error.description); trying again", metadata: ["retryInMs": .milliseconds(delay)])
        case .holding(let error, let delay) where error.isUnknownHost:
            obstacle = error
            // Somebody may wait for ever.
            logger.error(
                "\(error.description); its address is that of \(setting); trying again",
                metadata: ["retryInMs": .milliseconds(delay)])
        case .holding(let error, _):
            obstacle = error
            logger.log(notice, brokers)
        case .resumed:
            obstacle = nil
            logger.log(notice, brokers)
        default: logger.log(notice, brokers)
        }
    }
}
