import FaultInjection
import Foundation
import RdKafka
import RecordLog
import Synchronization

/// Reads what is committed, timelines and changelogs, as it comes: how many timelines each widget got, and the
/// transactions. A transaction of a task ends, in its changelog, with a marker.
final class StormWatch: Sendable {
    private let plan: StormPlan
    private let cluster: RdKafkaCluster
    private let probes: StormProbes
    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    private struct State {
        var counts: [UInt8: [UInt16]] = [:]
        /// Widgets that got a timeline since the last reset, by their sort.
        var reached: [UInt8: Int] = [:]
        var timelines = 0
        var commits: [Int32: [Commit]] = [:]
        var changes: [Int32: Int] = [:]
        /// The last record of each changelog.
        var last: [Int32: (offset: Offset, at: Double)] = [:]
        var isStopped = false
        var failure: String?
    }

    /// A transaction of a task.
    struct Commit {
        /// When its last record was made.
        var at: Double
        /// Changelog records.
        var changes: Int
    }

    struct Figures {
        var timelines: Int
        /// Widgets that got one timeline, and those that got more.
        var reached: Int
        var doubled: Int
        /// Of all tasks; the seconds are those since the commit before.
        var seconds: [Double]
        var changes: [Double]
    }

    init(_ plan: StormPlan, _ cluster: RdKafkaCluster, _ probes: StormProbes) {
        self.plan = plan
        self.cluster = cluster
        self.probes = probes
        reset()
    }

    // MARK: - What was seen

    /// Begins anew.
    func reset() {
        state.withLock { state in
            for (sort, count) in plan.sorts {
                state.counts[sort] = Array(repeating: 0, count: count)
                state.reached[sort] = 0
            }
            state.timelines = 0
            state.commits = [:]
        }
    }

    func reached(_ sort: UInt8) -> Int { state.withLock { $0.reached[sort] ?? 0 } }
    var timelines: Int { state.withLock { $0.timelines } }
    var failure: String? { state.withLock { $0.failure } }

    /// - Parameters:
    ///   - start: in seconds since 1970; the first transaction counts from then.
    ///   - end: transactions that were committed later do not count.
    func figures(_ sort: UInt8, from start: Double, to end: Double) -> Figures {
        state.withLock { state in
            var seconds: [Double] = []
            var changes: [Double] = []
            for (_, commits) in state.commits.sorted(by: { $0.key < $1.key }) {
                var last = start
                for commit in commits where commit.at >= start && commit.at <= end {
                    seconds.append(commit.at - last)
                    changes.append(Double(commit.changes))
                    last = commit.at
                }
            }
            let counts = state.counts[sort] ?? []
            return Figures(
                timelines: state.timelines, reached: counts.count { $0 > 0 }, doubled: counts.count { $0 > 1 },
                seconds: seconds.sorted(), changes: changes.sorted())
        }
    }

    // MARK: - Reading

    func start() {
        Thread { [self] in
            do { try read() } catch { state.withLock { $0.failure = "\(error)" } }
            ended.signal()
        }.start()
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        ended.wait()
    }

    private func read() throws {
        let consumer = try cluster.makeConsumer(group: nil, isolation: .readCommitted, clientId: "storm-watch")
        defer { consumer.close() }
        let changelog = StormPlan.application + ".state"
        let partitions = ["timelines", changelog].flatMap { topic in
            (0..<Partition(plan.partitions)).map { TopicPartition(topic, $0) }
        }
        try consumer.incrementalAssign(partitions.map { ($0, .earliest) })
        while !state.withLock({ $0.isStopped }) {
            let batch = consumer.poll(maximum: 10_000, timeout: .milliseconds(100))
            if let failure = batch.failures.first(where: { $0.code == .fatal }) { throw failure }
            let topics = consumer.topics
            state.withLock { state in
                for record in batch.records {
                    let isChange = topics[Int(record.topic)] == changelog
                    if isChange { note(change: record, &state) } else { note(timeline: record, &state) }
                }
            }
            for record in batch.records where topics[Int(record.topic)] != changelog {
                if record.key?.first == UInt8(ascii: "p"), let value = record.value { probes.note(value) }
            }
        }
    }

    /// Between two transactions the marker of the first one has an offset, and is no record.
    private func note(change record: RecordView, _ state: inout State) {
        let partition = record.partition.rawValue
        if let last = state.last[partition], record.offset > last.offset.next {
            state.commits[partition, default: []].append(
                Commit(at: last.at, changes: state.changes[partition] ?? 0))
            state.changes[partition] = 0
        }
        state.changes[partition, default: 0] += 1
        state.last[partition] = (record.offset, Double(record.timestamp.milliseconds) / 1000)
    }

    private func note(timeline record: RecordView, _ state: inout State) {
        guard let key = record.key, let sort = key.first,
            let number = Int(String(decoding: key.dropFirst(), as: UTF8.self))
        else { return }
        state.timelines += 1
        if state.counts[sort]?[number] == 0 { state.reached[sort, default: 0] += 1 }
        state.counts[sort]?[number] += 1
    }
}
