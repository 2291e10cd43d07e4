package import RecordLog

/// How a `ReloadSinkRunner` reads, sends and keeps its positions.
package struct ReloadSinkSettings: Hashable, Sendable {
    /// Names the sink in the ledger and in its transactional id. Two instances of one name do not run at once.
    package var name: String
    package var reloadsTopic: String
    package var deadLettersTopic: String
    /// Compacted; made where it is missing. Sinks of an application share it.
    package var ledgerTopic: String
    /// Of the ledger where it is made; nil: the broker's default.
    package var replication: Int32?
    package var transactionalId: String
    package var clientId: String

    /// Ends when all is settled that the topic held at the start, open transactions included.
    package var untilCaughtUp = false
    /// Requests under way at once, 1 or more.
    package var requestsMax = 200
    /// Records that are read and not settled, 1 or more. Beyond that nothing is read.
    package var outstandingMax = 10_000
    package var batchMaximum = 2000
    package var pollTimeout = Duration.milliseconds(200)
    /// How often new partitions are looked for: nobody announces them (R9).
    package var partitionInterval = Duration.seconds(30)
    /// Of one attempt of a request to the brokers: a stop is seen between attempts.
    package var brokerTimeout = Duration.seconds(2)
    /// How long requests are repeated that the run cannot do without. Commits are repeated for as long as it takes.
    package var brokerPatience = Duration.seconds(30)
    /// The least time between two commits while something is under way.
    package var commitInterval = Duration.milliseconds(250)
    /// How long a stop waits for the answers to what was sent.
    package var drainTimeout = Duration.seconds(5)
    package var backoff = Backoff()
    /// How long a device's first reload waits for others that go with it; not where nothing more is read.
    package var gather = Duration.seconds(1)
    /// So many requests that are refused for one reason, with none delivered between, end the run. 2 or more.
    package var refusalsMax = 20
    /// Reloads that are older are not sent to who conflates; what fails for so long for its own sake is a dead letter;
    /// and no refusal is doubted longer.
    package var ageMax = Duration.seconds(86_400)

    /// - Parameter application: the prefix of the ledger and of the transactional id.
    package init(name: String, application: String, reloadsTopic: String, deadLettersTopic: String) {
        self.name = name
        self.reloadsTopic = reloadsTopic
        self.deadLettersTopic = deadLettersTopic
        ledgerTopic = "\(application).pushes"
        transactionalId = "\(application).sink.\(name)"
        clientId = "tideline-sink-\(name)"
    }
}

extension ReloadSinkSettings {
    func requests(_ clock: any SinkClock, _ shouldStop: @escaping () -> Bool) -> BrokerRequests {
        BrokerRequests(attempt: brokerTimeout, patience: brokerPatience, clock: clock, shouldStop: shouldStop)
    }
}

/// A sink's clock with the time of day beside. Owned by the runner's thread.
package protocol ReloadSinkClock: SinkClock {
    var wall: Instant { get }
}

/// What a run did.
package struct ReloadSinkSummary: Hashable, Sendable {
    /// Read from the topic of reloads.
    package var records = 0
    /// Requests answered with success.
    package var delivered = 0
    /// Reloads that went out with another one of the same device.
    package var conflated = 0
    /// Attempts that failed for now and were made again.
    package var retries = 0
    /// Tokens that Apple no longer knows, or does not know.
    package var retired = 0
    package var deadLetters = 0
    /// Records that go to nobody: unknown configurations, those without `push`, retired tokens, tombstones.
    package var skipped = 0
    /// Reloads that nobody is told any more, for their age.
    package var tooOld = 0
    package var elapsed = Duration.zero
    /// The caller asked to stop.
    package var wasStopped = false

    package init() {}
}

/// What an operator should know; the run goes on. Names no token.
package enum ReloadSinkNotice: Hashable, Sendable, CustomStringConvertible {
    /// Sending failed for now; all that goes there waits so long.
    case holding(String, retryIn: Duration)
    /// Whoever takes the reloads refuses all of them for now. Told once, until one is taken.
    case turnedAway(String)
    case deadLetter(TopicPartition, Offset, reason: String)
    /// A configuration's `push` cannot be used, or the record not be read.
    case unusablePush(configuration: String, reason: String)
    /// A token is not pushed to any more, until a newer configuration record names it.
    case retired(reason: String, configurations: [String])
    case log(LogError)
    case newPartitions(topic: String, total: Int32)
    /// The kept position lies behind the topic's end: it is another topic of the same name, read from its beginning.
    case startedOver(TopicPartition, Offset)
    /// The producer of the ledger was replaced: this is how an unknown outcome is settled.
    case producerReplaced(LogError)

    package var description: String {
        switch self {
        case .holding(let reason, let delay):
            "\(reason); trying again in \((delay / .seconds(1) * 10).rounded() / 10) s"
        case .turnedAway(let reason): "\(reason); no reload is lost, they are tried again until one is taken"
        case .deadLetter(let place, let offset, let reason): "record \(offset) of \(place) is a dead letter: \(reason)"
        case .unusablePush(let id, let reason): "configuration \(id) gets no pushes: \(reason)"
        case .retired(let reason, let ids):
            "a token is retired (\(reason)), of configurations \(ids.joined(separator: ", "))"
        case .log(let error): error.description
        case .newPartitions(let topic, let total): "\(topic) has \(total) partitions now"
        case .startedOver(let place, let offset):
            "the kept position \(offset) lies behind the end of \(place); reading it from the beginning"
        case .producerReplaced(let error): "the producer of the ledger is made anew: \(error)"
        }
    }
}

/// Why a run ended early. Nothing is lost: the next one goes on from the kept positions.
package enum ReloadSinkError: Error, Hashable, Sendable, CustomStringConvertible {
    case log(LogError)
    /// Another instance of this sink has started; it goes on in this one's place.
    case replaced(name: String)
    /// Whoever takes the reloads refuses all of them until somebody changes something.
    case refused(String)
    /// The ledger's topic is not what the sink can work with.
    case ledger(topic: String, String)

    package var description: String {
        switch self {
        case .log(let error): error.description
        case .replaced(let name):
            "another instance of the sink '\(name)' of this application has started and goes on in its place"
        case .refused(let reason): reason
        case .ledger(let topic, let problem): "topic \(topic) \(problem)"
        }
    }
}
