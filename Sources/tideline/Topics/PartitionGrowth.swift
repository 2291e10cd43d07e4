import Diagnosis
import Messages
import RecordLog

/// An input that is to have more partitions.
///
/// Inputs alone may: tasks share out whatever partitions an input has, and look for new ones every 30 s. The partitions
/// of the internal topics are the tasks, which `repartition` changes; those of an output are where its readers look for
/// a key.
struct PartitionGrowth {
    var topic: String
    var from: Int32
    var to: Int32
    /// True if the topic keeps the newest record of each key.
    var isCompacted: Bool

    /// The inputs that are there and have fewer partitions than are wished, in the order of the contract.
    static func of(
        _ inputs: [String], to wanted: Int32, _ found: [String: TopicDescription]
    ) -> [PartitionGrowth] {
        inputs.compactMap { found[$0] }.filter { $0.partitions < wanted }.map { topic in
            PartitionGrowth(
                topic: topic.name, from: topic.partitions, to: wanted,
                isCompacted: topic.settings["cleanup.policy"]?.contains("compact") == true)
        }
    }

    /// What changes, and what comes of it.
    var lines: [String] {
        ["\(topic): \(from.counted("partition")), \(to) are wished"]
            + [consequence].compactMap { $0 }
            .map { "\(topic): \($0)" }
    }

    /// What whoever agrees has to know; `nil` if that is nothing.
    private var consequence: String? {
        guard isCompacted else { return nil }
        return "producers write a key that is there to another partition from then on, and its older record stays; who"
            + " reads all from the beginning, as after a reset, may read that one last"
    }

    /// - Parameter outcome: `differs` before partitions are added, `changed` afterwards.
    func json(_ outcome: String) -> String {
        JSONWriter.object { json in
            json.string("topic", topic)
            json.string("outcome", outcome)
            json.string("setting", "partitions")
            json.string("value", String(from))
            json.string("wanted", String(to))
            if let consequence { json.string("consequence", consequence) }
        }
    }
}
