import Messages
import RecordLog
import StreamRuntime
import Synchronization

/// How far behind the ends of its topics this process is. One thread asks; any thread reads what it found.
final class LagWatch: Sendable {
    private struct State {
        var asked: Duration?
        var lag: [PipelineStatus.TopicLag]?
        /// The questions in a row that had no answer, and why the last had none.
        var failures: (count: Int, last: LogError)?
        /// Holds the partitions that were looked at last.
        var partitions: [TopicPartition: PartitionLag] = [:]
    }

    private let state = Mutex(State())

    /// By topic, ascending; `nil` if there are no tasks, or the ends could not be asked for.
    var latest: [PipelineStatus.TopicLag]? { state.withLock { $0.lag } }

    /// Why the lag is not known, once so many questions in a row had no answer; `nil` where it is, or will soon be.
    var unknown: LogError? { state.withLock { $0.failures.flatMap { $0.count >= Self.failuresMax ? $0.last : nil } } }

    /// A leader may move, and a broker be slow once.
    private static let failuresMax = 3

    /// Asks for the topics' ends, at most once in `interval`; waits up to two seconds for the answer. While a broker is
    /// away it does not: each answer would be waited for.
    func look(
        _ statuses: [StreamStatus], _ admin: any Admin, isAway: Bool, every interval: Duration, now: Duration
    ) {
        let isDue = state.withLock { state in
            if let asked = state.asked, now - asked < interval { return false }
            state.asked = now
            return true
        }
        guard isDue else { return }
        let positions = statuses.flatMap(\.tasks).flatMap(\.positions)
        // That a broker is away is told elsewhere.
        guard !positions.isEmpty, !isAway else { return state.withLock { ($0.lag, $0.failures) = (nil, nil) } }
        do throws(LogError) {
            let ends = try admin.endOffsets(
                of: positions.map(\.topicPartition), isolation: .readUncommitted, timeout: .seconds(2))
            state.withLock { state in
                state.failures = nil
                state.lag = Self.lag(of: positions, ends, &state.partitions, now: now, wall: WallClock.systemTime())
            }
        } catch {
            state.withLock { state in
                state.failures = ((state.failures?.count ?? 0) + 1, error)
                state.lag = nil
            }
        }
    }

    private static func lag(
        of positions: [StreamStatus.Position], _ ends: [TopicPartition: Offset],
        _ partitions: inout [TopicPartition: PartitionLag], now: Duration, wall: Instant
    ) -> [PipelineStatus.TopicLag] {
        var topics: [String: PipelineStatus.TopicLag] = [:]
        var seen: [TopicPartition: PartitionLag] = [:]
        for position in positions {
            let place = position.topicPartition
            var topic = topics[place.topic] ?? .init(topic: place.topic, records: 0, time: .zero)
            var partition = partitions[place] ?? PartitionLag()
            let end = ends[place] ?? position.next
            topic.records += max(0, end.rawValue - position.next.rawValue)
            let lastAge = position.lastTimestamp.flatMap {
                $0.milliseconds > 0 ? Duration(max(.zero, wall - $0)) : nil
            }
            let time = partition.observe(end: end, next: position.next, lastAge: lastAge, at: now)
            // One partition of which nothing is known makes the topic's time unknown.
            topic.time = time.flatMap { time in topic.time.map { max($0, time) } }
            if time == nil, let since = partition.waits?.since { topic.seen = max(topic.seen, now - since) }
            seen[place] = partition
            topics[place.topic] = topic
        }
        partitions = seen
        return topics.values.sorted { $0.topic < $1.topic }
    }
}
