import Arguments
import Diagnosis
import Foundation
import Messages
import RecordLog
import StreamRuntime

/// Creates the topics of the contract where they are missing, and changes settings of others if it is told to.
struct TopicsCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "Creates the input and output topics that are missing, and mends settings if it is told to.",
        discussion: """
            Reports what differs from what would be created, and changes nothing that exists. With '--apply' it then \
            sets the settings that differ, of the internal topics too; it asks before that on a terminal, and needs \
            '--yes' elsewhere. With '--partitions' beside it, inputs that have fewer partitions get as many; those \
            of outputs and internal topics stay ('tideline repartition'), and so do replicas.
            """,
        examples: [
            CommandExample(
                "tideline topics --bootstrap localhost:9092 --partitions 8 --replication 3",
                "Creates what is missing, with eight partitions and three replicas."),
            CommandExample("tideline topics --apply --yes", "Also sets settings that differ."),
            CommandExample("tideline topics --partitions 12 --apply", "Also gives inputs twelve partitions, if asked."),
        ])

    @Option(
        help: ArgumentHelp(
            "Partitions of each topic that is created, 4 where absent; with --apply also of inputs that have fewer.",
            valueName: "p"))
    var partitions: Int?
    @Option(help: ArgumentHelp("Replicas; the broker's default where absent.", valueName: "r")) var replication: Int?
    @Flag(help: "Set settings that differ, after showing them; with --partitions also add partitions to inputs.")
    var apply = false
    @Flag(help: "Do not ask before topics are changed.") var yes = false
    @Flag(help: "Write JSON lines.") var json = false
    @OptionGroup var kafka: KafkaOptions

    func validate() throws(ValidationError) {
        if let partitions { try PartitionCounts.require(partitions, as: "'--partitions'") }
        if let replication, !(1...32767).contains(replication) {
            throw ValidationError("'--replication' must be from 1 to 32767.")
        }
    }

    func execute() throws(CommandFailure) {
        let environment = try Environment(kafka)
        let admin = try environment.connect()
        defer { admin.close() }
        let plan = TopicPlan(
            topics: environment.topics, partitions: Int32(partitions ?? 4),
            replication: replication.map { Int32($0) })
        let outcomes: [TopicOutcome]
        do throws(LogError) {
            outcomes = try plan.carryOut(with: admin)
        } catch {
            throw CommandFailure(.unavailable, "cannot create topics: \(error)")
        }
        for outcome in outcomes { print(json ? outcome.json : outcome.line) }
        if apply { try change(plan, after: outcomes, environment, admin) }
    }

    private func change(
        _ plan: TopicPlan, after outcomes: [TopicOutcome], _ environment: Environment, _ admin: any Admin
    ) throws(CommandFailure) {
        let own = InternalTopics(environment.settings)
        let names = environment.topics.inputs + environment.topics.outputs + [own.exchange, own.state]
        let onDemand = OnDemandTopics(environment.settings)
        var described = try environment.describe(names, admin)
        for name in onDemand.names { described[name] = try lookUp(name, environment, admin) }
        let found = described.mapValues { TopicFacts.Found.topic($0) }
        let differing = (plan.facts(found) + own.facts(found) + onDemand.facts(found))
            .filter { !$0.differences.isEmpty }
        let growing = partitions.map { PartitionGrowth.of(plan.topics.inputs, to: Int32($0), described) } ?? []
        if differing.isEmpty && growing.isEmpty {
            if !json { print("no setting differs") }
            return
        }
        show(differing, growing)
        let question = growing.isEmpty ? "Set them?" : "Do so? Partitions cannot be taken away again."
        try Consent.require(for: question, isGiven: yes, otherwise: Self.standing(after: outcomes))
        try set(differing, admin)
        try add(growing, admin)
    }

    private func show(_ differing: [TopicFacts], _ growing: [PartitionGrowth]) {
        for topic in differing {
            for difference in topic.differences {
                if json {
                    print(difference.json(of: topic.name, "differs"))
                    continue
                }
                print("\(topic.name): \(difference.text)")
                if let consequence = difference.consequence { print("\(topic.name): \(consequence)") }
            }
        }
        for topic in growing {
            let lines = json ? [topic.json("differs")] : topic.lines
            for line in lines { print(line) }
        }
    }

    private func set(_ differing: [TopicFacts], _ admin: any Admin) throws(CommandFailure) {
        for topic in differing {
            let settings = topic.differences.map { NewTopic.Setting($0.key, $0.wanted) }
            do throws(LogError) {
                try admin.changeSettings(of: topic.name, to: settings, timeout: .seconds(30))
            } catch {
                throw CommandFailure(.software, "cannot change \(topic.name): \(error)")
            }
            if json {
                for difference in topic.differences { print(difference.json(of: topic.name, "changed")) }
                continue
            }
            print("\(topic.name): \(settings.map { "\($0.key) is \($0.value) now" }.joined(separator: ", "))")
        }
    }

    private func add(_ growing: [PartitionGrowth], _ admin: any Admin) throws(CommandFailure) {
        for topic in growing {
            do throws(LogError) {
                try admin.addPartitions(to: topic.topic, count: topic.to, timeout: .seconds(30))
            } catch {
                throw CommandFailure(.software, "cannot add partitions to \(topic.topic): \(error)")
            }
            print(json ? topic.json("changed") : "\(topic.topic): \(topic.to.counted("partition")) now")
        }
    }

    /// The sentence that tells which topics were created, where no setting is changed.
    private static func standing(after outcomes: [TopicOutcome]) -> String {
        let created = outcomes.filter { $0.createdWith != nil }.map(\.topic)
        guard !created.isEmpty else { return "nothing was changed" }
        let were = created.count == 1 ? "was" : "were"
        return "no setting was changed; \(created.joined(separator: ", ")) \(were) created"
    }

    /// Looks up a topic that may be absent. One that may not be looked at is named, and holds up no other: whoever runs
    /// neither sinks nor `dead-letters` needs no permission for theirs.
    ///
    /// - Returns: `nil` if it does not exist, or may not be looked at.
    private func lookUp(
        _ name: String, _ environment: Environment, _ admin: any Admin
    ) throws(CommandFailure) -> TopicDescription? {
        do throws(LogError) {
            return try admin.describeTopics([name], timeout: .seconds(30))[name]
        } catch {
            guard error.code == .notAuthorised else { throw environment.unanswered("cannot look at \(name)", error) }
            writeError("warning: \(name) cannot be looked at: \(error)")
            return nil
        }
    }
}
