import RecordLog

extension RdKafkaSettings {
    /// All properties of an instance, in the order in which they are set: defaults, what was passed through, and what
    /// nobody may change.
    func properties(for role: ClientRole, clientId: String) -> [(key: String, value: String)] {
        let passed =
            properties
            .filter { PropertyCatalog.known[$0.key]?.scope.applies(to: role) ?? true }
            .sorted { $0.key < $1.key }
            .map { (key: $0.key, value: $0.value) }
        return Self.defaults(for: role).map(fitted) + passed + fixed(for: role, clientId: clientId)
    }

    private static func defaults(for role: ClientRole) -> [(key: String, value: String)] {
        var common = [
            // A broker that comes back should be noticed within a second.
            (key: "reconnect.backoff.max.ms", value: "1000")
        ]
        switch role {
        case .consumer:
            common += [
                // Survivors learn of a rebalance by heartbeat (DESIGN, R4).
                ("session.timeout.ms", "10000"),
                ("heartbeat.interval.ms", "500"),
                // TCP and the broker's disk check the bytes already; it costs a tenth of reading.
                ("check.crcs", "false"),
                // A seek or a new partition waits for the fetch that is under way: keep it short.
                ("fetch.wait.max.ms", "50"),
                ("fetch.error.backoff.ms", "50"),
                // librdkafka's default. An answer adds so much of each partition to a queue that was not quite full.
                ("fetch.message.max.bytes", "1048576"),
                ("queued.min.messages", "100000"),
                ("queued.max.messages.kbytes", "16384"),
            ]
            common += FetchWakeUp.properties
        case .transactionalProducer:
            common += [
                ("transaction.timeout.ms", transactionTimeoutDefault),
                ("compression.type", "lz4"),
                // A commit does not wait for it, but what is handed over before goes out in batches of so long.
                ("linger.ms", "1"),
                // Back to back, the coordinator answers CONCURRENT_TRANSACTIONS until the last markers are written;
                // with the default of 100 ms a transaction takes 24 – 35 ms instead of 14 (DESIGN, section 5).
                ("retry.backoff.ms", "5"),
                ("queue.buffering.max.messages", "1000000"),
                ("queue.buffering.max.kbytes", "262144"),
            ]
        case .plainProducer:
            common += [
                ("compression.type", "lz4"),
                // Half the processor time of 5 ms at 2,000 records a second; a flush does not wait for it.
                ("linger.ms", "50"),
                // A producer that runs for days outlives an outage of any length: records wait for the broker.
                ("message.timeout.ms", "0"),
                ("batch.num.messages", "100000"),
                ("queue.buffering.max.messages", "500000"),
                ("queue.buffering.max.kbytes", "262144"),
            ]
        case .reportingProducer:
            common += [
                ("compression.type", "lz4"),
                // Somebody waits for the answer.
                ("linger.ms", "0"),
                // A broker refuses whole batches: a record that is too large is alone in its own.
                ("batch.size", "16384"),
                // A topic that does not exist is said soon.
                ("topic.metadata.propagation.max.ms", "2000"),
                ("queue.buffering.max.messages", "100000"),
                ("queue.buffering.max.kbytes", "65536"),
            ]
        case .admin, .writeProbe: break
        }
        return common
    }

    /// The size of a queue: the default, or less where that would be more than its share of the memory.
    private func fitted(_ property: (key: String, value: String)) -> (key: String, value: String) {
        guard let memoryLimit, let size = Int(property.value), let share = Self.shares[property.key] else {
            return property
        }
        return (property.key, String(max(1, min(size, memoryLimit / share.part / share.unit))))
    }

    /// The part of the memory that each queue may take, and the bytes of one in its number. Of a record in a consumer's
    /// queue that is what a short one takes, bytes that librdkafka does not count included.
    private static let shares = [
        "fetch.message.max.bytes": (part: 1024, unit: 1), "queued.min.messages": (part: 32, unit: 512),
        "queued.max.messages.kbytes": (part: 32, unit: 1024),
        "queue.buffering.max.kbytes": (part: 8, unit: 1024),
    ]

    private func fixed(for role: ClientRole, clientId: String) -> [(key: String, value: String)] {
        var fixed = [(key: "client.id", value: clientId), (key: "bootstrap.servers", value: bootstrapServers)]
        if let statistics, role.isPolled {
            fixed.append(("statistics.interval.ms", String(statistics.interval.milliseconds)))
        }
        switch role {
        case .consumer(let group, let instance, let isolation):
            fixed += [
                // librdkafka assigns partitions only within a group; one that is never joined and never committed to
                // is only a name here.
                ("group.id", group ?? "\(clientId).reader"),
                ("partition.assignment.strategy", "cooperative-sticky"),
                ("isolation.level", isolation.rawValue),
                ("enable.auto.commit", "false"),
                ("enable.auto.offset.store", "false"),
                ("auto.offset.reset", "earliest"),
                ("enable.partition.eof", "true"),
            ]
            if let instance { fixed.append(("group.instance.id", instance)) }
        case .admin(let isolation):
            fixed += [("isolation.level", isolation.rawValue)]
        case .transactionalProducer(let transactionalId):
            fixed += Self.fixedForProducers + [("transactional.id", transactionalId)]
        case .plainProducer:
            fixed += Self.fixedForProducers + [Self.oneRequestAtATime]
        case .reportingProducer(let deliveryTimeout):
            fixed += Self.fixedForProducers + [Self.oneRequestAtATime]
            fixed += [
                ("delivery.report.only.error", "false"),
                ("message.timeout.ms", String(deliveryTimeout.milliseconds)),
            ]
        case .writeProbe(let timeout):
            fixed += [
                ("enable.idempotence", "false"),
                // No broker knows this number: it looks whether the producer may write, and then refuses the record.
                ("acks", "2"),
                ("delivery.report.only.error", "false"),
                ("message.timeout.ms", String(timeout.milliseconds)),
                ("linger.ms", "0"),
            ]
        }
        return fixed
    }

    /// librdkafka (2.0.2 to 2.15.0) takes a success for one of the request before it, too, which was refused and waits
    /// to be sent again: since brokers take no number out of order, it must be there. But a broker that knows nothing
    /// of a producer yet takes any number, so the records of a first request that was refused, such as for want of
    /// replicas, were acknowledged and never written. In transactions brokers look at the order from the first record
    /// on (KIP-890, Kafka 3.6 and later).
    private static let oneRequestAtATime = (key: "max.in.flight.requests.per.connection", value: "1")

    private static let fixedForProducers = [
        (key: "enable.idempotence", value: "true"),
        (key: "acks", value: "all"),
        // Java's, so that every producer puts an entity into the same partition.
        (key: "partitioner", value: "murmur2_random"),
        (key: "delivery.report.only.error", value: "true"),
    ]
}
