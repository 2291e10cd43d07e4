import Arguments
import Foundation
import Messages
import RecordLog

/// Creates the topics of the contract where they are missing, and changes nothing that exists.
struct TopicsCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "Creates the input and output topics that are missing.",
        discussion: """
            Reports what differs from what would be created, and changes nothing that exists.
            """,
        examples: [
            CommandExample(
                "tideline topics --bootstrap localhost:9092 --partitions 8 --replication 3",
                "Creates what is missing, with eight partitions and three replicas.")
        ])

    @Option(help: ArgumentHelp("Partitions of each topic that is created.", valueName: "p")) var partitions = 4
    @Option(help: ArgumentHelp("Replicas; the broker's default where absent.", valueName: "r")) var replication: Int?
    @OptionGroup var kafka: KafkaOptions

    func validate() throws(ValidationError) {
        guard (1...10_000).contains(partitions) else {
            throw ValidationError("'--partitions' must be from 1 to 10000.")
        }
        if let replication, !(1...32767).contains(replication) {
            throw ValidationError("'--replication' must be from 1 to 32767.")
        }
    }

    func execute() throws(CommandFailure) {
        let environment = try Environment(kafka)
        let admin = try environment.connect()
        defer { admin.close() }
        let plan = TopicPlan(
            topics: environment.topics, partitions: Int32(partitions), replication: replication.map { Int32($0) })
        do throws(LogError) {
            for line in try plan.carryOut(with: admin) { print(line) }
        } catch {
            throw CommandFailure(.unavailable, "cannot create topics: \(error)")
        }
    }
}

/// The topics as they are created, with their cleanup policies (M2).
struct TopicPlan {
    var topics: TopicNames
    var partitions: Int32
    var replication: Int32?

    /// The most bytes of a record that a broker takes if the topic does not say it.
    private static let defaultRecordBytesMax = 1_048_588

    /// Creates the topics that are missing.
    ///
    /// - Returns: a line for each topic, which says that it was created, exists, or exists and differs.
    func carryOut(with admin: any Admin) throws(LogError) -> [String] {
        let names = topics.inputs + topics.outputs
        let found = try admin.describeTopics(names, timeout: .seconds(30))
        let largestInput = topics.inputs.compactMap { found[$0]?.recordBytesMax }.max()
        let deadLetterBytes = (largestInput ?? Self.defaultRecordBytesMax) + 64 * 1024
        var lines: [String] = []
        for name in names {
            let wanted = topic(name, deadLetterBytes: deadLetterBytes)
            if let there = found[name] {
                let differences = differences(of: there, from: wanted)
                lines.append(
                    differences.isEmpty
                        ? "\(name): exists" : "\(name): exists, differs: \(differences.joined(separator: ", "))")
            } else {
                try admin.createTopic(wanted, timeout: .seconds(30))
                lines.append("\(name): created with \(partitions) partitions, \(wanted.settings[0].value)")
            }
        }
        return lines
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

    private func differences(of there: TopicDescription, from wanted: NewTopic) -> [String] {
        var differences: [String] = []
        if there.partitions != wanted.partitions {
            differences.append("\(there.partitions) partitions, not \(wanted.partitions)")
        }
        if let replication = wanted.replication, there.replication != replication {
            differences.append("replication \(there.replication), not \(replication)")
        }
        for setting in wanted.settings {
            if let value = there.settings[setting.key], value != setting.value {
                differences.append("\(setting.key) \(value), not \(setting.value)")
            }
        }
        return differences
    }
}
