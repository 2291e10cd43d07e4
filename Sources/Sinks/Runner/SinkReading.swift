package import RecordLog
import Tracing

/// How a run reads its topic.
package struct SinkReading: Hashable, Sendable {
    package var topic: String
    package var clientId: String
    /// True ends the run when everything is done that the topic held at the start, open transactions included.
    package var untilCaughtUp = false
    /// True if positions of another cluster's topics are gone on with, as far as the records before them are the same;
    /// false if they are refused.
    package var acceptsMovedCluster = false
    /// The digest of the choice by which the run takes records (`SinkChoice.digest`): partitions whose positions have
    /// another one are read from their beginning. `nil` compares nothing.
    package var choice: Int64?
    /// True if the run reads all that there is, wherever the kept positions are.
    package var readsAll = false
    /// True if its target has been waited for, so that the run counts as one that goes on: no outage of the brokers
    /// ends its start.
    package var hasWaited = false
    /// The most records that are read in one round, 1 or more.
    package var batchMaximum = 2000
    package var pollTimeout = Duration.milliseconds(200)
    /// How often new partitions are looked for: nobody announces them (R9).
    package var partitionInterval = Duration.seconds(30)
    /// How often the records before the positions are compared with what was read, and a topic that was made anew is
    /// noticed by it.
    package var comparisonInterval = Duration.seconds(30)
    /// How often the ends are asked for, to tell the lag; `nil` never asks.
    package var lagInterval: Duration?
    /// The time-out of one attempt of a request to the brokers: a stop is seen, and progress told, between attempts.
    package var requestTimeout = Duration.seconds(2)
    /// How long requests are repeated that the run cannot begin without. Others are made again when they are next due,
    /// and once the run goes on there is no end to their repetition.
    package var requestPatience = Duration.seconds(30)

    package init(topic: String, clientId: String) {
        self.topic = topic
        self.clientId = clientId
    }
}

/// What a run does while its target is waited for.
final class WaitingHook {
    var call: () -> Void = {}
}

/// The surroundings that all parts of a run share.
struct SinkContext<Notice> {
    let reading: SinkReading
    let cluster: any Cluster
    let admin: any Admin
    let clock: any BlockingClock
    /// Asked at every round, and at least every few seconds while something is waited for.
    let shouldStop: () -> Bool
    /// Called with everything that an operator should know.
    let notice: (Notice) -> Void
    /// Called now and then while a target is waited for: what is told of the run goes on.
    let waiting = WaitingHook()
    /// How short memory is.
    let memory: any MemoryState
    /// Takes spans; `nil` if nobody traces.
    let tracer: Tracer?
    /// The spans of a round.
    let trace: WorkTrace?

    init(
        _ reading: SinkReading, cluster: any Cluster, admin: any Admin, clock: any BlockingClock,
        shouldStop: @escaping () -> Bool, notice: @escaping (Notice) -> Void,
        memory: any MemoryState = AmpleMemory(), tracer: Tracer? = nil
    ) {
        self.reading = reading
        self.cluster = cluster
        self.admin = admin
        self.clock = clock
        self.shouldStop = shouldStop
        self.notice = notice
        self.memory = memory
        self.tracer = tracer
        trace = tracer.map { WorkTrace($0, "round", [SpanNames.clientID: .string(reading.clientId)]) }
    }

    /// The same surroundings, for a part that tells other things.
    func telling<Other>(_ notice: @escaping (Other) -> Void) -> SinkContext<Other> {
        SinkContext<Other>(
            reading, cluster: cluster, admin: admin, clock: clock, shouldStop: shouldStop, notice: notice,
            memory: memory)
    }

    /// A number of records that are held at once, or a tenth of it while memory is short.
    func fitting(_ maximum: Int) -> Int { memory.isShort ? max(1, maximum / 10) : maximum }

    var requests: PatientRequests {
        PatientRequests(
            attempt: reading.requestTimeout, patience: reading.requestPatience, clock: clock, shouldStop: shouldStop)
    }

    func makeReader(of topic: String) throws(LogError) -> TopicReader {
        try TopicReader(
            topic, cluster: cluster, admin: admin, clientId: reading.clientId, requests: requests, memory: memory)
    }
}

/// How far a partition was read when its end was asked for.
package struct SinkReadPlace: Hashable, Sendable {
    /// The read_uncommitted end.
    package var end: Offset
    /// The offset to read next, past any transaction markers.
    package var next: Offset
    /// The time of the last record below `next`, as the record says it; `nil` if no such record is known.
    package var lastTimestamp: Instant?

    package init(end: Offset, next: Offset, lastTimestamp: Instant? = nil) {
        self.end = end
        self.next = next
        self.lastTimestamp = lastTimestamp
    }
}

/// How far a run is.
package struct SinkProgress<Summary> {
    package var summary: Summary
    /// The part from 0 to 1 that is read of what `untilCaughtUp` asks for; `nil` without it.
    package var fractionDone: Double?
    /// The records that are still to be read, as of the last answer; `nil` if nobody asked, or none came, or the target
    /// has not said yet where reading begins.
    package var lag: Int64?
    /// The partitions at the last answer about the ends; empty where `lag` is `nil`.
    package var places: [Partition: SinkReadPlace] = [:]
    /// The number of answers so far: where it has grown, `places` are new.
    package var looks = 0
    /// How long the first record that might be sent has waited for its turn; zero where none waits for that, and of
    /// sinks that keep what they write.
    package var turnWait = Duration.zero
    /// The servers that take nothing at present while records wait for them, ascending by name; none of sinks that keep
    /// what they write.
    package var hostsAway: [HostAway] = []
    /// The records that were read and wait to be written, sent or set aside.
    package var unsettled = 0
    /// Everything below them is written, sent or set aside.
    package var positions: [Partition: SinkPosition] = [:]
    package var written: SinkStatus.Written?
    /// True once the topic is read; before that the target, or the brokers, are waited for.
    package var hasBegun = false
}
