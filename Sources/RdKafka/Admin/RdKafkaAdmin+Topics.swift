import CRdKafka
import RecordLog

extension RdKafkaAdmin {
    func describeTopics(
        _ names: [String], timeout: Duration
    ) throws(LogError) -> [String: TopicDescription] {
        guard !names.isEmpty else { return [:] }
        serveEvents()
        let found = try client.topics(named: names, timeout: timeout)
        var settings: [String: [String: String]] = [:]
        var given: [String: Set<String>] = [:]
        try describeSettings(of: found.map(\.name), timeout: timeout) { topic, entry in
            let name = String(cString: rd_kafka_ConfigEntry_name(entry))
            settings[topic, default: [:]][name] = entry.configValue
            if entry.isOfTopic { given[topic, default: []].insert(name) }
        }
        var descriptions: [String: TopicDescription] = [:]
        for topic in found {
            descriptions[topic.name] = TopicDescription(
                name: topic.name, partitions: topic.partitions, replication: topic.replication,
                settings: settings[topic.name] ?? [:], given: given[topic.name] ?? [],
                leaderless: topic.leaderless, underReplicated: topic.underReplicated)
        }
        return descriptions
    }

    func topicNames(timeout: Duration) throws(LogError) -> [String] {
        serveEvents()
        return try client.topicNames(timeout: timeout)
    }

    func createTopic(_ topic: NewTopic, timeout: Duration) throws(LogError) {
        try requestTopic(topic, timeout: timeout)
        try awaitMetadata(of: topic.name, timeout: timeout)
    }

    func addPartitions(to topic: String, count: Int32, timeout: Duration) throws(LogError) {
        serveEvents()
        try requestPartitions(count, of: topic, timeout: timeout)
        try awaitMetadata(of: topic, partitions: count, timeout: timeout)
    }

    /// - Parameter validatesOnly: true if the brokers only say whether they would add them.
    func requestPartitions(
        _ count: Int32, of topic: String, validatesOnly: Bool = false, timeout: Duration
    ) throws(LogError) {
        let (wanted, text) = withErrorText { rd_kafka_NewPartitions_new(topic, Int(count), $0, $1) }
        guard let wanted else { throw LogError(RD_KAFKA_RESP_ERR__INVALID_ARG, text, about: "topic \(topic)") }
        defer { rd_kafka_NewPartitions_destroy(wanted) }
        let request = try change(
            RD_KAFKA_ADMIN_OP_CREATEPARTITIONS, name: "CreatePartitions", validatesOnly, timeout: timeout)
        var topics: [OpaquePointer?] = [wanted]
        rd_kafka_CreatePartitions(client.pointer, &topics, topics.count, request.options, request.queue)

        let answer = try request.answer()
        let result = rd_kafka_event_CreatePartitions_result(answer.event)
        try expectNoFailure(
            in: elements { rd_kafka_CreatePartitions_result_topics(result, $0) }, about: "partitions of topic \(topic)",
            needing: Permission(.alter, .topic(topic)))
    }

    private func change(
        _ operation: rd_kafka_admin_op_t, name: String, _ validatesOnly: Bool, timeout: Duration
    ) throws(LogError) -> AdminRequest {
        let request = try AdminRequest(client, operation, name: name, timeout: timeout)
        try request.waitForCompletion()
        if validatesOnly { try request.validateOnly() }
        return request
    }

    private func expectNoFailure(
        in outcomes: [OpaquePointer], about subject: String, needing permission: Permission
    ) throws(LogError) {
        for outcome in outcomes {
            let code = rd_kafka_topic_result_error(outcome)
            guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
                let text = rd_kafka_topic_result_error_string(outcome).map { String(cString: $0) }
                throw LogError(code, text, about: subject).needing(permission, by: client.grants)
            }
        }
    }

    func validateTopic(_ topic: NewTopic, timeout: Duration) throws(LogError) {
        try requestTopic(topic, validatesOnly: true, timeout: timeout)
    }

    /// - Parameter validatesOnly: true if the brokers only say whether they would create it.
    func requestTopic(_ topic: NewTopic, validatesOnly: Bool = false, timeout: Duration) throws(LogError) {
        let (created, text) = withErrorText {
            rd_kafka_NewTopic_new(topic.name, topic.partitions, topic.replication ?? -1, $0, $1)
        }
        guard let created else { throw LogError(RD_KAFKA_RESP_ERR__INVALID_ARG, text, about: "topic \(topic.name)") }
        defer { rd_kafka_NewTopic_destroy(created) }
        for setting in topic.settings {
            let code = rd_kafka_NewTopic_set_config(created, setting.key, setting.value)
            guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw LogError(code, about: "topic \(topic.name)") }
        }
        let request = try change(RD_KAFKA_ADMIN_OP_CREATETOPICS, name: "CreateTopics", validatesOnly, timeout: timeout)
        var topics: [OpaquePointer?] = [created]
        rd_kafka_CreateTopics(client.pointer, &topics, topics.count, request.options, request.queue)

        let answer = try request.answer()
        let result = rd_kafka_event_CreateTopics_result(answer.event)
        try expectNoFailure(
            in: elements { rd_kafka_CreateTopics_result_topics(result, $0) }, about: "topic \(topic.name)",
            needing: Permission(.create, .topic(topic.name)))
    }

    /// The controller answers before every broker knows: whoever creates a topic wants to use it next.
    private func awaitMetadata(
        of topic: String, partitions: Int32 = 1, timeout: Duration
    ) throws(LogError) {
        let deadline = ContinuousClock.now + timeout
        while ContinuousClock.now < deadline {
            do throws(LogError) {
                let found = try client.topics(named: [topic], timeout: deadline - .now)
                if found.contains(where: { $0.isReady && $0.partitions >= partitions }) { return }
            } catch {
                guard error.isRetriable else { throw error }
            }
            rd_kafka_poll(client.pointer, 10)
        }
        throw LogError(RD_KAFKA_RESP_ERR__TIMED_OUT, "is made so, but has not all leaders yet", about: "topic \(topic)")
    }
}
