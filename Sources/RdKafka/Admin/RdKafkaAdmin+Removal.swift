import CRdKafka
import Glibc
import RecordLog

extension RdKafkaAdmin {
    func deleteTopics(_ names: [String], timeout: Duration) throws(LogError) {
        guard !names.isEmpty else { return }
        serveEvents()
        let request = try AdminRequest(
            client, RD_KAFKA_ADMIN_OP_DELETETOPICS, name: "DeleteTopics", timeout: timeout)
        try request.waitForCompletion()
        var topics = names.map { rd_kafka_DeleteTopic_new($0) }
        defer { rd_kafka_DeleteTopic_destroy_array(&topics, topics.count) }
        rd_kafka_DeleteTopics(client.pointer, &topics, topics.count, request.options, request.queue)

        let answer = try request.answer()
        let result = rd_kafka_event_DeleteTopics_result(answer.event)
        for outcome in elements({ rd_kafka_DeleteTopics_result_topics(result, $0) }) {
            let code = rd_kafka_topic_result_error(outcome)
            guard code != RD_KAFKA_RESP_ERR_NO_ERROR, code != RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART else { continue }
            let name = String(cString: rd_kafka_topic_result_name(outcome))
            throw LogError(code, about: "removing topic \(name)")
                .needing(Permission(.delete, .topic(name)), by: client.grants)
        }
        let deadline = ContinuousClock.now + timeout
        while try client.topics(named: nil, timeout: timeout).contains(where: { names.contains($0.name) }) {
            guard ContinuousClock.now < deadline else {
                throw LogError(RD_KAFKA_RESP_ERR__TIMED_OUT, about: "removing topics")
            }
            usleep(50_000)
        }
    }
}
