internal import RecordLog

/// What is wrong with a topic under a process that runs: for its health and its metrics.
package struct TopicFault: Hashable, Sendable {
    package var topic: String
    package var kind: Kind
    /// A sentence with the topic's name, and what is to be done.
    package var text: String
    /// True if the process cannot do its work, or could not be started again.
    package var hinders: Bool

    /// The raw values are those of the metric's label.
    package enum Kind: String, CaseIterable, Sendable {
        case missing
        case settings
        case partitions
    }
}

extension TopicFacts {
    /// - Parameter tasks: the number of tasks with which the process began.
    package func faults(tasks: Int32) -> [TopicFault] {
        // The verb that needs it says what is wrong with it.
        if role == .onDemand { return [] }
        let isOwn = role != .contract
        switch found {
        case .failed: return []
        case .nothing:
            let remedy = isOwn ? "stop all processes, then 'tideline reset --execute'" : making
            return [TopicFault(topic: name, kind: .missing, text: "\(name) is gone: \(remedy)", hinders: true)]
        case .topic(let topic):
            var faults = differences.map { difference in
                TopicFault(
                    topic: name, kind: .settings,
                    text: "\(difference.key) of \(name) is \(difference.value), not \(difference.wanted): 'tideline"
                        + " topics --apply' sets it",
                    hinders: isOwn)
            }
            if isOwn, topic.partitions != tasks {
                faults.append(
                    TopicFault(
                        topic: name, kind: .partitions,
                        text: "\(name) has \(topic.partitions.counted("partition")), and this process began with"
                            + " \(tasks): stop all processes, then 'tideline repartition \(topic.partitions)"
                            + " --execute'",
                        hinders: true))
            }
            return faults
        }
    }

    private var making: String {
        guard let former else {
            return "'tideline topics' makes it anew, with --partitions and --replication as it had"
        }
        let has = former.sister.map { ", with the numbers of \($0)" } ?? ""
        return "'tideline topics\(former.options)' makes it anew\(has)"
    }
}
