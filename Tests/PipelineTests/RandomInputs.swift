import Messages
import RecordLog
import Seeds
import Timelines

extension RandomWorld {
    /// Puts a random record into a pipeline.
    ///
    /// - Parameter now: what the clock shows.
    mutating func put(into pipeline: PipelineFixture, now: Instant) {
        let input = next(now: now)
        pipeline.put(input.topic, key: input.key, input.value, partition: input.partition)
    }
}

extension Oracle {
    init(_ inputs: [InputSpec], _ topics: TopicNames) {
        self.init(
            inputs.map {
                Record(topic: $0.topic, partition: $0.partition ?? 0, offset: 0, key: $0.key, value: $0.value)
            },
            topics)
    }
}
