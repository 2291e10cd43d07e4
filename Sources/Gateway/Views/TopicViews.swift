package import Access
package import RecordLog
import Synchronization
import Timelines

/// The topics in memory: what is in force, and the latest reloads. Every server has them all.
///
/// One thread applies committed records, in the order of each partition; any thread reads. A reading holds a lock for
/// about a microsecond and gets values that do not change.
package final class TopicViews: Sendable {
    private let state: Mutex<State>

    struct State: ~Copyable {
        var timelines = TimelineTable()
        var configurations = ConfigurationTable()
        var positions = PositionTable()
        var reloads: ReloadWindow
        /// The next offset of each partition.
        var next = OffsetVector()
        var counts = ViewCounts()
        var isReady = false
    }

    package init(_ settings: GatewaySettings) {
        state = Mutex(
            State(reloads: ReloadWindow(maximum: settings.reloadsMaximum, age: settings.reloadsAge)))
    }

    /// Lends everything under the lock. The body must be short and must call nothing that takes a lock.
    func withState<Result>(_ body: (inout State) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    // MARK: - State of the reading

    /// True once all topics were read to the ends that they had when the server started.
    package var isReady: Bool { state.withLock { $0.isReady } }

    package var counts: ViewCounts {
        state.withLock { state in
            var counts = state.counts
            counts.timelines = state.timelines.count
            counts.configurations = state.configurations.count
            counts.reloads = state.reloads.count
            return counts
        }
    }

    /// How far each topic was read.
    package var positions: OffsetVector { state.withLock { $0.next } }

    /// True if the record of that place, and everything before it, was read.
    package func hasRead(_ topic: ViewedTopic, _ partition: Partition, _ offset: Offset) -> Bool {
        state.withLock { state in
            let offsets = state.next[topic]
            return Int(partition) < offsets.count && offsets[Int(partition)] > offset
        }
    }

    // MARK: - Timelines

    /// The timeline in force; `nil` if there is none.
    package func timeline(_ configurationId: String) -> StoredTimeline? {
        state.withLock { $0.timelines[configurationId] }
    }

    /// The timelines behind the id `after`, ascending by id, at most `limit`; and true if there are more.
    package func timelines(
        recipient: String? = nil, kind: String? = nil, recipients: Confinement, after: String? = nil, limit: Int
    ) -> (timelines: [StoredTimeline], hasMore: Bool) {
        state.withLock {
            $0.timelines.page(recipient: recipient, kind: kind, recipients: recipients, after: after, limit: limit)
        }
    }

    /// The kinds that timelines have, ascending.
    package func kinds(recipients: Confinement) -> [String] {
        state.withLock { state in
            guard case .only(let allowed) = recipients else { return state.timelines.kinds }
            return state.timelines.kinds.filter { kind in
                allowed.contains { recipient in
                    !state.timelines.page(
                        recipient: recipient, kind: kind, recipients: recipients, after: nil, limit: 1
                    ).timelines.isEmpty
                }
            }
        }
    }

    // MARK: - Configurations

    /// The configuration in force; `nil` if there is none.
    package func configuration(_ configurationId: String) -> StoredConfiguration? {
        state.withLock { $0.configurations[configurationId] }
    }

    /// The configurations behind the id `after`, ascending by id, at most `limit`; and true if there are more.
    package func configurations(
        recipients: Confinement, after: String? = nil, limit: Int
    ) -> (configurations: [StoredConfiguration], hasMore: Bool) {
        state.withLock { $0.configurations.page(recipients: recipients, after: after, limit: limit) }
    }

    /// The recipient of a configuration, by its configuration or else by its timeline; `nil` if there is neither.
    package func recipient(of configurationId: String) -> String? {
        state.withLock {
            $0.configurations[configurationId]?.recipient ?? $0.timelines[configurationId]?.recipient
        }
    }

    /// The recipient and the kind of a configuration's timeline, or else those of the configuration; `nil` if there is
    /// neither.
    func owner(of configurationId: String) -> (recipient: String, kind: String?)? {
        state.withLock { state in
            if let timeline = state.timelines[configurationId] { return (timeline.recipient, timeline.kind) }
            return state.configurations[configurationId].map { ($0.recipient, nil) }
        }
    }

    // MARK: - Positions

    /// What is known of a reader's positions in a configuration; `nil` if nothing is.
    package func positions(readerId: String, configurationId: String) -> StoredPositions? {
        state.withLock { $0.positions[readerId, configurationId] }
    }

    /// A reader's merged positions behind the configuration `after`, ascending, at most `limit`; and true if there are
    /// more.
    package func positions(
        readerId: String, after: String? = nil, limit: Int
    ) -> (positions: [StoredPositions], hasMore: Bool) {
        state.withLock { $0.positions.page(readerId: readerId, after: after, limit: limit) }
    }

    // MARK: - Reloads

    func reloads(
        from start: ReloadWindow.Start, recipient: String?, recipients: Confinement, limit: Int
    ) -> ReloadWindow.Page {
        state.withLock {
            $0.reloads.page(
                from: start, recipient: recipient, recipients: recipients, positions: $0.next.positions(of: .reloads),
                limit: limit)
        }
    }
}

/// What the views hold and have read.
package struct ViewCounts: Hashable, Sendable {
    package var timelines = 0
    package var configurations = 0
    package var reloads = 0
    /// The records read since the start.
    package var records = 0
    /// Records whose key or value could not be read; what was in force before them stays.
    package var unreadable = 0
    /// Topics that were made anew under their name while the server ran, or since its cache was written.
    package var recreated = 0

    package init() {}
}
