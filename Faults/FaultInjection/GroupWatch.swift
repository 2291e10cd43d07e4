import Foundation
import RdKafka
import RecordLog
import Synchronization

/// Looks at the group and at the outputs twice a second: what is not yet committed, how soon that is so after each
/// fault, and how long readers of committed records stood still.
package final class GroupWatch: Sendable {
    package struct Figures: Sendable {
        /// Records of all inputs and of the exchange that are not committed yet; nil before the first answer.
        package var lag: Int64?
        package var samples = 0
        package var failedSamples = 0
        package var lastFailure: String?
        /// The longest time for which the last stable offset of a partition of the output stood below its high
        /// watermark without moving: apart from outages of brokers, and with them.
        package var standStill = 0.0
        package var standStillInOutages = 0.0
        /// For so long in all readers were judged: apart from outages of brokers, and from what follows on them.
        package var judgedSeconds = 0.0
        /// Those that were longer than a session, in the order in which they began.
        package var longStandStills: [StandStill] = []
        /// From a fault until all is committed that was in the inputs a second after it.
        package var recoveries: [(kind: FaultKind, seconds: Double)] = []
        package var unrecovered = 0

        /// One that goes on replaces what was noted of it.
        fileprivate mutating func note(_ stand: StandStill, isLong: Bool) {
            standStillInOutages = max(standStillInOutages, stand.seconds)
            standStill = max(standStill, stand.judgedSeconds)
            guard isLong else { return }
            let same = longStandStills.lastIndex { $0.partition == stand.partition && $0.began == stand.began }
            if let same {
                longStandStills[same].ended = stand.ended
                longStandStills[same].judgedUntil = stand.judgedUntil ?? longStandStills[same].judgedUntil
            } else {
                longStandStills.append(stand)
            }
        }
    }

    private struct State {
        var figures = Figures()
        var pending: [Pending] = []
        var waits = 0
        var outages = 0
        var lastOutage = -Double.infinity
        var isStopped = false
        var lastSample: Double?
        var stands: [TopicPartition: (offset: Offset, since: Double)] = [:]
    }

    private struct Pending {
        /// Nil of what is waited for by `waitUntilCaughtUp`.
        var kind: FaultKind?
        var number = 0
        var since: Double
        var ends: [TopicPartition: Offset]?
    }

    private let cluster: RdKafkaCluster
    private let group: String
    private let inputs: [String]
    private let exchange: String
    private let output: String
    private let partitions: Int32
    /// How long after an outage of brokers readers may still stand still because of it.
    private let grace: Double
    private let session: Double
    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    package init(
        bootstrap: String, group: String, inputs: [String], output: String, partitions: Int, session: Double,
        grace: Double
    ) {
        cluster = RdKafkaCluster(RdKafkaSettings(bootstrapServers: bootstrap))
        self.group = group
        self.inputs = inputs
        exchange = group + ".exchange"
        self.output = output
        self.partitions = Int32(partitions)
        self.grace = grace
        self.session = session
    }

    package var figures: Figures {
        state.withLock { state in
            var figures = state.figures
            figures.unrecovered = state.pending.count
            return figures
        }
    }

    package func start() {
        Thread { [self] in
            var handles: Handles?
            while !state.withLock({ $0.isStopped }) {
                let began = monotonicSeconds()
                do {
                    if handles == nil { handles = try Handles(cluster, group: group) }
                    if let handles { note(try sample(handles)) }
                } catch {
                    // A handle of librdkafka 2.0.2 that knows no topic asks a former leader for many minutes.
                    handles?.close()
                    handles = nil
                    state.withLock { state in
                        state.figures.failedSamples += 1
                        state.figures.lastFailure = "\(error)"
                    }
                }
                Thread.sleep(forTimeInterval: max(0.05, began + 0.5 - monotonicSeconds()))
            }
            handles?.close()
            ended.signal()
        }.start()
    }

    package func stop() {
        state.withLock { $0.isStopped = true }
        ended.wait()
    }

    // MARK: - Faults

    package func noteFault(_ kind: FaultKind) {
        state.withLock { $0.pending.append(Pending(kind: kind, since: monotonicSeconds())) }
    }

    /// Waits until all is committed that is in the inputs a second from now.
    ///
    /// - Returns: false where it is not within so many seconds.
    package func waitUntilCaughtUp(within seconds: Double) -> Bool {
        let number = state.withLock { state in
            state.waits += 1
            state.pending.append(Pending(kind: nil, number: state.waits, since: monotonicSeconds()))
            return state.waits
        }
        defer { state.withLock { $0.pending.removeAll { $0.kind == nil && $0.number == number } } }
        return wait(atMost: seconds) {
            !state.withLock { $0.pending.contains { $0.kind == nil && $0.number == number } }
        }
    }

    /// Between these two readers may stand still because no broker answers them.
    package func outageBegins() { state.withLock { $0.outages += 1 } }

    package func outageEnds() {
        state.withLock { state in
            state.outages -= 1
            state.lastOutage = monotonicSeconds()
        }
    }

    // MARK: - Samples

    private struct Handles {
        let admin: any Admin
        let reader: any Consumer

        init(_ cluster: RdKafkaCluster, group: String) throws(LogError) {
            admin = try cluster.makeAdmin()
            // An unstable answer is better here than to wait for a stable one.
            reader = try cluster.makeConsumer(group: group, isolation: .readUncommitted, clientId: "chaos-watch")
        }

        func close() {
            reader.close()
            admin.close()
        }
    }

    private struct Sample {
        var committed: [TopicPartition: CommittedOffset]
        var ends: [TopicPartition: Offset]
        var stable: [TopicPartition: Offset]
        var high: [TopicPartition: Offset]
    }

    private func sample(_ handles: Handles) throws(LogError) -> Sample {
        let inputs = inputs.flatMap(allPartitions)
        let timeout = Duration.seconds(3)
        let committed = try handles.reader.committed(inputs + allPartitions(exchange), timeout: timeout)
        let ends = try handles.admin.endOffsets(
            of: inputs + allPartitions(exchange), isolation: .readCommitted, timeout: timeout)
        // The stable end first: a transaction that ends in between must not look like one that is open.
        let outputs = allPartitions(output)
        let stable = try handles.admin.endOffsets(of: outputs, isolation: .readCommitted, timeout: timeout)
        let high = try handles.admin.endOffsets(of: outputs, isolation: .readUncommitted, timeout: timeout)
        return Sample(committed: committed, ends: ends, stable: stable, high: high)
    }

    private func allPartitions(_ topic: String) -> [TopicPartition] {
        (0..<Partition(partitions)).map { TopicPartition(topic, $0) }
    }

    private func note(_ sample: Sample) {
        let now = monotonicSeconds()
        state.withLock { state in
            state.figures.samples += 1
            state.figures.lastFailure = nil
            state.figures.lag = sample.ends.reduce(0) { lag, end in
                lag + max(0, end.value.rawValue - (sample.committed[end.key]?.next.rawValue ?? 0))
            }
            let isOutage = state.outages > 0 || now - state.lastOutage < grace
            if !isOutage, let last = state.lastSample { state.figures.judgedSeconds += now - last }
            state.lastSample = isOutage ? nil : now
            for (partition, high) in sample.high.sorted(by: { $0.key < $1.key }) {
                guard let stable = sample.stable[partition] else { continue }
                guard let before = state.stands[partition], stable < high, stable == before.offset else {
                    state.stands[partition] = (stable, now)
                    continue
                }
                let stand = StandStill(
                    "\(partition)", began: before.since, ended: now, judgedUntil: isOutage ? nil : now)
                state.figures.note(stand, isLong: stand.seconds > session)
            }
            noteRecoveries(sample, now, &state)
        }
    }

    private func noteRecoveries(_ sample: Sample, _ now: Double, _ state: inout State) {
        for index in state.pending.indices where state.pending[index].ends == nil {
            if now - state.pending[index].since >= 1 { state.pending[index].ends = sample.ends }
        }
        state.pending.removeAll { pending in
            guard let ends = pending.ends else { return false }
            let isDone = ends.allSatisfy { (sample.committed[$0.key]?.next.rawValue ?? 0) >= $0.value.rawValue }
            if isDone, let kind = pending.kind { state.figures.recoveries.append((kind, now - pending.since)) }
            return isDone
        }
    }
}
