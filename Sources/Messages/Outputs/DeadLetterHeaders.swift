/// What a dead letter says besides the record's own key, value and headers, by the names that Kafka Streams uses for it
/// (KIP-1034).
package enum DeadLetterHeaders {
    /// The headers to add after those that the record came with.
    ///
    /// - Parameter size: the length of a value too large to be kept, which the dead letter carries no more.
    package static func headers(
        for problem: MessageProblem, topic: String, partition: Int32, offset: Int64, size: Int? = nil
    ) -> [MessageHeader] {
        var headers = [
            MessageHeader("__streams.errors.exception", "MessageProblem.\(problem.kind.rawValue)"),
            MessageHeader("__streams.errors.message", problem.description),
            MessageHeader("__streams.errors.topic", topic),
            MessageHeader("__streams.errors.partition", String(partition)),
            MessageHeader("__streams.errors.offset", String(offset)),
        ]
        if let size { headers.append(MessageHeader(sizeName, String(size))) }
        return headers
    }

    package static let sizeName = "tideline.value-size"
}
