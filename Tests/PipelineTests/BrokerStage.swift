import Foundation
import RdKafka
import RecordLog
import StreamRuntime
import Synchronization
import Testing

/// Threads on a real broker, each on an OS thread of its own that runs it until it is stopped. All other calls to the
/// broker are made on one queue: none blocks Swift's pool.
final class BrokerStage: Stage {
    let kafka: RdKafkaCluster
    let events = StreamEvents()
    private let queue = DispatchQueue(label: "pipeline-fixture")
    private var threads: [Int: DrivenThread] = [:]
    private var started = 0
    private var tools: Tools?

    /// What is made at the first use and kept.
    private struct Tools {
        var producer: any PlainProducer
        var reader: any Consumer
        var assigned: Set<TopicPartition> = []
        var ends: [TopicPartition: Offset] = [:]
        var records: [Record] = []
    }

    init(bootstrap: String) {
        // As the program does: what is allowed is the topics' business.
        let bytesMax = String(InternalTopics.recordBytesMax + 65536)
        kafka = RdKafkaCluster(
            RdKafkaSettings(
                bootstrapServers: bootstrap,
                properties: ["message.max.bytes": bytesMax, "transaction.timeout.ms": "60000"]))
    }

    var cluster: any Cluster { kafka }

    func put(_ records: [InputSpec]) async throws {
        let threads = running
        try await blocking { [self] in
            // A poll that is under way belongs to an iteration that read the clock before it was moved.
            for thread in threads { thread.await(iterations: 2) }
            let producer = try openTools().producer
            for record in records {
                try produce(record, producer)
            }
            try producer.flush(timeout: .seconds(120))
        }
    }

    private func produce(_ record: InputSpec, _ producer: any PlainProducer) throws {
        let key = record.key ?? []
        let value = record.value ?? []
        try key.withUnsafeBytes { key in
            try value.withUnsafeBytes { value in
                try producer.produce(
                    topic: record.topic, partition: record.partition, key: record.key == nil ? nil : key,
                    value: record.value == nil ? nil : value, headers: record.headers)
            }
        }
    }

    func start(_ plan: ThreadPlan) async throws -> Int {
        started += 1
        threads[started] = DrivenThread(started, plan, on: kafka, events)
        return started
    }

    private var running: [DrivenThread] { threads.sorted { $0.key < $1.key }.map(\.value) }

    func stop(_ number: Int) async throws {
        guard let thread = threads.removeValue(forKey: number) else { throw FixtureFailure("no thread \(number)") }
        try await blocking { thread.stop() }
    }

    func settle(_ plan: ThreadPlan) async throws {
        let threads = running
        try await blocking { [self] in
            let group = try kafka.makeConsumer(
                group: plan.settings.applicationId, isolation: .readCommitted, clientId: "settle")
            let watch = try CaughtUpWatch(
                admin: kafka.makeAdmin(), group: group, inputs: plan.inputs, exchange: plan.exchange,
                timeout: .seconds(60))
            defer { watch.close() }
            for thread in threads { thread.await(iterations: 2) }
            let deadline = ContinuousClock.now + .seconds(180)
            while ContinuousClock.now < deadline {
                if let failure = threads.lazy.compactMap(\.failure).first { throw failure }
                let before = events.now.commits
                for thread in threads { thread.await(iterations: 3) }
                if threads.reduce(0, { $0 + $1.runningTasks }) != Int(plan.layout.partitions) { continue }
                if try watch.isCaughtUp(), events.now.commits == before, try watch.isCaughtUp() { return }
            }
            throw FixtureFailure("not quiet after three minutes: \(events.now)")
        }
    }

    func committedRecords(_ topics: [String]) async throws -> [Record] {
        try await blocking { [self] in
            _ = try openTools()
            try assign(topics)
            try readToEnds()
            return tools!.records.filter { topics.contains($0.topic) }
                .sorted { ($0.topic, $0.partition, $0.offset) < ($1.topic, $1.partition, $1.offset) }
        }
    }

    private func assign(_ topics: [String]) throws {
        let admin = try kafka.makeAdmin()
        defer { admin.close() }
        let new = try admin.describeTopics(topics, timeout: .seconds(60)).values.flatMap { topic in
            (0..<Partition(topic.partitions)).map { TopicPartition(topic.name, $0) }
        }
        .filter { !tools!.assigned.contains($0) }
        try tools!.reader.incrementalAssign(new.sorted().map { ($0, .earliest) })
        tools!.assigned.formUnion(new)
    }

    private func readToEnds() throws {
        var missing: Set<TopicPartition> = []
        var targets: [TopicPartition: Offset] = [:]
        for place in tools!.assigned {
            let end = try tools!.reader.watermarks(of: place, timeout: .seconds(60)).high
            targets[place] = end
            if tools!.ends[place] ?? 0 < end { missing.insert(place) }
        }
        let deadline = ContinuousClock.now + .seconds(180)
        while !missing.isEmpty && ContinuousClock.now < deadline {
            let batch = tools!.reader.poll(maximum: 10_000, timeout: .milliseconds(50))
            for view in batch.records {
                let record = Record(
                    topic: tools!.reader.topics[Int(view.topic)], partition: view.partition,
                    offset: view.offset, timestamp: view.timestamp, key: view.key.map { Array($0) },
                    value: view.value.map { Array($0) }, headers: batch.headers(of: view))
                tools!.records.append(record)
            }
            for end in batch.ends {
                let place = TopicPartition(tools!.reader.topics[Int(end.topic)], end.partition)
                tools!.ends[place] = end.offset
                if end.offset >= targets[place] ?? 0 { missing.remove(place) }
            }
        }
        if !missing.isEmpty { throw FixtureFailure("ends not reached: \(missing.sorted())") }
    }

    func close() async throws {
        let threads = running
        self.threads = [:]
        try await blocking { [self] in
            for thread in threads { thread.stop() }
            tools?.producer.close()
            tools?.reader.close()
            tools = nil
        }
    }

    private func openTools() throws -> Tools {
        if let tools { return tools }
        let made = Tools(
            producer: try kafka.makePlainProducer(clientId: "fixture"),
            reader: try kafka.makeConsumer(group: nil, isolation: .readCommitted, clientId: "fixture-reader"))
        tools = made
        return made
    }

    func blocking<Result>(_ body: @escaping () throws -> Result) async throws -> Result {
        // Who calls waits until the queue has run it: it is never in two places at once.
        nonisolated(unsafe) let body = body
        nonisolated(unsafe) var result: Result?
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            queue.async {
                do {
                    result = try body()
                    done.resume()
                } catch {
                    done.resume(throwing: error)
                }
            }
        }
        return result!
    }
}

/// A stream thread on its OS thread.
final class DrivenThread: Sendable {
    private struct State {
        var iterations = 0
        var runningTasks = 0
        var failure: StreamFailure?
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let isStopping = Atomic<Bool>(false)

    init(_ number: Int, _ plan: ThreadPlan, on cluster: RdKafkaCluster, _ events: StreamEvents) {
        let thread = Thread { [self] in
            run(number, plan, cluster, events)
            state.withLock { $0.hasEnded = true }
        }
        thread.stackSize = 8 << 20
        thread.start()
    }

    private func run(_ number: Int, _ plan: ThreadPlan, _ cluster: RdKafkaCluster, _ events: StreamEvents) {
        do throws(LogError) {
            let thread = try plan.makeThread(number, on: cluster, events)
            do throws(StreamFailure) {
                try thread.start()
                while !isStopping.load(ordering: .relaxed) {
                    try thread.runOnce()
                    let running = thread.status.tasks.count { $0.state == .running && $0.firesTimers }
                    state.withLock { state in
                        state.iterations += 1
                        state.runningTasks = running
                    }
                }
            } catch {
                state.withLock { $0.failure = error }
            }
            thread.close()
        } catch {
            state.withLock { $0.failure = StreamFailure("cannot start: \(error)") }
        }
    }

    var runningTasks: Int { state.withLock { $0.runningTasks } }

    var failure: StreamFailure? { state.withLock { $0.failure } }

    /// Waits for so many whole iterations, or the thread's end.
    func await(iterations: Int) {
        let target = state.withLock { $0.iterations } + iterations
        while !state.withLock({ $0.hasEnded || $0.iterations >= target }) { pause(.milliseconds(2)) }
    }

    func stop() {
        isStopping.store(true, ordering: .relaxed)
        while !state.withLock({ $0.hasEnded }) { pause(.milliseconds(2)) }
    }
}
