import Messages
import RecordLog
import StreamRuntime
import Synchronization

/// How far behind the ends of its topics this process is. One thread asks; any thread reads what it found.
final class LagWatch: Sendable {
    private struct State {
        var asked: Duration?
        var lag: [PipelineStatus.TopicLag]?
    }

    private let state = Mutex(State())

    /// By topic, ascending; `nil` if there are no tasks, or the ends could not be asked for.
    var latest: [PipelineStatus.TopicLag]? { state.withLock { $0.lag } }

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
        var found: [PipelineStatus.TopicLag]?
        if !positions.isEmpty, !isAway {
            let partitions = positions.map(\.topicPartition)
            let ends = try? admin.endOffsets(of: partitions, isolation: .readUncommitted, timeout: .seconds(2))
            found = ends.map { Self.lag(of: positions, $0, now: WallClock.systemTime()) }
        }
        state.withLock { $0.lag = found }
    }

    private static func lag(
        of positions: [StreamStatus.Position], _ ends: [TopicPartition: Offset], now: Instant
    ) -> [PipelineStatus.TopicLag] {
        var topics: [String: PipelineStatus.TopicLag] = [:]
        for position in positions {
            let name = position.topicPartition.topic
            var topic = topics[name] ?? .init(topic: name, records: 0, time: .zero)
            let behind = max(0, (ends[position.topicPartition]?.rawValue ?? 0) - position.next.rawValue)
            topic.records += behind
            if behind > 0 {
                // One partition of which nothing was read yet makes the topic's time unknown.
                let known = position.lastTimestamp.flatMap {
                    $0.milliseconds > 0 ? Duration(max(.zero, now - $0)) : nil
                }
                topic.time = known.flatMap { known in topic.time.map { max($0, known) } }
            }
            topics[name] = topic
        }
        return topics.values.sorted { $0.topic < $1.topic }
    }
}
