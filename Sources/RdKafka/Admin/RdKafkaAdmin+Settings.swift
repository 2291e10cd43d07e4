import CRdKafka
import RecordLog

extension RdKafkaAdmin {
    func changeSettings(
        of topic: String, to settings: [NewTopic.Setting], timeout: Duration
    ) throws(LogError) {
        serveEvents()
        try requestSettings(settings, of: topic, timeout: timeout)
    }

    /// By the older of Kafka's two requests, the only one that librdkafka 2.0.2 knows: it replaces all settings that a
    /// topic has of its own, so those that stay are sent along.
    ///
    /// - Parameter validatesOnly: true if the brokers only say whether they would set them.
    func requestSettings(
        _ settings: [NewTopic.Setting], of topic: String, validatesOnly: Bool = false, timeout: Duration
    ) throws(LogError) {
        var wanted = try ownSettings(of: topic, timeout: timeout)
        for setting in settings { wanted[setting.key] = setting.value }
        let request = try AdminRequest(
            client, RD_KAFKA_ADMIN_OP_ALTERCONFIGS, name: "AlterConfigs", timeout: timeout)
        if validatesOnly { try request.validateOnly() }
        var resources = [rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic)]
        defer { rd_kafka_ConfigResource_destroy_array(&resources, resources.count) }
        for (key, value) in wanted.sorted(by: { $0.key < $1.key }) {
            let code = rd_kafka_ConfigResource_set_config(resources[0], key, value)
            precondition(code == RD_KAFKA_RESP_ERR_NO_ERROR, "A setting has a name and a value.")
        }
        rd_kafka_AlterConfigs(client.pointer, &resources, resources.count, request.options, request.queue)

        let answer = try request.answer()
        let result = rd_kafka_event_AlterConfigs_result(answer.event)
        for resource in elements({ rd_kafka_AlterConfigs_result_resources(result, $0) }) {
            let code = rd_kafka_ConfigResource_error(resource)
            guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
                let text = rd_kafka_ConfigResource_error_string(resource).map { String(cString: $0) }
                throw LogError(code, text, about: "settings of topic \(topic)")
                    .needing(Permission(.alterConfigs, .topic(topic)), by: client.grants)
            }
        }
    }

    /// The settings that the topic has of its own, beside the broker's.
    private func ownSettings(of topic: String, timeout: Duration) throws(LogError) -> [String: String] {
        var own: [String: String] = [:]
        try describeSettings(of: [topic], timeout: timeout) { _, entry in
            guard entry.isOfTopic else { return }
            own[String(cString: rd_kafka_ConfigEntry_name(entry))] = entry.configValue
        }
        return own
    }

    /// Asks for the settings of topics in one request.
    ///
    /// - Parameter each: called with each setting; the entry lives no longer than the call.
    func describeSettings(
        of topics: [String], timeout: Duration, each: (_ topic: String, _ entry: OpaquePointer) -> Void
    ) throws(LogError) {
        guard !topics.isEmpty else { return }
        try describe(RD_KAFKA_RESOURCE_TOPIC, topics, timeout: timeout, each: each) { topic, code in
            var failure = LogError(code, about: "settings of topic \(topic)")
                .needing(Permission(.describeConfigs, .topic(topic)), by: client.grants)
            // The broker that named it knows it: this one has not heard of it yet, or of its end.
            if code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART { failure.isRetriable = true }
            return failure
        }
    }

    /// Asks a broker for one of its settings.
    ///
    /// - Returns: the value; `nil` if the broker does not name it.
    func setting(_ name: String, ofBroker id: Int32, timeout: Duration) throws(LogError) -> String? {
        var value: String?
        try describe(
            RD_KAFKA_RESOURCE_BROKER, ["\(id)"], timeout: timeout,
            each: { _, entry in
                if String(cString: rd_kafka_ConfigEntry_name(entry)) == name { value = entry.configValue }
            },
            failure: { broker, code in LogError(code, about: "settings of broker \(broker)") })
        return value
    }

    /// Asks for the settings of resources of one type in one request.
    ///
    /// - Parameters:
    ///   - each: called with each setting; the entry lives no longer than the call.
    ///   - failure: makes the error of a resource from its code.
    private func describe(
        _ type: rd_kafka_ResourceType_t, _ names: [String], timeout: Duration,
        each: (_ name: String, _ entry: OpaquePointer) -> Void,
        failure: (_ name: String, _ code: rd_kafka_resp_err_t) -> LogError
    ) throws(LogError) {
        let request = try AdminRequest(
            client, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, name: "DescribeConfigs", timeout: timeout)
        var resources = names.map { rd_kafka_ConfigResource_new(type, $0) }
        defer { rd_kafka_ConfigResource_destroy_array(&resources, resources.count) }
        rd_kafka_DescribeConfigs(client.pointer, &resources, resources.count, request.options, request.queue)

        let answer = try request.answer()
        let result = rd_kafka_event_DescribeConfigs_result(answer.event)
        for resource in elements({ rd_kafka_DescribeConfigs_result_resources(result, $0) }) {
            let name = String(cString: rd_kafka_ConfigResource_name(resource))
            let code = rd_kafka_ConfigResource_error(resource)
            guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw failure(name, code) }
            for entry in elements({ rd_kafka_ConfigResource_configs(resource, $0) }) { each(name, entry) }
        }
    }
}

extension OpaquePointer {
    /// True if an entry of settings is the topic's own, and no default of the broker's.
    var isOfTopic: Bool { rd_kafka_ConfigEntry_source(self) == RD_KAFKA_CONFIG_SOURCE_DYNAMIC_TOPIC_CONFIG }

    /// The value of an entry of settings; empty if it has none.
    var configValue: String { rd_kafka_ConfigEntry_value(self).map { String(cString: $0) } ?? "" }
}
