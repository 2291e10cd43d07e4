package import RecordLog
package import StreamCore

/// What is done if state, topics or cluster are not what the program takes them for (R18). To refuse ends the process
/// by name before it changes anything.
package struct MisfitPolicy: Sendable {
    /// True if inputs are read from their earliest record where the group has positions in them and the state has gone;
    /// false if that is refused.
    package var replaysLostState = false
    /// True if state of another cluster is gone on with; false if it is refused.
    package var acceptsMovedCluster = false
    /// True if state that was made under other settings, and outputs that others write, are gone on with.
    package var acceptsChangedSettings = false
    /// The names of the settings that decide content, by their numbers in the state.
    package var settingNames: [UInt8: String] = [:]

    package init() {}

    /// Compares what the state says of itself with the program.
    ///
    /// - Parameters:
    ///   - place: where it was found.
    ///   - partitions: *P* of now.
    /// - Returns: the refusal; `nil` if the state is this program's to go on with.
    package func refusal(
        of header: StateHeader, at place: TopicPartition, partitions: Int32, terms: StateTerms
    ) -> StreamFailure? {
        if header.partitions != partitions {
            return StreamFailure(
                refused:
                    "\(place.topic) has \(partitions) partitions, and its state was made with \(header.partitions):"
                    + " each id would belong to another task",
                remedy: "'tideline repartition \(partitions) --execute' carries the application over, and keeps"
                    + " revisions rising")
        }
        if let cluster = terms.cluster, !cluster.isEmpty, !header.cluster.isEmpty, cluster != header.cluster,
            !acceptsMovedCluster
        {
            return StreamFailure(
                refused: "\(place) is state of cluster \(header.cluster), and this is cluster \(cluster)",
                remedy: "If this cluster is a mirror that took the other's place, start once with"
                    + " --set cluster.moved=accept: inputs whose records are others are read from their earliest")
        }
        return acceptsChangedSettings ? nil : refusalOfSettings(header, place, terms)
    }

    private func refusalOfSettings(
        _ header: StateHeader, _ place: TopicPartition, _ terms: StateTerms
    ) -> StreamFailure? {
        let remedy =
            "To go on with the new one, start once with --set settings.changed=accept, and all processes with"
            + " the same settings"
        if let writer = terms.writers.first, let recorded = header.writers.first, writer != recorded {
            return StreamFailure(refused: "\(place) was written as \(recorded), and this is \(writer)", remedy: remedy)
        }
        guard let settings = terms.settings, !header.settings.isEmpty else { return nil }
        // Numbers that only one of the two knows are of another release, and no change of anybody's.
        let changed = settings.filter { setting in
            header.settings.contains { $0.number == setting.number && $0.digest != setting.digest }
        }
        if changed.isEmpty { return nil }
        let names = changed.map { settingNames[$0.number] ?? "setting \($0.number)" }.joined(separator: ", ")
        return StreamFailure(
            refused: "\(place) was made with another \(names): not everything would be made by the same settings",
            remedy: remedy)
    }
}

extension StreamFailure {
    /// A record of an internal topic that this release cannot read.
    static func unreadable(_ place: TopicPartition, _ offset: Offset, _ error: CorruptBytes) -> StreamFailure {
        StreamFailure(
            refused: "\(place) cannot be read at offset \(offset): \(error)",
            remedy: "Run the release that wrote it, or a newer one; nothing of it was passed over")
    }

    /// The topic was deleted and made anew under a running process, which wrote on.
    static func stateMadeAnew(_ changelog: TopicPartition) -> StreamFailure {
        StreamFailure(
            refused: "\(changelog) lacks its beginning: \(changelog.topic) was deleted and made anew while a process"
                + " wrote to it, so what was made before is lost",
            remedy: "Stop all processes, and start over with 'tideline reset --execute', which reads all inputs again"
                + " and keeps revisions rising")
    }

    /// Positions of the group in inputs whose state has gone.
    static func lostState(_ changelog: TopicPartition, _ inputs: [TopicPartition]) -> StreamFailure {
        let names = inputs.map(\.description).joined(separator: ", ")
        return StreamFailure(
            refused: "\(changelog) is empty, but the group has read \(names): what was made of it is lost",
            remedy: "Bring \(changelog.topic) back, or start over with 'tideline reset --execute', which keeps"
                + " revisions rising, or start once with --set state.lost=replay to read all inputs from their earliest"
                + " record")
    }
}
