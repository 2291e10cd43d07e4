import Messages
import RecordLog
import Redis

/// Commands beside the one that sets or removes a timeline.
enum RedisCommands {
    /// Takes a configuration out of its recipient's set; nothing without a recipient.
    static func leaving(_ recipient: String?, _ id: String) -> [[RedisWord]] {
        guard let recipient, !recipient.isEmpty else { return [] }
        return [["SREM", RedisKeys.recipient(recipient), .text(id)]]
    }

    /// Adds a change to the stream, whose length is cut with the positions.
    ///
    /// - Parameters:
    ///   - head: what is known of the timeline.
    ///   - place: with `offset` the record in its topic.
    static func telling(
        _ change: RedisWord, _ id: String, _ head: TimelineHead?, _ place: TopicPartition?, _ offset: Offset?
    ) -> [RedisWord] {
        var words: [RedisWord] = [
            "XADD", .text(RedisKeys.changes), "*", "change", change, "configurationId", .text(id),
        ]
        if let head {
            words += [
                "kind", .text(head.kind), "recipient", .text(head.recipient), "revision", .integer(head.revision),
            ]
        }
        // What is removed because the topic does not have it has no record.
        if let place, let offset, offset >= Offset(0) {
            words += ["partition", .integer(Int64(place.partition.rawValue)), "offset", .integer(offset.rawValue)]
        }
        return words
    }

    static let cutting: [RedisWord] = [
        "XTRIM", .text(RedisKeys.changes), "MAXLEN", "~", .integer(RedisKeys.changesKept),
    ]
}
