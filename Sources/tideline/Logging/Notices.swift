import Observability
import RecordLog
import Sinks

extension Logger {
    /// Logs a notice of a sink, its numbers as numbers. What the watch over brokers says is left to it.
    func tell(_ notice: SinkNotice, _ brokers: BrokerWatch?) {
        switch notice {
        case .holding(let error, let delay):
            warning("\(error.description); trying again", metadata: ["retryInMs": .milliseconds(delay)])
        case .unusable(let place, let offset, let reason):
            warning("a record is left out: \(reason)", metadata: Self.place(place, offset))
        case .log(let error): tell(error, brokers)
        case .newPartitions(let topic, let total):
            info("reading new partitions", metadata: ["topic": .string(topic), "partitions": .number(total)])
        case .startedOver(let place, let offset):
            warning(
                "the kept position lies behind the end of the partition; reading it from the beginning",
                metadata: Self.place(place, offset))
        }
    }

    /// The same of a sink of reloads; dead letters are told by their own log.
    func tell(_ notice: ReloadSinkNotice, _ brokers: BrokerWatch?) {
        switch notice {
        case .holding(let reason, let delay):
            warning("\(reason); trying again", metadata: ["retryInMs": .milliseconds(delay)])
        case .turnedAway, .unusablePush: level(of: notice, "\(notice)")
        case .deadLetter(let place, let offset, let reason):
            warning("dead letter: \(reason)", metadata: Self.place(place, offset))
        case .retired(let reason, let configurations):
            warning(
                "a token is retired: \(reason)",
                metadata: ["configurations": .array(configurations.map { .string($0) })])
        case .log(let error): tell(error, brokers)
        case .newPartitions(let topic, let total):
            info("reading new partitions", metadata: ["topic": .string(topic), "partitions": .number(total)])
        case .startedOver(let place, let offset):
            warning(
                "the kept position lies behind the end of the partition; reading it from the beginning",
                metadata: Self.place(place, offset))
        case .producerReplaced(let error):
            if brokers?.absorbs(error) == true { return }
            warning(
                "the producer of the ledger is made anew: \(error.message)", metadata: ["error": .string(error.name)])
        }
    }

    func tell(_ error: LogError, _ brokers: BrokerWatch?) {
        if brokers?.absorbs(error) == true { return }
        warning("\(error.message)", metadata: ["error": .string(error.name)])
    }

    private func level(of notice: ReloadSinkNotice, _ message: Message) {
        if case .turnedAway = notice { error(message) } else { warning(message) }
    }

    private static func place(_ place: TopicPartition, _ offset: Offset) -> Metadata {
        [
            "topic": .string(place.topic), "partition": .number(place.partition), "offset": .number(offset.rawValue),
        ]
    }
}
