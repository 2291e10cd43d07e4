import Redis

extension RedisSink {
    package func configurations(while goesOn: () -> Bool) throws(SinkError) -> [String]? {
        try verify()
        let (pattern, prefix) = (RedisKeys.timelines + "*", RedisKeys.timelines.utf8.count)
        var ids: Set<[UInt8]> = []
        var cursor = "0"
        repeat {
            let command: [RedisWord] = ["SCAN", .text(cursor), "MATCH", .text(pattern), "COUNT", "1000"]
            let reply = try link.attempt("read") { (connection) throws(RedisError) in try connection.run(command) }
            let parts = reply.list ?? []
            // A key may come more than once.
            for key in parts.last?.list ?? [] {
                if case .bytes(let bytes) = key { ids.insert(Array(bytes.dropFirst(prefix))) }
            }
            cursor = parts.first?.text ?? "0"
        } while cursor != "0" && goesOn()
        return ids.map { String(decoding: $0, as: UTF8.self) }
    }
}
