import RecordLog
import Simulation
import SplitMix
import Synchronization
import Testing

@Suite("What a checker sees")
struct WatchingTests {
    let stage = Stage()
    var cluster: MemoryCluster { stage.cluster }
    var clock: ManualClock { stage.clock }

    @Test("open transactions are listed with owner, start, partitions and offsets")
    func transactions() throws {
        let member = try Member(cluster, "m")
        member.consumer.poll()
        let producer = try stage.open("b")
        _ = try stage.open("a")
        clock.advance(by: .seconds(1))
        try producer.produce("t", 1, "x")
        try producer.sendOffset(stage.place, 3, member.consumer.groupMetadata())
        let start = clock.now.milliseconds
        clock.advance(by: .seconds(1))
        let transactions = cluster.openTransactionDetails.map(\.description)
        #expect(transactions == ["b since \(start) in [t[1]] with offsets of [t[0]]"], "an empty one is none")
    }

    @Test("the last stable offset stands still for as long as one transaction holds it")
    func standstill() throws {
        let (first, second) = (try stage.open("first"), try stage.open("second"))
        try first.produce("t", 0, "a")
        clock.advance(by: .seconds(2))
        try second.produce("t", 0, "b")
        clock.advance(by: .seconds(1))
        func stands() -> String { cluster.standstills(of: "t")[0].description }
        #expect(stands() == "t[0] for 3000 ms, at most 3000 ms, by first")
        try first.commit()
        #expect(stands() == "t[0] for 0 ms, at most 3000 ms, by second", "it has moved to the second one's record")
        clock.advance(by: .seconds(2))
        #expect(stands() == "t[0] for 2000 ms, at most 3000 ms, by second")
        try second.commit()
        clock.advance(by: .seconds(20))
        #expect(stands() == "t[0] for 0 ms, at most 3000 ms")
        #expect(cluster.standstills(of: "t")[1].longest == .zero)
    }

    @Test("a reader at the broker's side sees committed records once, in order")
    func reading() throws {
        let producer = try stage.open()
        try producer.produce("t", 0, "a")
        cluster.append("t", 0, key: "k", value: "b")
        #expect(cluster.read(stage.place, from: 0).records.isEmpty)
        try producer.commit()
        let (records, next) = cluster.read(stage.place, from: 0)
        #expect(records.map(\.offset) == [0, 1])
        #expect(next == 3)
        #expect(cluster.read(stage.place, from: next).records.isEmpty)
    }

    // MARK: - Plans

    @Test("a plan is asked about its kinds only, and what happened is listed in a fixed order")
    func kinds() throws {
        let plan = Plan([
            .order(.lostAnswer, times: 2), .order(.slowCall, .seconds(1), times: 2), .order(.unreachable),
        ])
        cluster.follow(plan, kinds: [.lostAnswer, .slowCall])
        let reader = try cluster.reader()
        for _ in 0..<3 { _ = try? reader.watermarks(of: stage.place, timeout: .seconds(5)) }
        #expect(cluster.happened.map { "\($0.kind)=\($0.count)" } == ["slow call=2", "lost answer=2"])
        #expect(plan.opportunities.allSatisfy { $0.call == .log(.watermarks) && $0.client == "reader" })
        #expect(plan.opportunities.map(\.moment).prefix(2) == [.beforeEffect, .afterEffect])
        cluster.follow(nil)
        let asked = plan.opportunities.count
        _ = try reader.watermarks(of: stage.place, timeout: .seconds(5))
        #expect(plan.opportunities.count == asked)
    }

    @Test("every kind has a name and an origin of its own")
    func names() {
        #expect(Set(FaultKind.allCases.map(\.rawValue)).count == FaultKind.allCases.count)
        #expect(FaultKind.allCases.count <= 64)
        #expect(FaultKind.allCases == FaultKind.allCases.sorted())
        #expect(FaultKind.transactionCoordinatorMove.origin == .plan)
        #expect(FaultKind.processPaused.origin == .schedule)
        #expect(FaultKind.futureInput.origin == .schedule)
        #expect(FaultKind.sessionTimeout.origin == .consequence)
    }

    @Test("healing ends what lasts")
    func heal() throws {
        let producer = try stage.open()
        try producer.produce("t", 0, "a")
        cluster.plan(.order(.groupCoordinatorMove, .seconds(99)), .order(.transactionCoordinatorMove, .seconds(99)))
        try producer.produce("t", 0, "b")
        cluster.inject(timedOut, into: .watermarks)
        cluster.delaysMarkers = true
        cluster.heal()
        #expect(cluster.timed { try producer.commit() } == "done after 0 ms")
        #expect(cluster.contents("t") == ["0/0=a", "0/1=b"])
        #expect(cluster.pendingFaults == [])
    }

    /// Draws every fault with a small probability.
    private final class Drawing: FaultPlan {
        private let random: Mutex<SplitMix64>

        init(seed: UInt64) {
            random = Mutex(SplitMix64(seed: seed))
        }

        func length(of kind: FaultKind, at opportunity: Opportunity) -> Duration? {
            random.withLock { random in
                guard Int.random(in: 0..<20, using: &random) == 0 else { return nil }
                return .milliseconds(Int.random(in: 0...3_000, using: &random))
            }
        }
    }

    /// One member of a group that copies from a topic to another, as well as it can, whatever happens.
    private func run(seed: UInt64, steps: Int) -> MemoryCluster {
        let stage = Stage()
        let cluster = stage.cluster
        cluster.createTopic("out", partitions: 3)
        cluster.follow(Drawing(seed: seed), kinds: Set(FaultKind.allCases).subtracting([.crash]))
        for n in 0..<steps {
            cluster.append("t", Partition(Int32(n % 2)), key: "k", value: "\(n)")
            let process = cluster.process("p\(n)")
            guard let producer = try? process.makeTransactionalProducer(transactionalId: "id", clientId: "c"),
                (try? producer.initialise(timeout: .seconds(2))) != nil
            else { continue }
            for round in 0..<4 {
                do throws(TransactionError) {
                    try producer.begin()
                    try producer.produce(
                        topic: "out", partition: Partition(Int32(round % 3)), key: nil, value: nil, headers: [])
                    try producer.commit(timeout: .seconds(2))
                } catch {
                    guard case .abortable = error, (try? producer.abort(timeout: .seconds(2))) != nil else { break }
                }
            }
            producer.destroy()
        }
        cluster.heal()
        stage.clock.advance(by: .seconds(60))
        return cluster
    }

    @Test("the same answers of a plan give the same run, whatever they are", arguments: 1...20 as ClosedRange<UInt64>)
    func determinism(seed: UInt64) {
        let (first, second) = (run(seed: seed, steps: 60), run(seed: seed, steps: 60))
        #expect(first.records("out") == second.records("out"))
        #expect(first.now == second.now)
        #expect(first.happened.map { $0.count } == second.happened.map { $0.count })
        #expect(first.openTransactions == [])
        #expect(first.requestsUnderWay == 0)
        #expect(first.counters.transactionsCommitted == first.records("out").count)
    }
}
