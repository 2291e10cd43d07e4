import Diagnosis
import Foundation
import RecordLog
import StreamRuntime

extension DoctorRun {
    /// The topic that is there while the broker's clock is compared.
    private var clockTopic: String { application + ".doctor" }

    /// - Parameter isProbed: false leaves it at how to compare it.
    func clockFacts(_ admin: any Admin, isProbed: Bool) -> ClockFacts {
        isProbed ? clockFacts(admin) : .unasked(command: command("doctor --probe-clock"), topic: clockTopic)
    }

    /// Writes a record into a topic of its own, to which the broker gives its time, and removes that topic.
    private func clockFacts(_ admin: any Admin) -> ClockFacts {
        let topic = clockTopic
        do throws(LogError) {
            let probe = NewTopic(
                name: topic, partitions: 1, replication: own.replication,
                settings: [
                    .init("cleanup.policy", "delete"), .init("message.timestamp.type", "LogAppendTime"),
                    .init("retention.ms", "3600000"),
                ])
            try admin.deleteTopics([topic], timeout: .seconds(30))
            try admin.createTopic(probe, timeout: .seconds(30))
            let facts: Result<ClockFacts, LogError>
            do throws(LogError) {
                facts = .success(try probed(topic))
            } catch {
                facts = .failure(error)
            }
            try admin.deleteTopics([topic], timeout: .seconds(30))
            return try facts.get()
        } catch {
            return .unknown("\(error); if the topic \(topic) is there, it may be removed")
        }
    }

    private func probed(_ topic: String) throws(LogError) -> ClockFacts {
        let producer = try environment.cluster.makePlainProducer(clientId: application + "-doctor")
        defer { producer.close() }
        let sent = WallClock.systemTime()
        let text = Array("doctor".utf8)
        try text.span.bytes.withUnsafeBytes { (bytes) throws(LogError) in
            try producer.produce(topic: topic, partition: 0, key: bytes, value: bytes, headers: [])
        }
        try producer.flush(timeout: .seconds(30))
        let answered = WallClock.systemTime()
        let consumer = try environment.cluster.makeConsumer(
            group: nil, isolation: .readUncommitted, clientId: application + "-doctor")
        defer { consumer.close() }
        try consumer.incrementalAssign([(TopicPartition(topic, 0), .earliest)])
        guard let broker = firstTimestamp(from: consumer, within: .seconds(30)) else {
            throw LogError(.timedOut, name: "_TIMED_OUT", "the record that was written does not come")
        }
        return .probed(sent: sent, broker: broker, answered: answered)
    }

    /// The timestamp of the first record that comes; `nil` if none comes in time.
    func firstTimestamp(from consumer: any Consumer, within patience: Duration) -> Instant? {
        let deadline = clock.now + patience
        while clock.now < deadline, !Signals.isStopRequested {
            let batch = consumer.poll(maximum: 1, timeout: .milliseconds(200))
            if let record = batch.records.first { return record.timestamp }
        }
        return nil
    }

    /// Zones are read by Foundation, which brings its data along; they do not change while a process runs.
    var zoneFinding: Finding {
        Finding(
            .zones, "zone database", .good,
            "version \(TimeZone.timeZoneDataVersion) in this program; '--ask' compares it with that of processes")
    }
}
