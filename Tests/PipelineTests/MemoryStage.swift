import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import Testing

/// Threads on a cluster in memory, stepped one after the other: the same calls give the same results.
final class MemoryStage: Stage {
    let memory: MemoryCluster
    let steps: ManualClock
    let events = StreamEvents()
    /// Called after each step of a thread.
    var afterStep: () throws -> Void = {}
    /// What producers' clocks say.
    var wall: () -> Instant = { .noTimestamp }
    private(set) var threads: [Int: StreamThread] = [:]
    private var started = 0

    /// For deadlines: a transaction's time-out is five hundred steps.
    static let stepTime: Duration = .milliseconds(20)
    /// A settling that needs more rounds than this goes round for ever.
    private static let roundsMax = 5_000
    /// So many rounds without a commit are quiet: a rebalance takes a few.
    private static let quietRounds = 6

    init(steps: ManualClock) {
        self.steps = steps
        memory = MemoryCluster(clock: steps)
    }

    var cluster: any Cluster { memory }

    func put(_ records: [InputSpec]) { for record in records { put(record) } }

    /// Of all threads that still run.
    var counters: TaskCounters {
        threads.values.reduce(into: TaskCounters()) { $0.add($1.status.counters) }
    }

    func put(_ record: InputSpec) {
        let count = memory.partitionCount(of: record.topic)
        let byKey = record.key.map { key in key.withUnsafeBytes { Murmur2.partition(of: $0, partitions: count) } }
        memory.append(
            record.topic, record.partition ?? byKey ?? 0, key: record.key, value: record.value, headers: record.headers,
            timestamp: record.timestamp ?? wall())
    }

    func start(_ plan: ThreadPlan) throws -> Int {
        started += 1
        let thread = try plan.makeThread(started, on: memory, events)
        try thread.start()
        threads[started] = thread
        return started
    }

    func stop(_ number: Int) throws {
        guard let thread = threads.removeValue(forKey: number) else { throw FixtureFailure("no thread \(number)") }
        thread.close()
        steps.advance(by: Self.stepTime)
    }

    /// The thread's process dies: it says nothing to anybody, and the group finds out.
    func crash(_ number: Int, _ plan: ThreadPlan) {
        precondition(threads.removeValue(forKey: number) != nil)
        memory.expel(clientId: "\(plan.settings.applicationId)-thread-\(number)")
    }

    func settle(_ plan: ThreadPlan) throws {
        var quiet = 0
        for _ in 0..<Self.roundsMax {
            let before = events.now
            try step()
            let isAssigned = threads.values.reduce(0) { $0 + running($1.status) } == Int(plan.layout.partitions)
            let isQuiet = events.now.commits == before.commits && events.now.aborts == before.aborts
            quiet = isAssigned && isQuiet ? quiet + 1 : 0
            if quiet == Self.quietRounds { return }
        }
        throw FixtureFailure("not quiet after \(Self.roundsMax) rounds: \(events.now)")
    }

    /// One iteration of each thread.
    func step() throws {
        for (_, thread) in threads.sorted(by: { $0.key < $1.key }) {
            try thread.runOnce()
            try afterStep()
        }
        steps.advance(by: Self.stepTime)
    }

    func committedRecords(_ topics: [String]) -> [Record] { topics.flatMap { memory.records($0) } }

    func blocking<Result>(_ body: @escaping () throws -> Result) throws -> Result { try body() }

    func close() { for (_, thread) in threads.sorted(by: { $0.key < $1.key }) { thread.close() } }

    private func running(_ status: StreamStatus) -> Int {
        status.tasks.count { $0.state == .running && $0.firesTimers }
    }
}
