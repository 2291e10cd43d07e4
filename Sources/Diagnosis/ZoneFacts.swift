/// The versions of zone data of those who wrote an application's state last, task by task.
package struct ZoneFacts: Hashable, Sendable {
    /// The changelog.
    package var topic: String
    /// By task. A task whose state does not tell it, as of an earlier release, is not among them.
    package var versions: [Int32: String]

    package init(topic: String, versions: [Int32: String]) {
        self.topic = topic
        self.versions = versions
    }

    /// So many tasks of a version are named.
    private static let named = 5

    /// Compares them with the version of the program that asks.
    ///
    /// - Returns: `nil` if no task tells its version.
    package func finding(here: String) -> Finding? {
        if versions.isEmpty { return nil }
        let others = Set(versions.values).subtracting([here]).sorted()
        guard !others.isEmpty else {
            return Finding(.zones, topic, .good, "was written last with version \(here), as this program has it")
        }
        let parts = others.map { version in
            let tasks = versions.filter { $0.value == version }.keys.sorted()
            let numbers = tasks.prefix(Self.named).map { "\($0)" }.joined(separator: ", ")
            let rest = tasks.count > Self.named ? ", …" : ""
            return "\(tasks.count.counted("task")) (\(numbers)\(rest)) with version \(version)"
        }
        return Finding(
            .zones, topic, .notice,
            "was written last for \(parts.joined(separator: ", for ")), and this program has \(here): where rules of a"
                + " zone differ, so do dates of entries",
            remedy: "Run the same release everywhere; a task that nothing is written for keeps the version of before")
    }
}
