import Messages
import Pipeline
import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import TestSupport
import Timelines

/// The widgets topology on a cluster of its own, or under names of its own on the shared broker.
///
/// Records that are put in are written when the fixture settles, in their order; then it waits until nothing is left to
/// do, reads what was committed, and checks what holds for every record (`Rules`).
final class PipelineFixture {
    let ground: Ground
    let topics: TopicNames
    let clock: FixtureClock
    let stage: any Stage
    /// Nil on the broker.
    let memory: MemoryStage?
    var plan: ThreadPlan
    var settings: PipelineSettings
    var inputs: [InputSpec] = []
    private(set) var thread = 0
    /// Committed outputs as of the last settling.
    private(set) var outputs = Outputs()
    private var rules = Rules()

    struct Options {
        /// Of telemetry, events, configurations, and positions (as many as configurations if absent); *P* is the most.
        var partitions: [Int32] = [2, 2, 2]
        var change: (inout PipelineSettings) -> Void = { _ in }
        /// Started at once.
        var threads = 1
    }

    /// Makes a fixture, at eight in the morning, gives it to `body`, and ends it.
    static func run(
        on ground: Ground = .memory, _ options: Options = Options(), at start: String = "08:00",
        _ body: (PipelineFixture) async throws -> Void
    ) async throws {
        let fixture = try await PipelineFixture(on: ground, options, at: start)
        for _ in 0..<options.threads { try await fixture.startThread() }
        do {
            try await body(fixture)
        } catch {
            try await fixture.stage.close()
            throw error
        }
        try await fixture.stage.close()
    }

    private init(on ground: Ground, _ options: Options, at start: String) async throws {
        self.ground = ground
        let name = uniqueName("pipeline")
        topics = TopicNames(prefix: ground == .memory ? "" : name + ".")
        switch ground {
        case .memory:
            let steps = ManualClock()
            let stage = MemoryStage(steps: steps)
            self.stage = stage
            memory = stage
            let clock = FixtureClock(at(start), steps: steps)
            self.clock = clock
            stage.wall = { clock.wall() }
        case .broker:
            stage = BrokerStage(bootstrap: try await TestBroker.shared().bootstrap)
            memory = nil
            clock = FixtureClock(at(start), steps: nil)
        }
        settings = PipelineSettings(topics: topics, application: name)
        // At once, for all that is not about the governor: one transaction, one reload.
        settings.reload.coalesce = .zero
        options.change(&settings)
        var topology = Topology.widgets(settings)
        // So the form of each message is under test in memory, and the way of a thread of the program on the broker.
        topology.handsOverValues = ground == .broker
        let internalTopics = InternalTopics(applicationId: name)
        let layout = try await Self.makeTopics(topics, options.partitions, topology, internalTopics, stage)
        var stream = StreamSettings(
            applicationId: name, exchangeTopic: internalTopics.exchange, stateTopic: internalTopics.state)
        // In memory every step commits; on the broker what came together mostly is one transaction as well.
        stream.commitInterval = ground == .memory ? .zero : .milliseconds(20)
        stream.pollTimeoutMax = .milliseconds(10)
        // A slow machine is no reason to abort.
        if ground == .broker { stream.transactionTimeout = .seconds(60) }
        plan = ThreadPlan(topology: topology, settings: stream, clock: clock, layout: layout)
        memory?.afterStep = { [unowned self] in try rules.checkTransaction(memory!.committedRecords([topics.timelines]))
        }
    }

    private static func makeTopics(
        _ topics: TopicNames, _ partitions: [Int32], _ topology: Topology, _ internalTopics: InternalTopics,
        _ stage: any Stage
    ) async throws -> InternalTopics.Layout {
        let counts = [
            (topics.telemetry, partitions[0]), (topics.calendarEvents, partitions[1]),
            (topics.configurations, partitions[2]),
            (topics.positions, partitions.count > 3 ? partitions[3] : partitions[2]),
            (topics.timelines, 2), (topics.reloads, 2), (topics.positionsMerged, 2), (topics.deadLetters, 2),
        ]
        return try await stage.blocking {
            let admin = try stage.cluster.makeAdmin()
            defer { admin.close() }
            for (name, count) in counts {
                let isDeadLetters = name == topics.deadLetters
                let settings = isDeadLetters ? [NewTopic.Setting("max.message.bytes", "1114124")] : []
                try admin.createTopic(
                    NewTopic(name: name, partitions: count, settings: settings), timeout: .seconds(30))
            }
            let requests = PatientRequests(clock: SleepingClock(), shouldStop: { false })
            return try internalTopics.prepare(for: topology, with: admin, requests: requests)
        }
    }

    // MARK: - Threads

    @discardableResult
    func startThread() async throws -> Int {
        thread = try await stage.start(plan)
        return thread
    }

    /// Ends the thread in order and starts another, with nothing but what the log holds.
    func restart() async throws {
        try await stage.stop(thread)
        try await startThread()
    }

    /// The same with other declared kinds.
    func restart(declaring kinds: WidgetKind...) async throws {
        try await stage.stop(thread)
        settings.kinds = WidgetKinds(kinds)
        plan.topology = Topology.widgets(settings)
        try await startThread()
    }

    /// The same with other settings.
    func restart(_ change: (inout PipelineSettings) -> Void) async throws {
        try await stage.stop(thread)
        change(&settings)
        plan.topology = Topology.widgets(settings)
        try await startThread()
    }

    // MARK: - Time

    func advance(_ time: ElapsedTime) { clock.now = clock.now + time }

    func advance(to text: String) {
        precondition(at(text) >= clock.now, "The clock never goes back.")
        clock.now = at(text)
    }

    /// Sets the clock to another time, back as well.
    func jump(to text: String) {
        if at(text) < clock.now { rules.noteStepBack(from: clock.now, to: at(text)) }
        clock.now = at(text)
    }

    // MARK: - Settling

    func settle() async throws {
        try await stage.put(inputs)
        inputs = []
        try await stage.settle(plan)
        try await readOutputs()
    }

    /// Moves the clock and settles.
    func settle(at text: String) async throws {
        advance(to: text)
        try await settle()
    }

    /// One iteration of each thread, in memory: what was put in is written before.
    func step() throws {
        guard let memory else { throw FixtureFailure("only a cluster in memory is stepped") }
        memory.put(inputs)
        inputs = []
        try memory.step()
    }

    func readOutputs() async throws {
        outputs = try Outputs(try await stage.committedRecords(topics.outputs), topics)
        try rules.check(outputs, at: clock.now)
    }
}
