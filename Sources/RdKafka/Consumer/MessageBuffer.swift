import CRdKafka
import RecordLog

/// Owns the messages of one batch: room for pointers to them, used again once they are released.
final class MessageBuffer {
    typealias Message = UnsafeMutablePointer<rd_kafka_message_t>

    let capacity: Int
    private(set) var count = 0
    private let pointers: UnsafeMutablePointer<Message?>

    init(capacity: Int) {
        self.capacity = capacity
        pointers = .allocate(capacity: capacity)
        pointers.initialize(repeating: nil, count: capacity)
    }

    deinit {
        release()
        pointers.deallocate()
    }

    /// Adds what the queue has, at most `maximum`, and serves callbacks meanwhile.
    ///
    /// With a time-out librdkafka waits until there are `maximum`, not until there is one.
    func fill(from queue: OpaquePointer, maximum: Int, timeout: Duration) {
        let room = min(maximum, capacity - count)
        guard room > 0 else { return }
        count += max(0, rd_kafka_consume_batch_queue(queue, timeout.milliseconds, pointers + count, room))
    }

    var messages: UnsafeBufferPointer<Message?> { UnsafeBufferPointer(start: pointers, count: count) }

    func release() {
        for index in 0..<count { rd_kafka_message_destroy(pointers[index]) }
        count = 0
    }

    /// The headers of a message; none of it is parsed before.
    static func headers(of record: RecordView) -> [Header] {
        var list: OpaquePointer?
        guard let message = record.handle?.assumingMemoryBound(to: rd_kafka_message_t.self),
            rd_kafka_message_headers(message, &list) == RD_KAFKA_RESP_ERR_NO_ERROR, let list
        else { return [] }
        return (0..<rd_kafka_header_cnt(list)).compactMap { index in
            var name: UnsafePointer<CChar>?
            var value: UnsafeRawPointer?
            var size = 0
            guard rd_kafka_header_get_all(list, index, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR,
                let name
            else { return nil }
            let bytes = value.map { Array(UnsafeRawBufferPointer(start: $0, count: size)) }
            return Header(String(cString: name), bytes)
        }
    }
}

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
