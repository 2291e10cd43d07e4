extension TopicReader {
    /// Reads a topic once, from its beginning to the end that it has now.
    ///
    /// - Parameters:
    ///   - patience: as for `read(to:)`.
    ///   - progress: called after every poll with the number of records read, and the number that there are at most.
    ///   - each: called with each record.
    /// - Returns: false if it was stopped first.
    /// - Throws: `unknownTopicOrPartition` if there is no such topic; otherwise as `start` and `read(to:)`.
    package static func readAll(
        of topic: String, cluster: any Cluster, clientId: String, requests: PatientRequests, patience: Duration,
        progress: (_ records: Int, _ total: Int) -> Void,
        each: (_ view: RecordView, _ batch: borrowing ConsumedBatch) -> Void
    ) throws(LogError) -> Bool {
        let admin = try cluster.makeAdmin()
        defer { admin.close() }
        let reader = try TopicReader(topic, cluster: cluster, admin: admin, clientId: clientId, requests: requests)
        defer { reader.close() }
        guard let start = try reader.start() else { return false }
        let total = start.ends.values.reduce(0) { $0 + Int($1.rawValue) }
        return try reader.read(
            to: start.ends, maximum: 5_000, timeout: .milliseconds(200), patience: patience, failed: { _ in },
            progress: { progress($0, total) }, each: each)
    }
}
