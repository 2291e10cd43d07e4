import Foundation
import RecordLog
import Synchronization
import TestSupport
import Testing

@testable import RdKafka

@Suite("Settings")
struct SettingsTests {
    @Test("all bad properties are reported at once, with what is wrong")
    func validation() {
        let settings = RdKafkaSettings(
            bootstrapServers: "localhost:9092",
            properties: [
                "linger.ms": "soon", "no.such.thing": "1", "enable.auto.commit": "true", "client.rack": "a",
                "compression.type": "zip",
            ])
        let problems = settings.validate()
        #expect(problems.map(\.property) == ["compression.type", "enable.auto.commit", "linger.ms", "no.such.thing"])
        #expect(problems[0].reason.contains("zip"))
        #expect(problems[1].reason.contains("exactly-once"))
        #expect(problems[2].reason.contains("\"soon\" is not allowed; it takes 0 .. 900000"))
        #expect(problems[3].description == "no.such.thing: librdkafka has no such property")
    }

    @Test("properties that do not go together are reported")
    func relations() {
        var settings = RdKafkaSettings(
            bootstrapServers: "localhost:9092",
            properties: ["session.timeout.ms": "60000", "max.poll.interval.ms": "30000"])
        #expect(settings.validate().map(\.property) == ["properties for consumers"])
        settings.properties = [:]
        #expect(settings.validate().isEmpty)
    }

    @Test("what only producers know is not given to consumers, and the other way round")
    func scopes() async throws {
        let warnings = try await onThread {
            let logged = Lines()
            let properties = ["linger.ms": "7", "fetch.min.bytes": "2", "socket.keepalive.enable": "true"]
            let settings = RdKafkaSettings(bootstrapServers: "127.0.0.1:1", properties: properties) {
                _, facility, message in
                if facility == "CONFWARN" { logged.append(message) }
            }
            #expect(settings.validate().isEmpty)
            let cluster = RdKafkaCluster(settings)
            let consumer = try cluster.makeConsumer(group: nil, isolation: .readCommitted, clientId: "test")
            let producer = try cluster.makePlainProducer(clientId: "test")
            let transactional = try cluster.makeTransactionalProducer(transactionalId: "test", clientId: "test")
            let admin = try cluster.makeAdmin()
            consumer.close()
            producer.close()
            transactional.destroy()
            admin.close()
            return logged.all
        }
        #expect(warnings == [])
    }

    @Test("an unusable property is refused when a port is made")
    func unusable() {
        let settings = RdKafkaSettings(bootstrapServers: "127.0.0.1:1", properties: ["linger.ms": "soon"])
        #expect { try RdKafkaCluster(settings).makePlainProducer(clientId: "test") } throws: {
            ($0 as? LogError)?.code == .invalidSetting
        }
    }

    @Test("the transaction time-out is known")
    func transactionTimeout() {
        var settings = RdKafkaSettings(bootstrapServers: "127.0.0.1:1")
        #expect(settings.transactionTimeout == .seconds(10))
        settings.properties["transaction.timeout.ms"] = "2500"
        #expect(settings.transactionTimeout == .milliseconds(2500))
    }

    @Test("queues are made to fit the memory, but for those that were given a size")
    func queues() {
        func sizes(_ limit: Int?, _ properties: [String: String] = [:]) -> [String] {
            let settings = RdKafkaSettings(
                bootstrapServers: "127.0.0.1:1", properties: properties, memoryLimit: limit)
            let roles: [ClientRole] = [
                .consumer(group: nil, isolation: .readCommitted), .transactionalProducer(transactionalId: "t"),
            ]
            let wanted = [
                "fetch.message.max.bytes", "queued.min.messages", "queued.max.messages.kbytes",
                "queue.buffering.max.kbytes",
            ]
            return roles.flatMap { role in
                let all = settings.properties(for: role, clientId: "t")
                return wanted.compactMap { name in all.last { $0.key == name }?.value }
            }
        }
        #expect(sizes(nil) == ["1048576", "100000", "16384", "262144"])
        #expect(sizes(8 << 30) == ["1048576", "100000", "16384", "262144"])
        #expect(sizes(256 << 20) == ["262144", "16384", "8192", "32768"])
        #expect(sizes(256 << 20, ["queued.max.messages.kbytes": "20000"]).contains("20000"))
    }

    @Test("statistics are reported while polling")
    func statistics() async throws {
        let bootstrap = try await TestBroker.shared().bootstrap
        let count = try await onThread {
            let seen = Counter()
            let statistics = RdKafkaSettings.Statistics(every: .milliseconds(100)) { json in
                if json.contains("\"client_id\"") { seen.increment() }
            }
            let settings = RdKafkaSettings(bootstrapServers: bootstrap, statistics: statistics)
            let consumer = try RdKafkaCluster(settings)
                .makeConsumer(group: nil, isolation: .readCommitted, clientId: "test")
            defer { consumer.close() }
            _ = wait {
                _ = consumer.poll(maximum: 10, timeout: .milliseconds(50))
                return seen.value > 1
            }
            return seen.value
        }
        #expect(count > 1)
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func increment() { count.withLock { $0 += 1 } }
}

private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func append(_ line: String) { lines.withLock { $0.append(line) } }
}
