package import RecordLog
import Synchronization

/// The requests that a broker answers, as it said when it was met: what tells its release, as far as anything does.
package struct SupportedRequests: Hashable, Sendable {
    /// The newest version by the request's name, such as `Fetch`.
    package var versions: [String: Int] = [:]

    package init() {}

    /// Takes in a line of librdkafka's log about the feature `feature`: `ApiKey Fetch (1) Versions 4..18`. Any other
    /// line is passed over.
    mutating func read(_ line: String) {
        let words = line.split(separator: " ")
        guard let start = words.firstIndex(of: "ApiKey"), words.count >= start + 5, words[start + 3] == "Versions",
            let newest = words[start + 4].split(separator: ".").last.flatMap({ Int($0) })
        else { return }
        versions[String(words[start + 1])] = newest
    }
}

extension RdKafkaCluster {
    /// Meets the broker at one address, by a connection of its own, and asks what it supports. Blocking; any thread.
    ///
    /// - Parameter address: `host:port`.
    /// - Throws: `unreachable`, with what went wrong beneath, if it does not answer within the time.
    package func supportedRequests(at address: String, timeout: Duration) throws(LogError) -> SupportedRequests {
        let heard = Heard()
        var settings = settings
        settings.bootstrapServers = address
        settings.properties["debug"] = "feature"
        settings.log = { _, _, line in heard.requests.withLock { $0.read(line) } }
        let admin = try RdKafkaAdmin(settings)
        defer { admin.close() }
        try admin.connect(timeout: timeout)
        return heard.requests.withLock { $0 }
    }

    private final class Heard: Sendable {
        let requests = Mutex(SupportedRequests())
    }
}
