import RecordLog

/// The topic that a `KafkaSink` writes to.
package struct KafkaSinkSettings: Hashable, Sendable {
    /// Compacted; it must exist.
    package var topic: String
    /// The brokers of its cluster, as the sink's address names them: for messages.
    package var place: String
    /// The topic that timelines are read from.
    package var source: String
    /// The topics that the application reads and writes in the cluster of `source`. None of them is written to.
    package var applicationTopics: [String] = []
    /// The beginning of the names of the application's other topics there; `nil` if it has none.
    package var applicationPrefix: String?
    /// The replication factor of the topic of positions if it has to be made; `nil` is the broker's default.
    package var replication: Int32?
    /// How long one call waits for the cluster before it says that it is unavailable.
    package var patience = Duration.seconds(10)
    /// The same for the first call, which takes over from the sink before it.
    package var openingPatience = Duration.seconds(45)
    /// The time-out of one request.
    package var requestTimeout = Duration.seconds(2)
    /// True if the broker judges what is sent by its size alone: nothing is compressed, and a record of `batchBytes`
    /// goes alone. Then what is as large as a record that was refused is not sent.
    package var isJudgedBySize = true
    /// Clients send smaller records together, and brokers refuse whole batches.
    package static let batchBytes = 16_384

    package init(topic: String, place: String, source: String) {
        self.topic = topic
        self.place = place
        self.source = source
    }

    /// Compacted, of one partition; made where it is missing.
    package var positionsTopic: String { "\(topic).positions" }
    /// The same for all sinks of a topic, of whatever application: one of them fences the one before it.
    package var transactionalId: String { "\(topic).sink" }

    /// The first of the sink's two topics that has the name of a topic of the application; `nil` if none has.
    var takenName: String? {
        [topic, positionsTopic].first { name in
            name == source || applicationTopics.contains(name)
                || applicationPrefix.map { name.hasPrefix($0) } == true
        }
    }

    func ledger(_ name: String) -> LedgerSettings {
        LedgerSettings(
            topic: positionsTopic, name: name, owner: "sink", source: source, replication: replication,
            transactionalId: transactionalId)
    }

    var reading: SinkReading {
        var reading = SinkReading(topic: topic, clientId: "tideline-sink-\(topic)")
        reading.requestTimeout = requestTimeout
        // An answer that fails is to say why before the patience of the whole call is over.
        reading.requestPatience = patience / 2
        return reading
    }
}
