import Timelines

/// The lanes whose latest answer settled nothing, each with its server. Of a lane one request is under way at most, so
/// none has two.
struct FailingLanes {
    private var lanes = TextDictionary<String>()
    private var servers: [String: Server] = [:]

    private struct Server {
        var count: Int
        /// What was told last.
        var reason: String
    }

    /// The servers of which there are any, ascending by name.
    var hosts: [String] { servers.keys.sorted() }

    /// The number of those of a server.
    func count(of host: String) -> Int { servers[host]?.count ?? 0 }

    /// The reason that was told last of a server; `nil` if there is none.
    func reason(of host: String) -> String? { servers[host]?.reason }

    mutating func insert(_ lane: String, of host: String, _ reason: String) {
        remove(lane)
        lanes[lane] = host
        let count = count(of: host)
        servers[host] = Server(count: count + 1, reason: reason)
    }

    mutating func remove(_ lane: String) {
        guard let host = lanes.removeValue(for: lane), let server = servers[host] else { return }
        servers[host] = server.count == 1 ? nil : Server(count: server.count - 1, reason: server.reason)
    }
}
