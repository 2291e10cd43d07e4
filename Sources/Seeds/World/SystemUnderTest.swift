import RecordLog
import Simulation
import SplitMix
import StreamCore

/// What runs on the simulated cluster, with the inputs that it gets and the judgement of what comes out.
protocol SystemUnderTest: AnyObject {
    var topology: Topology { get }
    /// The input topics in the order of `Draw.inputPartitions`.
    var inputTopics: [String] { get }
    /// Outputs that a reader outside reads.
    var outputTopics: [String] { get }
    /// Settings of an output that differ from the broker's.
    func settings(of topic: String) -> [NewTopic.Setting]

    /// Writes some input, at the time that the clock shows.
    func feed(_ world: World, _ random: inout SplitMix64)
    /// Writes what is still held back.
    func endFeed(_ world: World)
    /// Writes some records to one input.
    ///
    /// - Returns: the place of the last one; `nil` if there was none.
    func feed(_ topic: String, _ world: World) -> TopicPartition?
    /// Keeps what was read of a partition that is about to lose it.
    ///
    /// - Parameter isReadOn: true if somebody may read on from the position in what comes instead.
    func archive(_ place: TopicPartition, readTo next: Offset, isReadOn: Bool, _ world: World)
    /// Fills an input that was made again with all that it had.
    func refill(_ topic: String, _ world: World)
    /// A committed record of an output or the changelog, each once and in order of its partition.
    func take(_ record: Record)
    /// What was wrong with the records so far, and stays so.
    var violations: [Symptom] { get }
    /// True if nothing is missing.
    func isComplete(_ world: World) -> Bool
    /// So much of the day goes by once all has settled, before the last run: what waits for a time comes.
    var idleHours: Int64 { get }
    /// What is wrong with what stands when all has settled, before the last run.
    func judgeStanding(_ world: World) -> [Symptom]
    /// The final judgement.
    func judge(_ world: World) -> [Symptom]
    /// The topology of a last run, in which processes bring everything up to an instant at which the clock stands;
    /// `nil` if the system needs none.
    var finalTopology: Topology? { get }
    /// True if nothing is written while nothing comes in.
    var isQuietAfterwards: Bool { get }
}

/// A system whose topics stay, and for which the time of day means nothing.
extension SystemUnderTest {
    var idleHours: Int64 { 0 }
    func judgeStanding(_ world: World) -> [Symptom] { [] }
    func feed(_ topic: String, _ world: World) -> TopicPartition? { nil }
    func archive(_ place: TopicPartition, readTo next: Offset, isReadOn: Bool, _ world: World) {}
    func refill(_ topic: String, _ world: World) {}
}
