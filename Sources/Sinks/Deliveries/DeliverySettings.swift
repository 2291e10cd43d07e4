package import RecordLog

/// How a run reads, sends and settles records.
package struct DeliverySettings: Hashable, Sendable {
    /// Names the sink in the ledger and in its transactional id. Two instances of one name do not run at once.
    package var name: String
    /// How the topic is read.
    package var reading: SinkReading
    package var deadLettersTopic: String
    /// Compacted; made where it is missing. Sinks of an application share it.
    package var ledgerTopic: String
    /// The replication factor of the ledger if it has to be made; `nil` is the broker's default.
    package var replication: Int32?
    package var transactionalId: String

    /// How fast it sends at first.
    package var pace = DeliveryPace()
    /// The most records that are read and not settled, 1 or more. Beyond that nothing is read.
    package var outstandingMax = 10_000
    /// The bytes of such records beyond which nothing is read either.
    package var outstandingBytesMax = 64 << 20
    /// The least time between two commits while something is under way.
    package var commitInterval = Duration.milliseconds(250)
    /// How long a stop waits for the answers to what was sent.
    package var drainTimeout = Duration.seconds(5)
    /// So many requests that are refused for one reason, with none delivered between, end the run. 2 or more.
    package var refusalsMax = 20
    /// So long a server has to say that something is not there, before it is believed without having taken anything
    /// else meanwhile; ten times as long if it has turned something else away.
    package var absenceMin = Duration.seconds(30)

    /// - Parameter application: the prefix of the ledger and of the transactional id.
    package init(name: String, application: String, topic: String, deadLettersTopic: String) {
        self.name = name
        reading = SinkReading(topic: topic, clientId: "tideline-sink-\(name)")
        self.deadLettersTopic = deadLettersTopic
        ledgerTopic = LedgerPositions.topic(of: application)
        transactionalId = "\(application).sink.\(name)"
    }

    var ledger: LedgerSettings {
        LedgerSettings(
            topic: ledgerTopic, name: name, owner: name, source: reading.topic, replication: replication,
            transactionalId: transactionalId, remedy: "'tideline topics --apply' sets it")
    }
}

/// How fast records are sent, and for how long: it may change while a run goes on.
package struct DeliveryPace: Hashable, Sendable {
    /// The most requests that are under way at once, 1 or more.
    package var requestsMax = 200
    /// How long a device's first reload waits for others that go with it. When nothing more is read, none waits.
    package var gather = Duration.seconds(1)
    package var backoff = Backoff()
    /// A destination whose records are joined is not sent older ones. A record that fails for so long for its own sake
    /// is a dead letter. No refusal is doubted longer.
    package var ageMax = Duration.seconds(86_400)
    /// So many records in a row that a webhook or target refuses for good with one answer, with none taken between and
    /// of more than one configuration or recipient, are not at fault: it waits. 0: each is a dead letter.
    package var declinedMax = 20

    package init() {}
}

/// The clock of a run that sends records. The run's thread owns it.
package protocol DeliveryClock: BlockingClock {
    /// The time of day.
    var wall: Instant { get }
}

/// The counts of a run that sends records.
package struct DeliverySummary: Hashable, Sendable, SinkRunSummary {
    package var records = 0
    /// What was answered with success: requests, or what one carried.
    package var delivered = 0
    /// Records that went out with another one of the same device, or gave way to a later one.
    package var conflated = 0
    /// Attempts that failed for now and were made again.
    package var retries = 0
    /// Tokens that Apple no longer knows, or does not know.
    package var retired = 0
    package var deadLetters = 0
    /// Records that go to nobody: unknown configurations, those without `push`, retired tokens, tombstones.
    package var skipped = 0
    /// Records that nobody is told any more, for their age.
    package var tooOld = 0
    package var startedOver = 0
    package var elapsed = Duration.zero
    package var wasStopped = false

    package init() {}
}

/// A notice for an operator; the run goes on. Names no token.
package enum DeliveryNotice: Hashable, Sendable, SinkRunNotice, CustomStringConvertible {
    /// Sending failed for now; all that goes there waits so long.
    case holding(String, retryIn: Duration)
    /// Something was delivered to the host again, so long after sending there had begun to fail.
    case resumed(String, after: Duration)
    /// Whoever takes the records refuses all of them for now. Told once, until one is taken.
    case turnedAway(String)
    /// So much waits for a host that is away that nothing more is read. Told once, until there is room again.
    case full(String)
    case deadLetter(TopicPartition, Offset, reason: String)
    /// A configuration's `push` cannot be used, or the record not be read.
    case unusablePush(configuration: String, reason: String)
    /// A token is not pushed to any more, until a newer configuration record names it.
    case retired(reason: String, configurations: [String])
    case log(LogError)
    case awaiting(LogError)
    case brokersBack(after: Duration)
    case newPartitions(topic: String, total: Int32)
    case startedOver(TopicPartition, Offset, because: TopicReader.Restart)
    /// The producer of the ledger was replaced: this is how an unknown outcome is settled.
    case producerReplaced(LogError)

    package var description: String {
        switch self {
        case .holding(let reason, let delay):
            "\(reason); trying again in \((delay / .seconds(1) * 10).rounded() / 10) s"
        case .resumed(let host, let length):
            "\(host) takes records again, after \((length / .seconds(1) * 10).rounded() / 10) s"
        case .turnedAway(let reason): "\(reason); what waits is tried again until one is taken"
        case .full(let reason): reason
        case .deadLetter(let place, let offset, let reason): "record \(offset) of \(place) is a dead letter: \(reason)"
        case .unusablePush(let id, let reason): "configuration \(id) gets no pushes: \(reason)"
        case .retired(let reason, let ids):
            "a token is retired (\(reason)), of configurations \(ids.joined(separator: ", "))"
        case .log(let error): error.description
        case .awaiting(let error): Self.text(awaiting: error)
        case .brokersBack(let time): Self.text(brokersBackAfter: time)
        case .newPartitions(let topic, let total): Self.text(newPartitionsOf: topic, total: total)
        case .startedOver(let place, let offset, let reason):
            Self.text(startedOver: place, offset, because: reason)
        case .producerReplaced(let error): "the producer of the ledger is made anew: \(error)"
        }
    }
}

/// Why a run that sends records ended early.
package enum DeliveryError: Hashable, Sendable, SinkRunFailure, CustomStringConvertible {
    case log(LogError)
    /// Another instance of this sink has started; it goes on in this one's place.
    case replaced(name: String)
    /// The positions of this sink were taken away: the next run begins at the earliest record.
    case reset(name: String)
    /// Whoever takes the records refuses all of them until somebody changes something.
    case refused(String)
    /// The ledger's topic is not what the sink can work with.
    case ledger(topic: String, String)
    case otherCluster(kept: String, present: String)

    package var description: String {
        switch self {
        case .log(let error): error.description
        case .replaced(let name):
            "another instance of the sink '\(name)' of this application has started and goes on in its place"
        case .reset(let name):
            "the positions of the sink '\(name)' were taken away: when it is started again it begins at the earliest"
                + " record"
        case .refused(let reason): reason
        case .ledger(let topic, let problem): "topic \(topic) \(problem)"
        case .otherCluster(let kept, let present): Self.text(keptIn: kept, present: present)
        }
    }

    package var isFinal: Bool {
        switch self {
        case .replaced, .otherCluster: true
        case .log, .reset, .refused, .ledger: false
        }
    }
}
