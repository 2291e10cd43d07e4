import Redis

/// What has to be known of a Redis before timelines are written to it.
struct RedisServer {
    /// The longest text that it takes (`proto-max-bulk-len`).
    var textMax = 512 << 20
    /// What it does not tell, with its words, and what that leaves open; `nil` if it tells all.
    private(set) var unknown: String?

    /// Looks at the server.
    ///
    /// - Throws: `failed` if timelines would not stay there, or transactions would not reach it.
    init(_ connection: RedisConnection) throws(RedisError) {
        for command: [RedisWord] in [
            ["INFO"], ["CONFIG", "GET", "proto-max-bulk-len"], ["TYPE", .text(RedisKeys.changes)],
        ] {
            try connection.append(command)
        }
        let (info, limit, type) = (try connection.reply(), try connection.reply(), try connection.reply())
        // Both may be forbidden to the user, or not be there at all where somebody else runs the Redis.
        if let text = info.text { try Self.check(text) }
        let questions = [
            info.error.map { "whether it removes keys by itself or is a node of a cluster (INFO: \($0))" },
            limit.error.map { "how long a value may be (CONFIG GET: \($0))" },
        ].compactMap(\.self)
        if !questions.isEmpty { unknown = questions.joined(separator: ", nor ") }
        if let text = limit.list?.last?.text, let number = Int(text) { textMax = number }
        if let error = type.error { throw error }
        guard type.text == "none" || type.text == "stream" else {
            throw RedisError(.failed, "key \(RedisKeys.changes) is not a stream: remove it")
        }
    }

    private static func check(_ info: String) throws(RedisError) {
        let fields = Dictionary(
            info.split(whereSeparator: \.isNewline).map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return (parts.first.map(String.init) ?? "", parts.count == 2 ? String(parts[1]) : "")
            }, uniquingKeysWith: { first, _ in first })
        if fields["cluster_enabled"] == "1" {
            throw RedisError(
                .failed,
                "it is a node of a Redis Cluster, where a transaction cannot reach all keys: name a Redis without"
                    + " cluster-enabled")
        }
        if let policy = fields["maxmemory_policy"], policy.hasPrefix("allkeys"), fields["maxmemory"] != "0" {
            throw RedisError(
                .failed,
                "it removes keys when memory is short (maxmemory-policy \(policy)), so timelines would be lost"
                    + " silently: set maxmemory-policy noeviction")
        }
    }
}
