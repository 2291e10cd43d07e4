import CRdKafka
import RecordLog

/// Keeps librdkafka fetching while its queue is read (R14).
///
/// When the queue is full, librdkafka before 2.2 lets its thread of the broker sleep for up to a second, whatever is
/// read meanwhile: a reader that is faster than one queue a second waits for most of the time. Any request to that
/// broker wakes the thread. One is sent when the queue has run down to half of what was in it, at most every 5 ms.
/// From 2.2 on the property `fetch.queue.backoff.ms` makes the sleep short instead.
package struct FetchWakeUp {
    /// The most messages in the queue since the last time.
    private var most = 0
    private var notBefore: ContinuousClock.Instant?

    /// How often a request was sent.
    package private(set) var requests = 0

    package init() {}

    package static let isNeeded = rd_kafka_version() < 0x0202_0000
    /// What replaces it from 2.2 on.
    static let properties = isNeeded ? [] : [(key: "fetch.queue.backoff.ms", value: "5")]

    /// Queues that never hold more are empty because nothing more is there.
    package static let least = 50
    package static let interval = Duration.milliseconds(5)
    /// After a failure.
    package static let pause = Duration.seconds(1)

    /// The queue has so many messages before some of them are taken.
    package mutating func note(length: Int) { most = max(most, length) }

    /// True if a request is to be sent, when so many messages are left.
    package mutating func isDue(length: Int, now: ContinuousClock.Instant) -> Bool {
        guard most >= Self.least, length <= most / 2, notBefore.map({ now >= $0 }) ?? true else { return false }
        most = length
        notBefore = now + Self.interval
        requests += 1
        return true
    }

    /// A request failed: a broker is away, and librdkafka looks for it by itself.
    package mutating func noteFailure(now: ContinuousClock.Instant) { notBefore = now + Self.pause }
}

extension RdKafkaConsumer {
    /// Sends a request to each broker that leads an assigned partition, and does not wait for the answers: that it is
    /// sent wakes the thread. A broker answers after the fetch that it holds, so to wait would take up to
    /// `fetch.wait.max.ms`. An answer that comes later is thrown away.
    func keepFetching() {
        guard FetchWakeUp.isNeeded,
            wakeUp.isDue(length: rd_kafka_queue_length(queue), now: .now)
        else { return }
        var assigned: PartitionList.Pointer?
        guard rd_kafka_assignment(client.pointer, &assigned) == RD_KAFKA_RESP_ERR_NO_ERROR, let assigned else { return }
        defer { rd_kafka_topic_partition_list_destroy(assigned) }
        if assigned.pointee.cnt == 0 { return }
        for index in PartitionList.elements(of: assigned).indices {
            assigned.pointee.elems[index].offset = StartOffset.latest.logical
        }
        switch rd_kafka_offsets_for_times(client.pointer, assigned, 1) {
        case RD_KAFKA_RESP_ERR_NO_ERROR, RD_KAFKA_RESP_ERR__TIMED_OUT: break
        default: wakeUp.noteFailure(now: .now)
        }
    }
}
