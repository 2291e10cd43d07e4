package import RecordLog

/// How a `SinkRunner` reads.
package struct SinkSettings: Hashable, Sendable {
    package var topic: String
    package var clientId = "tideline-sink"
    /// Ends when everything is written that the topic held at the start, open transactions included.
    package var untilCaughtUp = false
    /// At most so many records are read before they are written, 1 or more.
    package var batchMaximum = 2000
    package var pollTimeout = Duration.milliseconds(200)
    /// How often new partitions are looked for: nobody announces them (R9).
    package var partitionInterval = Duration.seconds(30)
    /// Of one attempt of a request to the brokers: a stop is seen, and progress told, between attempts.
    package var requestTimeout = Duration.seconds(2)
    /// How long requests at the start are repeated. Later ones are made again when they are next due.
    package var startTimeout = Duration.seconds(30)
    /// Between attempts while the sink is unavailable: doubled from the first to the last.
    package var retryDelay = Duration.milliseconds(250)
    package var retryDelayMax = Duration.seconds(15)

    package init(topic: String) {
        self.topic = topic
    }
}

/// The clock of a runner: it only goes forward, from any zero. Owned by the runner's thread.
package protocol SinkClock: AnyObject {
    var now: Duration { get }
    /// Returns once `now` has risen by at least `duration`.
    func wait(for duration: Duration)
}

/// How far a run is.
package struct SinkProgress: Hashable, Sendable {
    package var summary: SinkSummary
    /// From 0 to 1 of what `untilCaughtUp` asks for; nil without it.
    package var fractionDone: Double?
}

/// What a run did.
package struct SinkSummary: Hashable, Sendable {
    /// Read from the topic.
    package var records = 0
    /// Left out because a later record of the same configuration was read with them.
    package var superseded = 0
    package var written = 0
    package var removed = 0
    package var unchanged = 0
    /// Cannot be written; told one by one.
    package var unusable = 0
    package var elapsed = Duration.zero
    /// The caller asked to stop.
    package var wasStopped = false

    package init() {}

    /// Records per second since the start.
    package var rate: Double {
        elapsed > .zero ? Double(records) / (elapsed / .seconds(1)) : 0
    }
}

/// What an operator should know; the run goes on.
package enum SinkNotice: Hashable, Sendable, CustomStringConvertible {
    /// The sink is unavailable; the same is tried again after the delay.
    case holding(SinkError, retryIn: Duration)
    case unusable(TopicPartition, Offset, reason: String)
    case log(LogError)
    case newPartitions(topic: String, total: Int32)
    /// The kept position lies behind the topic's end: it is another topic of the same name, read from its beginning.
    case startedOver(TopicPartition, Offset)

    package var description: String {
        switch self {
        case .holding(let error, let delay): "\(error); trying again in \(delay)"
        case .unusable(let place, let offset, let reason): "record \(offset) of \(place) is left out: \(reason)"
        case .log(let error): error.description
        case .newPartitions(let topic, let total): "\(topic) has \(total) partitions now"
        case .startedOver(let place, let offset):
            "the kept position \(offset) lies behind the end of \(place); reading it from the beginning"
        }
    }
}

/// Why a run ended early. Nothing is lost: the next one goes on from the kept positions.
package enum SinkRunError: Error, Hashable, Sendable, CustomStringConvertible {
    case sink(SinkError)
    case log(LogError)

    package var description: String {
        switch self {
        case .sink(let error): error.description
        case .log(let error): error.description
        }
    }
}
