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

    package enum Role: Hashable, Sendable {
        /// An input or output, made by `tideline topics`.
        case contract
        /// The exchange or the changelog, made by `tideline process`.
        case `internal`
    }

    package enum Found: Hashable, Sendable {
        case topic(TopicDescription)
        case nothing
        /// It cannot be told.
        case failed(String)
    }

    package init(
        name: String, role: Role, wanted: [NewTopic.Setting], atLeast: [String: Int] = [:], found: Found
    ) {
        self.name = name
        self.role = role
        self.wanted = wanted
        self.atLeast = atLeast
        self.found = found
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

    /// - Parameter command: the command that applies the differences of inputs and outputs.
    package func findings(command: String) -> [Finding] {
        switch found {
        case .failed(let reason):
            return [
                Finding(.topics, name, .bad, "cannot be looked at: \(reason)", remedy: "See its permissions below.")
            ]
        case .nothing:
            return role == .internal
                ? [Finding(.topics, name, .notice, "is not there yet; the first 'tideline process' makes it")]
                : [Finding(.topics, name, .bad, "is missing", remedy: command)]
        case .topic(let topic):
            let problems = differences.map { difference in
                Finding(.topics, name, .bad, difference.text, remedy: "\(command) --apply")
            }
            return problems + health(of: topic, hasProblems: !problems.isEmpty)
        }
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
