import Timelines

/// The lanes whose latest answer was a failure, each with its server. Of a lane one request is under way at most, so
/// none has two. A lane that is settled, or whose server has answered otherwise, is none of them.
struct FailingLanes {
    private var hosts = TextDictionary<String>()
    private var counts: [String: Int] = [:]

    /// The number of those of a server.
    func count(of host: String) -> Int { counts[host] ?? 0 }

    mutating func insert(_ lane: String, of host: String) {
        remove(lane)
        hosts[lane] = host
        counts[host, default: 0] += 1
    }

    mutating func remove(_ lane: String) {
        guard let host = hosts.removeValue(for: lane), let count = counts[host] else { return }
        counts[host] = count == 1 ? nil : count - 1
    }
}
