import Foundation
import Messages
import RdKafka
import RecordLog
import Settings
import Sinks
import StreamRuntime

/// A topic of a cluster, as `--to kafka:TOPIC@HOST:PORT[,HOST:PORT]` names it.
struct KafkaTopicAddress: Hashable, Sendable {
    let topic: String
    let bootstrap: String

    /// - Parameter text: what follows `kafka:`.
    init(_ text: String) throws(SinkTarget.Problem) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        guard parts.count == 2 else {
            throw SinkTarget.Problem(description: "must say kafka:TOPIC@HOST:PORT[,HOST:PORT]: an @ is missing")
        }
        (topic, bootstrap) = (parts[0], parts[1])
        let isName = topic.utf8.allSatisfy { byte in
            switch Unicode.Scalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-": true
            default: false
            }
        }
        let longest = 249 - KafkaSinkSettings(topic: "", place: "", source: "").positionsTopic.utf8.count
        guard isName, !topic.isEmpty, topic.utf8.count <= longest, topic != ".", topic != ".." else {
            throw SinkTarget.Problem(
                description: "must name a topic before the @, of letters, digits, '.', '_' and '-', at most \(longest)")
        }
        let isComplete = bootstrap.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { broker in
            let parts = broker.split(separator: ":", omittingEmptySubsequences: false)
            guard let port = parts.last.flatMap({ UInt16($0) }) else { return false }
            return parts.count >= 2 && !parts[0].isEmpty && port > 0 && !broker.contains("@")
        }
        guard isComplete else {
            throw SinkTarget.Problem(description: "must name brokers behind the @, as HOST:PORT[,HOST:PORT]")
        }
    }

    /// The sink of this topic. The properties of its clients are those of `sink.kafka`.
    func open(_ environment: Environment, name: String) throws(SinkError) -> KafkaSink {
        let settings = environment.settings
        var properties = [
            "transaction.timeout.ms": String(settings[Keys.transactionTimeout].milliseconds),
            "message.max.bytes": String(Self.recordBytesMax),
            // A broker refuses whole batches: what is too large for the topic is found in a small one.
            "batch.size": String(KafkaSinkSettings.batchBytes),
        ]
        for (name, value) in settings.values(under: Keys.sinkKafka) { properties[name] = value.description }
        // Where many sinks run in one process, each has a share of what one has.
        let limit = (environment.cluster as? RdKafkaCluster)?.settings.memoryLimit ?? settings.memoryLimit
        let kafka = RdKafkaSettings(
            bootstrapServers: bootstrap, properties: properties, memoryLimit: limit)
        let problems = kafka.validate().map { "\(Keys.sinkKafka.name).\($0.property): \($0.reason)" }
        guard problems.isEmpty else {
            throw .refused(
                SinkFault(place: bootstrap, operation: "connect to", reason: problems.joined(separator: "; ")))
        }
        var sink = self.settings(environment.topics, settings)
        sink.isJudgedBySize = Self.isJudgedBySize(properties)
        return try KafkaSink(
            cluster: RdKafkaCluster(kafka), source: environment.cluster, sink, instance: UUID().uuidString,
            clock: SleepingClock(), name: name, unknownHosts: { HostNames(of: bootstrap).unknown },
            shouldStop: { Signals.isStopRequested })
    }

    /// The settings of a sink of this topic that reads the timelines of an application.
    ///
    /// - Parameter topics: the application's.
    func settings(_ topics: TopicNames, _ settings: Settings) -> KafkaSinkSettings {
        var sink = KafkaSinkSettings(topic: topic, place: bootstrap, source: topics.timelines)
        sink.applicationTopics = topics.inputs + topics.outputs
        sink.applicationPrefix = settings[Keys.application] + "."
        sink.replication = settings.internalReplication
        return sink
    }

    /// True if no property of the client lets a broker see another size than that of a record.
    static func isJudgedBySize(_ properties: [String: String]) -> Bool {
        let codecs = ["compression.type", "compression.codec"].compactMap { properties[$0] }
        return codecs.allSatisfy { $0 == "none" } && properties["batch.size"] == String(KafkaSinkSettings.batchBytes)
    }

    /// What the client lets through: the target's own limit, `max.message.bytes` of the topic, decides.
    private static let recordBytesMax = 100 << 20
}
