// Logs in memory and in a process of their own have no operator, so they need not answer what only one asks. They say
// so; nothing is done without a word.

extension Admin {
    package func topicNames(timeout: Duration) throws(LogError) -> [String] { throw .unsupported("all its topics") }

    package func brokers(timeout: Duration) throws(LogError) -> [Broker] { throw .unsupported("its brokers") }

    package func offsets(
        of partitions: [TopicPartition], at instant: Instant, timeout: Duration
    ) throws(LogError) -> [TopicPartition: Offset] {
        throw .unsupported("offsets at an instant")
    }

    package func changeSettings(
        of topic: String, to settings: [NewTopic.Setting], timeout: Duration
    ) throws(LogError) {
        throw .unsupported("a change of settings")
    }

    package func deleteTopics(_ names: [String], timeout: Duration) throws(LogError) {
        throw .unsupported("the removal of topics")
    }

    package func validateTopic(_ topic: NewTopic, timeout: Duration) throws(LogError) {
        throw .unsupported("a topic that it would create")
    }

    package func addPartitions(to topic: String, count: Int32, timeout: Duration) throws(LogError) {
        throw .unsupported("more partitions")
    }

    package func setOffsets(
        of group: String, to offsets: [(TopicPartition, Offset)], timeout: Duration
    ) throws(LogError) {
        throw .unsupported("a change of a group's offsets")
    }

    package func check(_ permission: Permission, timeout: Duration) throws(LogError) {
        throw .unsupported("permissions")
    }

    package func accessRules(timeout: Duration) throws(LogError) -> [AccessRule] {
        throw .unsupported("its access rules")
    }

    package func grant(
        _ permissions: [Permission], to principal: String, timeout: Duration
    ) throws(LogError) -> [LogError?] {
        throw .unsupported("a permission")
    }
}

extension LogError {
    fileprivate static func unsupported(_ subject: String) -> LogError {
        LogError(.unsupported, name: "UNSUPPORTED", "this log cannot be asked for \(subject)")
    }
}
