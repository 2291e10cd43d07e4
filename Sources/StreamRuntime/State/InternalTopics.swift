package import RecordLog
package import StreamCore

/// The exchange and the changelog of an application (R7): made where they are missing, refused where they are not
/// what this program can run on.
package struct InternalTopics: Sendable {
    package var exchange: String
    package var state: String
    /// Is there while the application is started over: what is to become of the other two.
    package var reset: String
    /// `nil` stands for the broker's default.
    package var replication: Int32?

    /// Records of the changelog and the exchange carry input records with what is known of them.
    package static let recordBytesMax = 8 << 20

    package init(applicationId: String, replication: Int32? = nil) {
        exchange = applicationId + ".exchange"
        state = applicationId + ".state"
        reset = applicationId + ".reset"
        self.replication = replication
    }

    /// The partition counts that were found or made.
    package struct Layout: Hashable, Sendable {
        /// *P*, the count of the exchange and of the changelog.
        package var partitions: Int32
        /// By source of the topology.
        package var sourcePartitions: [Int32]

        package init(partitions: Int32, sourcePartitions: [Int32]) {
            self.partitions = partitions
            self.sourcePartitions = sourcePartitions
        }
    }

    package enum Problem: Error, Hashable, Sendable {
        /// Input or output topics that do not exist, all at once.
        case missing([String])
        /// An internal topic that another program made, or another setting: its name, and what differs.
        case refused(topic: String, String)
        /// A request failed, and would fail again or failed until the patience was over.
        case failed(LogError)
        /// It was stopped before the brokers answered.
        case stopped

        /// A sentence that says what is to be done about a refused topic.
        package var remedy: String {
            guard case .refused(let topic, let reason) = self else { return "" }
            if reason.contains(" partitions") {
                return "Both must have as many: 'tideline repartition P --execute' makes them anew with P each, and"
                    + " keeps revisions rising"
            }
            return "'tideline topics --apply' sets what \(topic) must have; then start again"
        }
    }

    /// Blocks; several processes may do this at once.
    ///
    /// - Parameter requests: how long the brokers are asked, and when that ends early.
    package func prepare(
        for topology: Topology, with admin: any Admin, requests: PatientRequests
    ) throws(Problem) -> Layout {
        let sources = topology.sources.map(\.topic)
        let existing = try requests.existing(sources + topology.outputs) { () throws(Problem) in
            // Each for itself, so that the permission that is missing is the one for what is done with the topic.
            let inputs = try describe(sources, admin, requests, for: .read)
            return try describe(topology.outputs + [exchange, state], admin, requests, for: .write)
                .merging(inputs) { $1 }
        }
        guard let found = existing else { throw .stopped }
        let missing = (sources + topology.outputs).filter { found[$0] == nil }
        if !missing.isEmpty { throw .missing(missing) }
        let sourcePartitions = sources.map { found[$0]?.partitions ?? 0 }
        let wanted = found[exchange]?.partitions ?? sourcePartitions.max() ?? 1
        if found[exchange] == nil { try create(exchangeTopic(wanted), admin, requests) }
        if found[state] == nil { try create(stateTopic(wanted), admin, requests) }
        let made = found[exchange] != nil && found[state] != nil ? found : try awaitCreation(admin, requests)
        guard let exchangeFound = made[exchange], let stateFound = made[state] else {
            let unseen = "\(exchange) and \(state) were made but are not seen"
            throw .failed(LogError(.timedOut, name: "_TIMED_OUT", unseen))
        }
        try check(exchangeFound, cleanup: "delete")
        try check(stateFound, cleanup: "compact")
        guard stateFound.partitions == exchangeFound.partitions else {
            throw .refused(
                topic: state,
                "has \(stateFound.partitions) partitions, but \(exchange) has \(exchangeFound.partitions)")
        }
        return Layout(partitions: exchangeFound.partitions, sourcePartitions: sourcePartitions)
    }

    /// The exchange and the changelog with the settings without which a process refuses them. Of their sizes
    /// (`max.message.bytes`) a larger one will do, too.
    package var required: [(name: String, settings: [NewTopic.Setting])] {
        // How fast the changelog is compacted is whoever runs the broker's to decide.
        let free = ["min.cleanable.dirty.ratio", "segment.bytes"]
        return [exchangeTopic(1), stateTopic(1)].map { topic in
            (topic.name, topic.settings.filter { !free.contains($0.key) })
        }
    }

    /// The exchange as it is made.
    package func exchangeTopic(_ partitions: Int32) -> NewTopic {
        NewTopic(
            name: exchange, partitions: partitions, replication: replication,
            settings: [
                .init("cleanup.policy", "delete"), .init("max.message.bytes", String(Self.recordBytesMax)),
                .init("retention.bytes", "-1"), .init("retention.ms", "-1"),
            ])
    }

    /// The changelog as it is made.
    package func stateTopic(_ partitions: Int32) -> NewTopic {
        NewTopic(
            name: state, partitions: partitions, replication: replication,
            settings: [
                .init("cleanup.policy", "compact"), .init("max.message.bytes", String(Self.recordBytesMax)),
                // The segment that is written to is never compacted, and a restore reads what is not compacted.
                .init("min.cleanable.dirty.ratio", "0.2"), .init("segment.bytes", String(64 << 20)),
            ])
    }

    private func create(_ topic: NewTopic, _ admin: any Admin, _ requests: PatientRequests) throws(Problem) {
        _ = try ask(requests) { (timeout) throws(LogError) in
            do throws(LogError) {
                try admin.createTopic(topic, timeout: timeout)
            } catch {
                // Another process was faster, or an earlier attempt whose answer was lost.
                if error.code != .topicAlreadyExists { throw error }
            }
        }
    }

    /// What was made is not seen at once by every broker.
    private func awaitCreation(
        _ admin: any Admin, _ requests: PatientRequests
    ) throws(Problem) -> [String: TopicDescription] {
        let found = try requests.existing([exchange, state]) { () throws(Problem) in
            try describe([exchange, state], admin, requests, for: .write)
        }
        guard let found else { throw .stopped }
        return found
    }

    private func describe(
        _ names: [String], _ admin: any Admin, _ requests: PatientRequests, for operation: Permission.Operation
    ) throws(Problem) -> [String: TopicDescription] {
        try ask(requests) { (timeout) throws(LogError) in
            do throws(LogError) {
                return try admin.describeTopics(names, timeout: timeout)
            } catch {
                throw error.needing(operation)
            }
        }
    }

    private func ask<Answer>(
        _ requests: PatientRequests, _ question: (_ timeout: Duration) throws(LogError) -> Answer
    ) throws(Problem) -> Answer {
        let answer: Answer?
        do throws(LogError) {
            answer = try requests.persistently(question)
        } catch {
            throw .failed(error)
        }
        guard let answer else { throw .stopped }
        return answer
    }

    private func check(_ topic: TopicDescription, cleanup: String) throws(Problem) {
        if let policy = topic.settings["cleanup.policy"], policy != cleanup {
            throw .refused(topic: topic.name, "has cleanup.policy \(policy), must be \(cleanup)")
        }
        if cleanup == "delete", let bytes = topic.settings["retention.bytes"], bytes != "-1" {
            throw .refused(
                topic: topic.name, "has retention.bytes \(bytes), must be -1: what was not read yet would be removed")
        }
        if cleanup == "delete", let retention = topic.settings["retention.ms"], retention != "-1" {
            throw .refused(topic: topic.name, "has retention.ms \(retention), must be -1: what is read is removed")
        }
        if let bytes = topic.settings["max.message.bytes"].flatMap({ Int($0) }), bytes < Self.recordBytesMax {
            throw .refused(
                topic: topic.name,
                "has max.message.bytes \(bytes), must be at least \(Self.recordBytesMax): what it refused would be"
                    + " tried for ever")
        }
    }
}
