internal import Timelines

/// The applications of a cluster, as the topics tell that each has of its own.
package struct KnownApplications: Hashable, Sendable {
    /// Ascending by UTF-8.
    package let ids: [String]
    private let topics: Set<String>

    /// What stands behind the id in the names of the topics that every application has once it has run.
    private static let always = [".exchange", ".state"]
    /// The same for those that it may have.
    private static let sometimes = [".reset", ".pushes", ".sinks", ".operations"]

    /// - Parameter topics: the names of all topics of the cluster.
    package init(topics: [String]) {
        let topics = Set(topics)
        self.topics = topics
        let ids = topics.filter { $0.hasSuffix(Self.always[0]) }.map { String($0.dropLast(Self.always[0].count)) }
        self.ids = ids.filter { id in Self.always.allSatisfy { topics.contains(id + $0) } }
            .sorted { $0.precedesByUTF8($1) }
    }

    /// A warning about an id that may be misspelt, with those that are near it.
    ///
    /// - Returns: `nil` if a topic of this application is there, or if there is no application at all.
    package func warning(about id: String) -> String? {
        if ids.isEmpty || (Self.always + Self.sometimes).contains(where: { topics.contains(id + $0) }) { return nil }
        let others = NearIds.sentence(about: id, among: ids, plural: "applications")
        return "the application '\(id)' has no topic here: it has never run, or they are gone; \(others)"
    }
}
