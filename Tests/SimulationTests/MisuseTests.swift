import RecordLog
import Simulation
import Testing

/// A runtime that breaks the ports' contract must not get through a test unnoticed.
@Suite("Misuse of the ports ends the program")
struct MisuseTests {
    @Test("a record outside a transaction")
    func produceOutside() async {
        await #expect(processExitsWith: .failure) {
            let cluster = MemoryCluster()
            cluster.createTopic("t", partitions: 1)
            try cluster.producer("id").produce("t", 0, "x")
        }
    }

    @Test("an abort while the outcome of a commit is unknown")
    func abortAfterCommit() async {
        await #expect(processExitsWith: .failure) {
            let cluster = MemoryCluster()
            let producer = try cluster.producer("id")
            try producer.begin()
            cluster.inject(.retriable(timedOut), into: .commit)
            _ = outcome { try producer.commit() }
            try producer.abort()
        }
    }

    @Test("a listener that does not assign what it is given")
    func lazyListener() async {
        await #expect(processExitsWith: .failure) {
            final class Lazy: RebalanceListener {
                func assigned(_ partitions: [TopicPartition]) {}
                func revoked(_ partitions: [TopicPartition]) {}
                func lost(_ partitions: [TopicPartition]) {}
            }
            let cluster = MemoryCluster()
            cluster.createTopic("t", partitions: 1)
            let consumer = try cluster.makeConsumer(group: "g", isolation: .readCommitted, clientId: "c")
            try consumer.subscribe(to: "t", listener: Lazy())
            consumer.poll()
        }
    }

    @Test("anything after the end of a port")
    func afterClose() async {
        await #expect(processExitsWith: .failure) {
            let member = try Member(MemoryCluster(), "m")
            member.consumer.close()
            member.consumer.poll()
        }
    }
}
