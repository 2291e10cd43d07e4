package import RecordLog

extension RdKafkaCluster {
    /// Removes topics, as `Admin.deleteTopics`, through a connection of its own. Blocking; any thread.
    package func removeTopics(_ names: [String], timeout: Duration) throws(LogError) {
        let admin = try RdKafkaAdmin(settings)
        defer { admin.close() }
        try admin.deleteTopics(names, timeout: timeout)
    }
}
