import RecordLog
import Simulation
import SplitMix
import StreamCore

/// The ledger under test: records with serial numbers go in, and every one must have left each of its traces once.
final class LedgerSystem: SystemUnderTest {
    let topology: Topology
    private let topics: LedgerTopics
    private var audit = LedgerAudit()
    private var serial: Int64 = 0

    init(state: String, _ topology: Topology) {
        self.topology = topology
        topics = LedgerTopics(state: state)
    }

    var inputTopics: [String] { [LedgerTopology.source] }
    var outputTopics: [String] { LedgerTopology.outputs + [topics.state] }
    var violations: [Symptom] { audit.violations }
    var isQuietAfterwards: Bool { true }

    func settings(of topic: String) -> [NewTopic.Setting] { [] }

    /// Keys of all tasks go into every partition in turn: many arrive where they do not belong.
    func feed(_ world: World, _ random: inout SplitMix64) {
        let partitions = world.cluster.partitionCount(of: LedgerTopology.source)
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            serial += 1
            let partition = Partition(Int32.random(in: 0..<partitions, using: &random))
            let key = "key-\(Int.random(in: 0..<7, using: &random))"
            world.cluster.append(LedgerTopology.source, partition, key: key, value: "\(serial)")
        }
    }

    func endFeed(_ world: World) {}

    var finalTopology: Topology? { nil }

    func take(_ record: Record) { audit.take(record, of: topics) }

    /// The serial numbers that still stand in the log.
    private func inputs(_ world: World) -> [Int64] {
        world.cluster.records(LedgerTopology.source).map { record in
            Int64(String(decoding: record.value ?? [], as: UTF8.self)) ?? -1
        }
    }

    func isComplete(_ world: World) -> Bool { audit.isComplete(inputs: inputs(world)) }

    func judge(_ world: World) -> [Symptom] {
        var symptoms = audit.symptoms(inputs: inputs(world))
        // Anything else may keep a process that has its tasks from reading, and of several tasks one forwards what
        // another waits for.
        let comingAndGoing: Set<Misfortune> = [.joins, .leaves, .crashes, .everybodyIsAway]
        if world.draw.partitions == 1, world.draw.callFaults.isEmpty,
            Set(world.draw.probabilities.keys).isSubset(of: comingAndGoing)
        {
            symptoms += audit.earlyRings(world.cluster.records(LedgerTopology.source))
        }
        return symptoms
    }
}
