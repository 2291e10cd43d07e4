import Messages
import RecordLog
import Redis

/// What a Redis has of a configuration, or will have once the transaction ends, beside the record that is next.
struct KnownTimeline {
    var value: [UInt8]?
    /// The record that `head` is read from.
    var place: TopicPartition
    var offset: Offset
    /// What the timeline says that the record has for this sink; `nil` if there is none, or it cannot be read.
    var head: TimelineHead?
}

extension RedisReply {
    /// The positions in a list of fields and values. Those that somebody has changed are left out.
    var positions: [Partition: SinkPosition] {
        var positions: [Partition: SinkPosition] = [:]
        var rest = (list ?? [])[...]
        while let partition = rest.popFirst(), let value = rest.popFirst() {
            guard let number = partition.text.flatMap({ Int32($0) }), case .bytes(let json) = value else { continue }
            positions[Partition(number)] = StoredPosition(json: json)?.position
        }
        return positions
    }
}
