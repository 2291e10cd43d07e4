import CRdKafka
import RecordLog

extension RdKafkaSettings {
    /// Everything that is wrong with `properties`, ascending by name; empty: all can be used.
    ///
    /// Each is checked by librdkafka itself, and then all together, as relations between them need. Connects nowhere.
    package func validate() -> [Problem] {
        let problems = properties.sorted { $0.key < $1.key }.compactMap { Self.problem(with: $0.key, $0.value) }
        return problems.isEmpty ? problemsTogether() : problems
    }

    /// What is wrong with one property by itself, whatever the others are.
    package static func problem(with property: String, _ value: String) -> Problem? {
        if let reason = reserved[property] { return Problem(property: property, reason: reason) }
        guard let configuration = rd_kafka_conf_new() else { preconditionFailure("librdkafka is out of memory") }
        defer { rd_kafka_conf_destroy(configuration) }
        let (result, text) = withErrorText { rd_kafka_conf_set(configuration, property, value, $0, $1) }
        return switch result {
        case RD_KAFKA_CONF_OK: nil
        case RD_KAFKA_CONF_UNKNOWN: Problem(property: property, reason: "librdkafka has no such property")
        default:
            Problem(property: property, reason: "\"\(value)\" is not allowed\(allowed(property)) (\(text))")
        }
    }

    private static func allowed(_ property: String) -> String {
        guard let range = PropertyCatalog.known[property]?.range, !range.isEmpty else { return "" }
        return "; it takes \(range)"
    }

    /// An instance of each kind, without an address to connect to.
    private func problemsTogether() -> [Problem] {
        var offline = self
        offline.bootstrapServers = ""
        offline.log = nil
        let roles: [(name: String, role: ClientRole)] = [
            ("consumers", .consumer(group: "check", isolation: .readCommitted)),
            ("transactional producers", .transactionalProducer(transactionalId: "check")),
            ("producers", .plainProducer),
        ]
        var problems: [Problem] = []
        for (name, role) in roles {
            do throws(LogError) {
                _ = try offline.makeClient(role, clientId: "check")
            } catch  where !problems.contains(where: { $0.reason == error.message }) {
                problems.append(Problem(property: "properties for \(name)", reason: error.message))
            } catch {}
        }
        return problems
    }

    /// Properties on which the promises of the ports rest.
    private static let reserved: [String: String] = {
        let address = "is given by the bootstrap setting"
        let name = "is chosen by the program"
        let exactlyOnce = "may not be changed: exactly-once processing rests on it"
        let port = "may not be changed: this module's ports rest on it"
        return [
            "bootstrap.servers": address, "metadata.broker.list": address,
            "client.id": name, "group.id": name, "group.instance.id": name, "transactional.id": name,
            "enable.auto.commit": exactlyOnce, "auto.commit.enable": exactlyOnce,
            "enable.auto.offset.store": exactlyOnce, "isolation.level": exactlyOnce,
            "auto.offset.reset": exactlyOnce, "enable.idempotence": exactlyOnce, "acks": exactlyOnce,
            "request.required.acks": exactlyOnce, "partition.assignment.strategy": exactlyOnce,
            "partitioner": exactlyOnce, "enable.partition.eof": port, "delivery.report.only.error": port,
            "log.queue": port, "statistics.interval.ms": port, "test.mock.num.brokers": port,
        ]
    }()
}
