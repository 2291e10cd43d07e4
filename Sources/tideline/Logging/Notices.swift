import Observability
import RecordLog
import Sinks

extension Logger {
    /// Logs a notice of a sink of timelines, its numbers as numbers. What the watch over brokers says is left to it.
    func log(_ notice: SinkNotice, _ brokers: BrokerWatch?) {
        switch notice {
        case .holding(let error, let delay):
            warning("\(error.description); trying again", metadata: ["retryInMs": .milliseconds(delay)])
        case .resumed(let time):
            self.notice("the sink can write again, and goes on", metadata: ["awayMs": .milliseconds(time)])
        case .setBack: warning("\(notice)")
        case .unusable(let place, let offset, let reason):
            warning("a record is left out: \(reason)", metadata: .record(place, offset))
        case .unremoved: warning("\(notice)")
        case .log(let error): log(error, brokers)
        case .awaiting(let error): log(error, brokers)
        case .brokersBack(let time): brokersBack(time)
        case .newPartitions(let topic, let total): newPartitions(of: topic, total)
        case .startedOver(let place, let offset, let reason): startedOver(place, offset, reason)
        }
    }

    /// Logs a notice of a sink that sends. Dead letters have a log of their own (`DeadLetterLog`).
    func log(_ notice: DeliveryNotice, _ brokers: BrokerWatch?) {
        switch notice {
        case .holding(let reason, let delay):
            warning("\(reason); trying again", metadata: ["retryInMs": .milliseconds(delay)])
        case .resumed(let host, let length):
            self.notice("\(host) takes records again", metadata: ["awayMs": .milliseconds(length)])
        case .turnedAway, .full, .unusablePush: level(of: notice, "\(notice)")
        case .deadLetter(let place, let offset, let reason):
            warning("dead letter: \(reason)", metadata: .record(place, offset))
        case .retired(let reason, let configurations):
            warning(
                "a token is retired: \(reason)",
                metadata: ["configurations": .array(configurations.map { .string($0) })])
        case .log(let error): log(error, brokers)
        case .awaiting(let error): log(error, brokers)
        case .brokersBack(let time): brokersBack(time)
        case .newPartitions(let topic, let total): newPartitions(of: topic, total)
        case .startedOver(let place, let offset, let reason): startedOver(place, offset, reason)
        case .producerReplaced(let error):
            if brokers?.absorbs(error) == true { return }
            warning(
                "the producer of the ledger is made anew: \(error.message)", metadata: ["error": .string(error.name)])
        }
    }

    func log(_ error: LogError, _ brokers: BrokerWatch?) {
        if brokers?.absorbs(error) == true { return }
        warning("\(error.message)", metadata: ["error": .string(error.name)])
    }

    private func level(of notice: DeliveryNotice, _ message: Message) {
        if case .turnedAway = notice { error(message) } else { warning(message) }
    }

    private func brokersBack(_ time: Duration) {
        notice("the brokers answer again, and the sink goes on", metadata: ["awayMs": .milliseconds(time)])
    }

    private func newPartitions(of topic: String, _ total: Int32) {
        info("reading new partitions", metadata: ["topic": .string(topic), "partitions": .number(total)])
    }

    private func startedOver(_ place: TopicPartition, _ offset: Offset, _ reason: TopicReader.Restart) {
        warning("\(reason.text); reading it from the beginning", metadata: .record(place, offset))
    }
}

extension Logger.Metadata {
    /// The fields that name a record in the log.
    static func record(_ place: TopicPartition, _ offset: Offset) -> Self {
        [
            "topic": .string(place.topic), "partition": .number(place.partition.rawValue),
            "offset": .number(offset.rawValue),
        ]
    }
}
