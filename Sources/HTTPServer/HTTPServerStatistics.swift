import Synchronization

/// What a server has done since it started.
package struct HTTPServerStatistics: Hashable, Sendable {
    /// The connections open now, and all so far.
    package var connectionsOpen = 0
    package var connections = 0
    /// All requests whose headers were read, refused ones included.
    package var requests = 0
    /// The event streams open now.
    package var streamsOpen = 0
    /// The event streams that ended since their client was too slow.
    package var streamsTooSlow = 0
    /// What was refused, by reason; a reason without any is left out.
    package var refused: [HTTPRefusal.Kind: Int] = [:]
    /// The headers of responses that cannot be sent, such as one with a line feed.
    package var headersDropped = 0
}

/// The counters behind the statistics; any thread counts.
final class Counters: Sendable {
    let connections = Atomic(0)
    let requests = Atomic(0)
    /// The requests that have no response yet, or one that is not sent to its end.
    let active = Atomic(0)
    let streamsOpen = Atomic(0)
    let streamsTooSlow = Atomic(0)
    let headersDropped = Atomic(0)
    /// The bytes of bodies under way, read or announced.
    let bodyBytes = Atomic(0)
    private let refused = Mutex<[HTTPRefusal.Kind: Int]>([:])

    func count(_ kind: HTTPRefusal.Kind) { refused.withLock { $0[kind, default: 0] += 1 } }

    func statistics(open: Int) -> HTTPServerStatistics {
        var statistics = HTTPServerStatistics()
        statistics.connectionsOpen = open
        statistics.connections = connections.load(ordering: .relaxed)
        statistics.requests = requests.load(ordering: .relaxed)
        statistics.streamsOpen = streamsOpen.load(ordering: .relaxed)
        statistics.streamsTooSlow = streamsTooSlow.load(ordering: .relaxed)
        statistics.refused = refused.withLock { $0 }
        statistics.headersDropped = headersDropped.load(ordering: .relaxed)
        return statistics
    }
}
