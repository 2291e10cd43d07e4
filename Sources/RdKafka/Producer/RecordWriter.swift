import CRdKafka
import RecordLog

/// Puts records into the queue of a producer; bytes are copied.
struct RecordWriter: ~Copyable {
    private let client: ClientHandle
    /// Given back by `release`, before the client is destroyed.
    private var topics: [String: OpaquePointer] = [:]
    private var last: (name: String, handle: OpaquePointer)?

    init(_ client: ClientHandle) {
        self.client = client
    }

    mutating func release() {
        last = nil
        for handle in topics.values { rd_kafka_topic_destroy(handle) }
        topics = [:]
    }

    /// Enqueues one record. Waits for room in a full queue, serving events, for as long as the time-out says.
    ///
    /// - Throws: why it was refused, with librdkafka's code.
    mutating func write(
        topic name: String, partition: Partition?, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?,
        headers: [Header], roomWithin timeout: Duration
    ) throws(Refusal) {
        let topic = try handle(of: name)
        // Without a look at the clock: the queue is hardly ever full.
        var deadline: ContinuousClock.Instant?
        while true {
            let code = enqueue(
                topic, partition?.rawValue ?? RD_KAFKA_PARTITION_UA, RecordBytes(key), RecordBytes(value), headers)
            if code == RD_KAFKA_RESP_ERR_NO_ERROR { return }
            let end = deadline ?? .now + timeout
            deadline = end
            guard code == RD_KAFKA_RESP_ERR__QUEUE_FULL, ContinuousClock.now < end else {
                throw Refusal(code: code, error: LogError(code, about: "producing to \(name)"))
            }
            rd_kafka_poll(client.pointer, 5)
        }
    }

    struct Refusal: Error {
        var code: rd_kafka_resp_err_t
        var error: LogError
    }

    private mutating func handle(of name: String) throws(Refusal) -> OpaquePointer {
        if let last, last.name == name { return last.handle }
        if let handle = topics[name] {
            last = (name, handle)
            return handle
        }
        guard let handle = rd_kafka_topic_new(client.pointer, name, nil) else {
            let code = rd_kafka_last_error()
            throw Refusal(code: code, error: LogError(code, about: "producing to \(name)"))
        }
        topics[name] = handle
        last = (name, handle)
        return handle
    }

    private func enqueue(
        _ topic: OpaquePointer, _ partition: Int32, _ key: RecordBytes, _ value: RecordBytes, _ headers: [Header]
    ) -> rd_kafka_resp_err_t {
        guard headers.isEmpty else { return enqueueWithHeaders(topic, partition, key, value, headers) }
        let result = rd_kafka_produce(
            topic, partition, RD_KAFKA_MSG_F_COPY, value.start, value.count, key.start, key.count, nil)
        return result == 0 ? RD_KAFKA_RESP_ERR_NO_ERROR : rd_kafka_last_error()
    }

    private func enqueueWithHeaders(
        _ topic: OpaquePointer, _ partition: Int32, _ key: RecordBytes, _ value: RecordBytes, _ headers: [Header]
    ) -> rd_kafka_resp_err_t {
        client.produce(key, value, headers) { fields in
            fields[0].vtype = RD_KAFKA_VTYPE_RKT
            fields[0].u.rkt = topic
            fields[1].vtype = RD_KAFKA_VTYPE_PARTITION
            fields[1].u.i32 = partition
            return 2
        }
    }
}

extension ClientHandle {
    /// Enqueues a record; bytes are copied. Does not wait for room. Any thread.
    ///
    /// - Parameter say: writes what is said beside key, value and headers, the topic at least, into the first fields,
    ///   at most 4, and returns how many they are.
    func produce(
        _ key: RecordBytes, _ value: RecordBytes, _ headers: [Header],
        _ say: (UnsafeMutableBufferPointer<rd_kafka_vu_t>) -> Int
    ) -> rd_kafka_resp_err_t {
        withUnsafeTemporaryAllocation(of: rd_kafka_vu_t.self, capacity: 8) { fields in
            fields.initialize(repeating: rd_kafka_vu_t())
            var count = say(fields)
            func add(_ type: rd_kafka_vtype_t, _ fill: (inout rd_kafka_vu_t) -> Void) {
                fields[count].vtype = type
                fill(&fields[count])
                count += 1
            }
            add(RD_KAFKA_VTYPE_MSGFLAGS) { $0.u.i = RD_KAFKA_MSG_F_COPY }
            add(RD_KAFKA_VTYPE_KEY) { $0.u.mem = .init(ptr: key.start, size: key.count) }
            add(RD_KAFKA_VTYPE_VALUE) { $0.u.mem = .init(ptr: value.start, size: value.count) }
            let list = headers.isEmpty ? nil : headerList(headers)
            if let list { add(RD_KAFKA_VTYPE_HEADERS) { $0.u.headers = list } }
            guard let error = rd_kafka_produceva(pointer, fields.baseAddress, count) else {
                return RD_KAFKA_RESP_ERR_NO_ERROR
            }
            // Only a success takes over the headers.
            if let list { rd_kafka_headers_destroy(list) }
            defer { rd_kafka_error_destroy(error) }
            return rd_kafka_error_code(error)
        }
    }

    private func headerList(_ headers: [Header]) -> OpaquePointer {
        guard let list = rd_kafka_headers_new(headers.count) else { preconditionFailure("librdkafka is out of memory") }
        for header in headers {
            // As UTF-8 with its length a short name is copied to the stack alone.
            var name = header.name
            name.withUTF8 { name in
                name.withMemoryRebound(to: CChar.self) { name in
                    RecordBytes.with(header.value) { value in
                        _ = rd_kafka_header_add(list, name.baseAddress, name.count, value.start, value.count)
                    }
                }
            }
        }
        return list
    }
}

/// Bytes as librdkafka tells them apart: NULL is none, an address with a length of zero is empty.
struct RecordBytes {
    let start: UnsafeMutableRawPointer?
    let count: Int

    /// Any address will do for no bytes, as long as it is one; Swift may give NULL for an empty buffer.
    nonisolated(unsafe) private static let somewhere = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)

    init(_ bytes: UnsafeRawBufferPointer?) {
        start = bytes.map { UnsafeMutableRawPointer(mutating: $0.baseAddress) ?? Self.somewhere }
        count = bytes?.count ?? 0
    }

    static func with<Result>(_ bytes: [UInt8]?, _ body: (RecordBytes) -> Result) -> Result {
        guard let bytes else { return body(RecordBytes(nil)) }
        return bytes.withUnsafeBytes { body(RecordBytes($0)) }
    }
}
