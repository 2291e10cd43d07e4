import Messages
import RecordLog

/// Looks whether the pipeline is far behind its inputs. Then it leaves timelines for later that it could make: that it
/// has read a record, and made nothing of it yet, says nothing.
struct PipelineBacklog {
    private(set) var isFarBehind = false
    private var lookedAt: Duration?

    private static let interval = Duration.seconds(1)

    /// Looks at the inputs, at most once a second. Blocks as long as three requests take.
    mutating func look(_ admin: any Admin, _ settings: GatewaySettings, now: Duration, timeout: Duration) {
        if let lookedAt, now - lookedAt < Self.interval { return }
        lookedAt = now
        do throws(LogError) {
            isFarBehind = try unread(admin, settings, timeout: timeout) >= settings.farBehindRecords
        } catch {
            // An outage is told by the watch; inputs that this client may not describe leave what was known.
        }
    }

    /// The records that the pipeline's group has still to read.
    private func unread(_ admin: any Admin, _ settings: GatewaySettings, timeout: Duration) throws(LogError) -> Int64 {
        let topics = settings.topics.inputs
        let described = try admin.describeTopics(topics, timeout: timeout)
        let places = topics.flatMap { name in
            (0..<Partition(described[name]?.partitions ?? 0)).map { TopicPartition(name, $0) }
        }
        let committed = try admin.committedOffsets(group: settings.application, partitions: places, timeout: timeout)
        // What the group has no position in is not read at all, or all of it is: the next look knows.
        let read = places.filter { committed[$0] != nil }
        let ends = try admin.endOffsets(of: read, isolation: .readCommitted, timeout: timeout)
        return read.reduce(0) { sum, place in
            guard let end = ends[place], let next = committed[place]?.next else { return sum }
            return sum + max(0, end.rawValue - next.rawValue)
        }
    }
}
