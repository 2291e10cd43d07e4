import CRdKafka
import Foundation
import RdKafka
import RecordLog
import TestSupport
import Testing

/// A broker that asks its authoriser: whoever may not do something is told which permission is missing.
@Suite("Missing permissions")
struct PermissionTests {
    @Test("the call that is refused names the operation, the topic, and the line that grants it")
    func topics() async throws {
        let broker = try await TestBroker.dedicated(properties: [
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "allow.everyone.if.no.acl.found": "true",
        ])
        let said = try await onThread { try Self.refusals(KafkaFixture(bootstrap: broker.bootstrap, properties: [:])) }
        try await broker.stop()
        func expected(_ operation: String, on topic: String) -> String {
            "needs \(operation) on topic \(topic), granted with: kafka-acls --bootstrap-server \(broker.bootstrap)"
                + " --add --allow-principal User:NAME --operation \(operation) --topic \(topic)"
        }
        let verb =
            "; needs Describe on topic \(said.hidden), granted with: tideline permissions --apply --principal User:NAME"
            + " --only 'Describe on topic \(said.hidden)' --application app"
        #expect(said.verbs?.message.hasSuffix(verb) == true, "\(said)")
        #expect(said.looking?.message.hasSuffix(expected("Describe", on: said.hidden)) == true, "\(said)")
        #expect(said.looking?.needing(.read).message.hasSuffix(expected("Read", on: said.hidden)) == true)
        #expect(said.starting?.message.hasSuffix(expected("Read", on: said.hidden)) == true, "\(said)")
        #expect(said.reading?.message.hasSuffix(expected("Read", on: said.seen)) == true, "\(said)")
        #expect(said.writing?.message.hasSuffix(expected("Write", on: said.seen)) == true, "\(said)")
    }

    private struct Refusals: Sendable {
        /// Nobody but somebody else may do anything with it.
        var hidden: String
        /// It may be looked at.
        var seen: String
        var looking: LogError?
        /// Of a client of which a verb needs it.
        var verbs: LogError?
        var starting: LogError?
        var reading: LogError?
        var writing: LogError?
    }

    private static func refusals(_ kafka: KafkaFixture) throws -> Refusals {
        var refusals = Refusals(hidden: try kafka.topic("hidden"), seen: try kafka.topic("seen"))
        try kafka.write(["record"], to: refusals.seen)
        try allow(
            [
                (refusals.hidden, "User:somebody", RD_KAFKA_ACL_OPERATION_READ),
                (refusals.seen, "User:somebody", RD_KAFKA_ACL_OPERATION_READ),
                (refusals.seen, "User:ANONYMOUS", RD_KAFKA_ACL_OPERATION_DESCRIBE),
                (refusals.seen, "User:ANONYMOUS", RD_KAFKA_ACL_OPERATION_DESCRIBE_CONFIGS),
            ], at: kafka.bootstrap)
        let admin = try kafka.cluster.makeAdmin()
        defer { admin.close() }
        func refusal(_ call: () throws(LogError) -> Void) -> LogError? {
            do throws(LogError) {
                try call()
                return nil
            } catch { return error }
        }
        refusals.looking = refusal { () throws(LogError) in
            _ = try admin.describeTopics([refusals.hidden], timeout: KafkaFixture.patience)
        }
        var needing = RdKafkaSettings(bootstrapServers: kafka.bootstrap, properties: [:])
        needing.grants = Grants(
            at: kafka.bootstrap, byVerb: [Permission(.describe, .topic(refusals.hidden))],
            options: "--application app")
        let own = try RdKafkaCluster(needing).makeAdmin()
        defer { own.close() }
        refusals.verbs = refusal { () throws(LogError) in
            _ = try own.describeTopics([refusals.hidden], timeout: KafkaFixture.patience)
        }
        let requests = PatientRequests(clock: TestClock(), shouldStop: { false })
        refusals.starting = refusal { () throws(LogError) in
            let reader = try TopicReader(
                refusals.hidden, cluster: kafka.cluster, admin: admin, clientId: "test", requests: requests)
            defer { reader.close() }
            _ = try reader.start()
        }
        refusals.reading = refusal { () throws(LogError) in
            let reader = try TopicReader(
                refusals.seen, cluster: kafka.cluster, admin: admin, clientId: "test", requests: requests)
            defer { reader.close() }
            guard let start = try reader.start() else { return }
            _ = try reader.read(
                to: start.ends, maximum: 10, timeout: .milliseconds(100), patience: .seconds(20), failed: { _ in },
                each: { _, _ in })
        }
        let producer = try kafka.cluster.makePlainProducer(clientId: "test")
        defer { producer.close() }
        do {
            try producer.produce("record", to: refusals.seen)
            try producer.flush(timeout: KafkaFixture.patience)
        } catch { refusals.writing = error as? LogError }
        return refusals
    }

    /// Whoever a topic's first permission does not name may do nothing with it from then on.
    private static func allow(
        _ permissions: [(topic: String, principal: String, operation: rd_kafka_AclOperation_t)], at bootstrap: String
    ) throws {
        let configuration = rd_kafka_conf_new()
        rd_kafka_conf_set(configuration, "bootstrap.servers", bootstrap, nil, 0)
        let client = try #require(rd_kafka_new(RD_KAFKA_PRODUCER, configuration, nil, 0))
        defer { rd_kafka_destroy(client) }
        let queue = rd_kafka_queue_new(client)
        defer { rd_kafka_queue_destroy(queue) }
        var bindings = permissions.map {
            rd_kafka_AclBinding_new(
                RD_KAFKA_RESOURCE_TOPIC, $0.topic, RD_KAFKA_RESOURCE_PATTERN_LITERAL, $0.principal, "*", $0.operation,
                RD_KAFKA_ACL_PERMISSION_TYPE_ALLOW, nil, 0)
        }
        defer { rd_kafka_AclBinding_destroy_array(&bindings, bindings.count) }
        rd_kafka_CreateAcls(client, &bindings, bindings.count, nil, queue)
        let event = try #require(rd_kafka_queue_poll(queue, 30_000))
        defer { rd_kafka_event_destroy(event) }
        #expect(rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR_NO_ERROR)
        // The broker knows of it a moment after the controller has answered.
        let admin = try RdKafkaCluster(RdKafkaSettings(bootstrapServers: bootstrap, properties: [:])).makeAdmin()
        defer { admin.close() }
        let isKnown = wait {
            do throws(LogError) {
                _ = try admin.describeTopics([permissions[0].topic], timeout: KafkaFixture.patience)
                return false
            } catch { return error.code == .notAuthorised }
        }
        try #require(isKnown)
    }
}

private final class TestClock: BlockingClock {
    private let start = ContinuousClock.now

    var now: Duration { ContinuousClock.now - start }

    func wait(for duration: Duration) { Thread.sleep(forTimeInterval: duration / .seconds(1)) }
}
