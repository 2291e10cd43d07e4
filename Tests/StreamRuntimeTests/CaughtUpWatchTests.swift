import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import Testing

@Suite("Seeing that a group has read all there was")
struct CaughtUpWatchTests {
    private func watch(_ application: SimulatedApplication) throws -> CaughtUpWatch {
        let counts = application.cluster.partitionCount(of: LedgerTopology.source)
        let group = try application.cluster.makeConsumer(group: "app", isolation: .readCommitted, clientId: "watch")
        return try CaughtUpWatch(
            admin: try application.cluster.makeAdmin(), group: group,
            inputs: (0..<Partition(counts)).map { TopicPartition(LedgerTopology.source, $0) },
            exchange: (0..<Partition(application.partitions)).map { TopicPartition("app.exchange", $0) }, timeout: .zero
        )
    }

    @Test("it says so when every input and all that followed from it is committed, and not before")
    func caughtUp() throws {
        let application = SimulatedApplication()
        application.append(100)
        let watch = try watch(application)
        #expect(try !watch.isCaughtUp(), "nobody has read anything")
        let members = try [application.join("a"), application.join("b")]
        var isCaughtUp = false
        let inputs = application.inputs
        for _ in 0..<200 where !isCaughtUp {
            try application.round()
            isCaughtUp = try watch.isCaughtUp()
            if isCaughtUp { #expect(application.audit.isComplete(inputs: inputs)) }
        }
        #expect(isCaughtUp)
        #expect(application.cluster.records("app.exchange").count > 0, "the exchange was not used")
        #expect(members.allSatisfy { $0.events.has("committed") })
        watch.close()
    }

    @Test("it needs to see it twice with the same exchange, for a message may be on its way")
    func twice() throws {
        let application = SimulatedApplication()
        application.append(10)
        try application.join("a")
        try application.expectExactlyOnce()
        let watch = try watch(application)
        #expect(try !watch.isCaughtUp())
        application.cluster.append("app.exchange", 0, key: nil as [UInt8]?, value: nil)
        try application.run(rounds: 20)
        #expect(try !watch.isCaughtUp())
        #expect(try watch.isCaughtUp())
    }

    @Test("what is in doubt at the start is waited for; what comes later is not")
    func targets() throws {
        let application = SimulatedApplication()
        try application.join("a")
        application.append(10)
        try application.expectExactlyOnce()
        let producer = try application.cluster.makeTransactionalProducer(transactionalId: "input", clientId: "input")
        try producer.initialise(timeout: .zero)
        try producer.begin()
        try producer.produce(topic: LedgerTopology.source, partition: 0, key: nil, value: nil, headers: [])
        let watch = try watch(application)
        #expect(watch.targets[TopicPartition(LedgerTopology.source, 0)] == Offset(6))
        for _ in 0..<20 {
            try application.round()
            #expect(try !watch.isCaughtUp())
        }
        try producer.commit(timeout: .zero)
        try application.run(rounds: 20)
        application.append(10)
        _ = try watch.isCaughtUp()
        #expect(try watch.isCaughtUp(), "the ten records came after the start")
    }

    @Test("an open transaction of the group is no answer yet, and no failure")
    func openTransaction() throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        application.append(10)
        let watch = try watch(application)
        try application.run(until: { member.events.has("committed") })
        application.cluster.delaysMarkers = true
        try application.run(until: { !application.cluster.openTransactions.isEmpty })
        #expect(try !watch.isCaughtUp())
        application.cluster.delaysMarkers = false
        try application.expectExactlyOnce()
        _ = try watch.isCaughtUp()
        #expect(try watch.isCaughtUp())
    }

    @Test("a coordinator that is starting is no answer yet, and no failure")
    func startingCoordinator() throws {
        let application = SimulatedApplication()
        try application.join("a")
        application.append(10)
        try application.expectExactlyOnce()
        let watch = try watch(application)
        let starting = LogError(.other, name: "NOT_COORDINATOR", "starting", isRetriable: true)
        let fault = application.cluster.inject(starting, into: .committed, client: "watch")
        #expect(try !watch.isCaughtUp())
        #expect(application.cluster.timesFired(fault) == 1)
        _ = try watch.isCaughtUp()
        #expect(try watch.isCaughtUp())
    }

    @Test("another failure is told")
    func failure() throws {
        let application = SimulatedApplication()
        let watch = try watch(application)
        application.cluster.inject(broken, into: .committed, client: "watch")
        #expect(throws: broken) { try watch.isCaughtUp() }
        application.cluster.inject(broken, into: .endOffsets)
        #expect(throws: broken) { try watch.isCaughtUp() }
    }

    @Test("members bring up what they publish when they have read all targets, before that commit")
    func bringUp() throws {
        let application = SimulatedApplication(partitions: 1, topology: BringUpProcessor.topology)
        for _ in 0..<5 { application.cluster.append("a.in", 0, key: "k", value: nil) }
        application.settings.pollMaximum = 2
        application.settings.commitInterval = .milliseconds(1)
        try application.join("a", targets: [TopicPartition("a.in", 0): Offset(5)])
        try application.run(rounds: 40)
        let values = application.cluster.records("brought").map { String(decoding: $0.value ?? [], as: UTF8.self) }
        #expect(values == ["5"], "once, and with all that was read")
    }
}

/// Emits how many records it has read when it is told to bring up, once for each number.
private final class BringUpProcessor: RecordProcessor, CatchUpProcessor {
    static let node = NodeName<Never>(0, "bring up")

    static let topology = Topology(
        sources: [.init(topic: "a.in", to: node)],
        nodes: [.init(node, writes: [OutputName(0)]) { BringUpProcessor() }], outputs: ["brought"])

    private let counts = StateStore(StoreName<Counter>(1, "counts"))
    private var emitted: Int64 = -1

    var stores: [any ChangelogStore] { [counts] }

    func process(_ record: InputRecord, _ context: TaskContext) {
        let slot = counts.slot(of: "all")
        counts[slot] = Counter((counts[slot]?.value ?? 0) + 1)
    }

    func bringUp(_ context: TaskContext) {
        guard let count = counts.find("all").flatMap({ counts[$0]?.value }), count != emitted else { return }
        emitted = count
        Array("\(count)".utf8).withUnsafeBytes { context.emit(OutputName(0), key: nil, value: $0, headers: []) }
    }
}
