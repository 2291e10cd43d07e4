import RecordLog

/// What a ledger says beside a position: the cluster, and the last record that lies before it in the topic.
///
/// Its text is `NEXT CLUSTER`, or `NEXT CLUSTER OFFSET TIMESTAMP HASH` where a record is known: milliseconds since
/// 1970, and the hash in hexadecimal.
struct LedgerPlace {
    var next: Offset
    var cluster: String
    var before: Fingerprint?

    /// - Returns: `nil` if the position does not know its cluster.
    init?(_ position: SinkPosition) {
        guard let cluster = position.cluster else { return nil }
        next = position.next
        self.cluster = cluster
        before = position.before
    }

    /// - Returns: `nil` if the text is none of a place.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map { String($0) }
        guard words.count == 2 || words.count == 5, let next = Int64(words[0]) else { return nil }
        self.next = Offset(next)
        cluster = words[1]
        if words.count == 2 { return }
        guard let offset = Int64(words[2]), let time = Int64(words[3]), let hash = UInt64(words[4], radix: 16) else {
            return nil
        }
        before = Fingerprint(offset: Offset(offset), timestamp: Instant(milliseconds: time), hash: hash)
    }

    var text: String {
        let place = "\(next) \(cluster)"
        guard let before else { return place }
        let hash = String(before.hash, radix: 16)
        return "\(place) \(before.offset) \(before.timestamp.milliseconds) \(hash)"
    }
}
