import CRdKafka

/// Numbers the topics of a consumer in the order in which it meets them.
struct TopicIndex {
    private(set) var names: [String] = []
    private var indexes: [OpaquePointer: Int32] = [:]

    /// - Parameter handle: of a message; the same topic has the same one as long as somebody holds it, so we do.
    mutating func index(of handle: OpaquePointer, in client: ClientHandle) -> Int32 {
        if let index = indexes[handle] { return index }
        let name = String(cString: rd_kafka_topic_name(handle))
        let index = Int32(names.count)
        guard let held = rd_kafka_topic_new(client.pointer, name, nil) else {
            preconditionFailure("a topic that messages come from has a name")
        }
        precondition(held == handle, "librdkafka has one handle per topic")
        names.append(name)
        indexes[held] = index
        return index
    }

    /// To be called before the client is destroyed.
    mutating func release() {
        for handle in indexes.keys { rd_kafka_topic_destroy(handle) }
        indexes = [:]
    }
}
