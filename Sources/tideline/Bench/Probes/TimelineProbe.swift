import Messages
import Producers
import RdKafka
import RecordLog
import Settings

/// Writes to the input topics and waits for the committed timelines that follow, whatever system makes them. Owned by
/// one thread.
final class TimelineProbe {
    private let topics: BenchTopics
    private let consumer: any Consumer
    private let producer: any PlainProducer

    /// A committed timeline, as it came.
    struct Arrival {
        var configurationId: String
        var bytes: UnsafeRawBufferPointer

        /// True if the timeline holds a text.
        func holds(_ text: [UInt8]) -> Bool {
            bytes.contains(text)
        }
    }

    /// Begins at the present end of the topic of timelines.
    init(_ topics: BenchTopics) throws(CommandFailure) {
        self.topics = topics
        let environment = topics.environment
        var kafka = Environment.kafka(environment.settings)
        // What is measured is the way of a change, not how long a client gathers before it sends or asks.
        kafka.properties["linger.ms"] = "0"
        kafka.properties["fetch.wait.max.ms"] = "5"
        let cluster = RdKafkaCluster(kafka)
        let places = (0..<Partition(Int32(topics.partitions))).map {
            TopicPartition(environment.topics.timelines, $0)
        }
        do throws(LogError) {
            let ends = try topics.admin.endOffsets(of: places, isolation: .readCommitted, timeout: .seconds(30))
            consumer = try cluster.makeConsumer(group: nil, isolation: .readCommitted, clientId: "tideline-bench")
            producer = try cluster.makePlainProducer(clientId: "tideline-bench")
            try consumer.incrementalAssign(places.map { ($0, ends[$0].map { .at($0) } ?? .earliest) })
        } catch {
            throw CommandFailure(.unavailable, "cannot wait for timelines: \(error)")
        }
    }

    func close() {
        producer.close()
        consumer.close()
    }

    // MARK: - In

    /// Sends a status widget of a vehicle.
    func sendConfiguration(_ number: Int) throws(CommandFailure) {
        let record = BenchWidgets.status(number, vehicle: number)
        try send(record.key, record.value ?? [], to: topics.environment.topics.configurations)
    }

    /// Sends a report of a vehicle, observed now.
    func sendReport(of number: Int, status: String) throws(CommandFailure) {
        let report = BenchFleet.report(
            of: number, at: .now(), status: status, speed: 10, latitude: 52, longitude: 13, heading: 0)
        try send(BenchFleet.vehicleId(number), report, to: topics.environment.topics.telemetry)
    }

    private func send(_ key: [UInt8], _ value: [UInt8], to topic: String) throws(CommandFailure) {
        do throws(LogError) {
            try key.withUnsafeBufferPointer { key throws(LogError) in
                try value.withUnsafeBufferPointer { value throws(LogError) in
                    try producer.produce(
                        topic: topic, partition: nil, key: UnsafeRawBufferPointer(key),
                        value: UnsafeRawBufferPointer(value), headers: [])
                }
            }
        } catch {
            throw CommandFailure(.unavailable, "cannot send to \(topic): \(error)")
        }
    }

    // MARK: - Out

    /// Waits for the next committed timelines.
    func receive(for timeout: Duration, _ take: (Arrival) -> Void) throws(CommandFailure) {
        let batch = consumer.poll(maximum: 1000, timeout: timeout)
        for record in batch.records {
            guard let key = record.key, let value = record.value else { continue }
            take(Arrival(configurationId: String(decoding: key, as: UTF8.self), bytes: value))
        }
        if let failure = batch.failures.first(where: { $0.code == .fatal }) {
            throw CommandFailure(.unavailable, "cannot wait for timelines: \(failure)")
        }
    }
}
