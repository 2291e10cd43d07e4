import Diagnosis
import Messages
import RecordLog
import StreamRuntime

/// The topics as they are created, with their cleanup policies (M2).
struct TopicPlan {
    var topics: TopicNames
    var partitions: Int32
    var replication: Int32?

    /// The most bytes of a record that a broker takes if the topic does not say it.
    private static let defaultRecordBytesMax = 1_048_588

    /// Creates the topics that are missing.
    ///
    /// - Returns: for each topic that it was created, exists, or exists and differs.
    func carryOut(with admin: any Admin) throws(LogError) -> [TopicOutcome] {
        let names = topics.inputs + topics.outputs
        let found = try admin.describeTopics(names, timeout: .seconds(30))
        let deadLetterBytes = deadLetterBytes(found)
        var outcomes: [TopicOutcome] = []
        for name in names {
            let wanted = topic(name, deadLetterBytes: deadLetterBytes)
            if let there = found[name] {
                let differences = differences(of: there, from: wanted, deadLetterBytes: deadLetterBytes)
                outcomes.append(TopicOutcome(topic: name, differences: differences))
            } else {
                try admin.createTopic(wanted, timeout: .seconds(30))
                let made = "\(partitions.counted("partition")), \(wanted.settings[0].value)"
                outcomes.append(TopicOutcome(topic: name, createdWith: made))
            }
        }
        return outcomes
    }

    /// Dead letters carry records of the inputs, with what is known of them.
    private func deadLetterBytes(_ found: [String: TopicDescription]) -> Int {
        let largestInput = topics.inputs.compactMap { found[$0]?.recordBytesMax }.max()
        return (largestInput ?? Self.defaultRecordBytesMax) + 64 * 1024
    }

    /// The topics as they should be, and as they were found. Each has the shape of the first of its kind, inputs or
    /// outputs, that is there: most are made by one command.
    ///
    /// - Parameter found: by name; a topic that is not in it is missing.
    func facts(_ found: [String: TopicFacts.Found]) -> [TopicFacts] {
        let described = found.compactMapValues { if case .topic(let topic) = $0 { topic } else { nil } }
        let bytes = deadLetterBytes(described)
        return [topics.inputs, topics.outputs].flatMap { kind in
            let sister = kind.lazy.compactMap { described[$0] }.first
            return kind.map { name in
                var one = facts(
                    of: topic(name, deadLetterBytes: bytes), found[name] ?? .nothing, deadLetterBytes: bytes)
                one.former = sister.map { TopicFacts.Shape(of: $0, isOwn: false) }
                return one
            }
        }
    }

    private func facts(of wanted: NewTopic, _ found: TopicFacts.Found, deadLetterBytes: Int) -> TopicFacts {
        TopicFacts(
            name: wanted.name, role: .contract, wanted: wanted.settings,
            atLeast: ["max.message.bytes": deadLetterBytes], found: found)
    }

    private func topic(_ name: String, deadLetterBytes: Int) -> NewTopic {
        let settings = settings(of: name, deadLetterBytes: deadLetterBytes)
        return NewTopic(
            name: name, partitions: partitions, replication: replication,
            settings: settings.map { .init($0.key, $0.value) })
    }

    /// The settings that a topic is created with. All others are the broker's defaults.
    func settings(
        of name: String, deadLetterBytes: Int = Self.defaultRecordBytesMax + 64 * 1024
    ) -> [(key: String, value: String)] {
        let compacted = [
            topics.calendarEvents, topics.configurations, topics.timelines, topics.positions, topics.positionsMerged,
        ]
        let policy = (key: "cleanup.policy", value: compacted.contains(name) ? "compact" : "delete")
        return name == topics.deadLetters ? [policy, ("max.message.bytes", String(deadLetterBytes))] : [policy]
    }

    private func differences(
        of there: TopicDescription, from wanted: NewTopic, deadLetterBytes: Int
    ) -> [String] {
        var differences: [String] = []
        if there.partitions != wanted.partitions {
            differences.append("\(there.partitions.counted("partition")), not \(wanted.partitions)")
        }
        if let replication = wanted.replication, there.replication != replication {
            differences.append("replication \(there.replication), not \(replication)")
        }
        let facts = facts(of: wanted, .topic(there), deadLetterBytes: deadLetterBytes)
        return differences + facts.differences.map(\.text)
    }
}

extension InternalTopics {
    /// Both topics as they must be, and as they were found.
    ///
    /// - Parameter found: by name; a topic that is not in it is missing.
    func facts(_ found: [String: TopicFacts.Found]) -> [TopicFacts] {
        required.map { name, settings in
            let other = found[name == exchange ? state : exchange]
            let described: TopicDescription? = if case .topic(let topic) = other { topic } else { nil }
            return TopicFacts(
                name: name, role: .internal(other: described), wanted: settings,
                atLeast: ["max.message.bytes": Self.recordBytesMax], found: found[name] ?? .nothing)
        }
    }
}
