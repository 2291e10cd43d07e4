package import RecordLog

/// A topic as it should be, and as it is.
package struct TopicFacts: Hashable, Sendable {
    package var name: String
    package var role: Role
    /// What it would be made with.
    package var wanted: [NewTopic.Setting]
    /// Settings of which any value from this number on will do, by name.
    package var atLeast: [String: Int]
    package var found: Found
    /// What it had while it was there, or what another of its kind has; `nil` if neither is known.
    package var former: Shape?

    package enum Role: Hashable, Sendable {
        /// An input or output, made by `tideline topics`.
        case contract
        /// The exchange or the changelog, made by `tideline process`.
        /// `other` is the other of the two; `nil` if that is not there or not known.
        case `internal`(other: TopicDescription?)
        /// One that a sink or `dead-letters` makes when it first needs it.
        case onDemand
    }

    package enum Found: Hashable, Sendable {
        case topic(TopicDescription)
        case nothing
        /// It cannot be told.
        case failed(String)
    }

    /// What a topic has that cannot be set later, or not without work.
    package struct Shape: Hashable, Sendable {
        package var partitions: Int32
        package var replication: Int32
        /// The name of the other topic that has them; `nil` if they are the topic's own.
        package var sister: String?

        /// - Parameter isOwn: false if the topic is another one of the same kind.
        package init(of topic: TopicDescription, isOwn: Bool) {
            partitions = topic.partitions
            replication = topic.replication
            sister = isOwn ? nil : topic.name
        }

        /// The options of `topics` that give it.
        var options: String { " --partitions \(partitions) --replication \(replication)" }
    }

    package init(
        name: String, role: Role, wanted: [NewTopic.Setting], atLeast: [String: Int] = [:], found: Found,
        former: Shape? = nil
    ) {
        self.name = name
        self.role = role
        self.wanted = wanted
        self.atLeast = atLeast
        self.found = found
        self.former = former
    }

    /// A setting that is another than the topic would be made with.
    package struct Difference: Hashable, Sendable {
        package var key: String
        package var value: String
        package var wanted: String

        package var text: String { "\(key) is \(value), not \(wanted)" }
    }

    /// The settings that differ, in the order of those that are wanted. One that the broker does not name is
    /// none.
    package var differences: [Difference] {
        guard case .topic(let topic) = found else { return [] }
        return wanted.compactMap { setting in
            guard let value = topic.settings[setting.key], value != setting.value else { return nil }
            if let least = atLeast[setting.key], let number = Int(value), number >= least { return nil }
            return Difference(key: setting.key, value: value, wanted: setting.value)
        }
    }

    /// - Parameter command: makes a whole command line of a verb with its words.
    package func findings(command: (String) -> String) -> [Finding] {
        switch found {
        case .failed(let reason) where role == .onDemand:
            return [Finding(.topics, name, .notice, "cannot be looked at: \(reason)")]
        case .failed(let reason):
            return [
                Finding(.topics, name, .bad, "cannot be looked at: \(reason)", remedy: "See its permissions below.")
            ]
        case .nothing:
            return [missing(command)].compactMap { $0 }
        case .topic(let topic):
            let problems =
                differences.map { difference in
                    Finding(.topics, name, .bad, difference.text, remedy: command("topics --apply"))
                } + misfit(topic, command)
            return problems + health(of: topic, hasProblems: !problems.isEmpty)
        }
    }

    private func missing(_ command: (String) -> String) -> Finding? {
        switch role {
        case .contract: Finding(.topics, name, .bad, "is missing", remedy: making(command))
        case .onDemand: nil
        case .internal(nil):
            Finding(.topics, name, .notice, "is not there yet; the first 'tideline process' makes it")
        case .internal(let other?):
            Finding(
                .topics, name, .bad, "is gone, and \(other.name) is there",
                remedy: "Stop all processes, then \(command("reset --execute"))")
        }
    }

    /// The command stands last where it can be run as it is.
    private func making(_ command: (String) -> String) -> String {
        guard let former else {
            return command("topics") + "; if it was there before, add --partitions and --replication as it had"
        }
        let line = command("topics\(former.options)")
        guard let sister = former.sister else { return line }
        return "With the numbers of \(sister), unless it had others: \(line)"
    }

    /// Both internal topics have a partition for each task. It is told of the one that has more.
    private func misfit(_ topic: TopicDescription, _ command: (String) -> String) -> [Finding] {
        guard case .internal(let other?) = role, topic.partitions > other.partitions else { return [] }
        return [
            Finding(
                .topics, name, .bad,
                "\(Int(topic.partitions).counted("partition")), but \(other.name) has \(other.partitions)",
                remedy: "Stop all processes, then \(command("repartition \(topic.partitions) --execute"))")
        ]
    }

    private func health(of topic: TopicDescription, hasProblems: Bool) -> [Finding] {
        if topic.leaderless > 0 {
            return [
                Finding(
                    .topics, name, .bad,
                    "\(topic.leaderless.counted("partition")) of \(topic.partitions) have no leader",
                    remedy: "Nothing can be read or written there until one of their replicas' brokers is back.")
            ]
        }
        if topic.underReplicated > 0 {
            return [
                Finding(
                    .topics, name, .notice,
                    "\(topic.underReplicated.counted("partition")) of \(topic.partitions) lack a replica in step",
                    remedy: "Look at the brokers: one is away or slow.")
            ]
        }
        if hasProblems { return [] }
        let policy = topic.settings["cleanup.policy"].map { ", \($0)" } ?? ""
        return [
            Finding(
                .topics, name, .good,
                "\(topic.partitions.counted("partition")), replication \(topic.replication)\(policy)")
        ]
    }
}
