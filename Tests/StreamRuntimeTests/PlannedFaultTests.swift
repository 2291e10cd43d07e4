import Simulation
import StreamRuntime
import Testing

@Suite("Exactly once under planned faults")
struct PlannedFaultTests {
    static let kinds = Set(FaultKind.allCases.filter { $0.origin == .plan })

    @Test(
        "whatever calls, processes, groups, producers and coordinators do, each input offset is applied once",
        arguments: 1...20 as ClosedRange<UInt64>)
    func randomPlan(seed: UInt64) throws {
        let application = PlannedApplication(seed: seed, kinds: Self.kinds)
        for _ in 0..<80 { application.step() }
        let happened = application.cluster.happened.map { "\($0.kind)=\($0.count)" }.joined(separator: " ")
        let settled = application.settle(within: .seconds(180))
        let state = application.processes.map {
            "\($0.ports.name) \($0.thread.status.tasks) \($0.events.texts.suffix(4))"
        }
        #expect(settled != nil, "seed \(seed) \(happened) \(state) \(application.cluster.openTransactionDetails)")
        application.audit.expectExactlyOnce(inputs: application.inputs, "seed \(seed) \(happened)")
    }

    @Test("every kind of planned fault happens, and what follows from them")
    func plansAreRich() {
        var counts: [FaultKind: Int] = [:]
        for seed in 101...160 as ClosedRange<UInt64> {
            let application = PlannedApplication(seed: seed, kinds: Self.kinds)
            for _ in 0..<80 { application.step() }
            for (kind, count) in application.cluster.happened { counts[kind, default: 0] += count }
        }
        // No request after destroy: a thread in doubt destroys its producer an iteration later, when the call is over.
        let expected = Self.kinds.union([
            .sessionTimeout, .transactionTimeout, .concurrentTransactions, .requestAfterEpoch,
            .fencedCall, .staleOffsets, .zombie, .droppedRecords,
        ])
        #expect(expected.subtracting(counts.keys).sorted() == [], "\(counts.sorted { $0.key < $1.key })")
    }
}
