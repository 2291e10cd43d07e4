import Diagnosis
import Messages
import Metrics
import Pipeline
import RecordLog
import StreamCore
import StreamRuntime

/// The metrics and the health of a pipeline: what stream threads tell is counted, what they publish is collected.
struct PipelineMonitoring: Sendable {
    private let monitoring: Monitoring
    private let health: PipelineHealth
    private let lag: LagWatch
    private let topics: TopicWatch
    /// The topics that dead letters come from.
    private let inputs: [String]
    private let assigned: Counter
    private let revoked: Counter
    private let lost: Counter
    private let replaced: Counter
    private let stalls: [(remedy: StallWatch.Remedy, counter: Counter)]
    /// How often the ends of topics are asked for.
    private static let lagInterval = Duration.seconds(5)

    init(_ monitoring: Monitoring, _ environment: Environment, _ lag: LagWatch, _ topics: TopicWatch) {
        self.monitoring = monitoring
        self.lag = lag
        self.topics = topics
        inputs = environment.topics.inputs
        health = PipelineHealth(environment, lag, topics)
        let registry = monitoring.registry
        assigned = registry.counter(PipelineMetrics.rebalances, ["assigned"])
        revoked = registry.counter(PipelineMetrics.rebalances, ["revoked"])
        lost = registry.counter(PipelineMetrics.rebalances, ["lost"])
        replaced = registry.counter(PipelineMetrics.producersReplaced)
        stalls = StallWatch.Remedy.allCases.map { ($0, registry.counter(PipelineMetrics.stalls, [$0.rawValue])) }
    }

    /// Takes in what a stream thread tells, on that thread.
    func note(_ event: StreamEvent) {
        health.note(event, now: WallClock.uptime())
        switch event {
        case .assigned: assigned.increment()
        case .revoked: revoked.increment()
        case .lost: lost.increment()
        case .producerReplaced: replaced.increment()
        case .stalled(_, _, _, _, let remedy): stalls.first { $0.remedy == remedy }?.counter.increment()
        default: break
        }
    }

    /// From here on metrics and checks are those of the application.
    func begin(_ application: StreamApplication) {
        let (lag, inputs, topics) = (lag, inputs, topics)
        monitoring.registry.collect { snapshot in
            // A series that begins at 1 has no rise for whoever watches.
            for topic in inputs {
                for reason in MessageProblem.Kind.allCases {
                    snapshot.add(0, to: PipelineMetrics.deadLetters, [topic, reason.rawValue])
                }
            }
            Self.collect(topics, into: &snapshot)
            Self.collect(application.statuses, lag.latest, now: WallClock.uptime(), into: &snapshot)
        }
        monitoring.watch(health)
    }

    /// To be called some times a second; asks for the lag now and then, which may take two seconds.
    func step(_ statuses: [StreamStatus], _ admin: any Admin, isAway: Bool) {
        let now = WallClock.uptime()
        health.see(statuses, now: now)
        lag.look(statuses, admin, isAway: isAway, every: Self.lagInterval, now: now)
    }

    func end() { monitoring.end() }
}

/// What the threads publish, as metrics.
extension PipelineMonitoring {
    private static func collect(_ topics: TopicWatch, into snapshot: inout MetricsSnapshot) {
        let faults = topics.faults
        for name in topics.names {
            for kind in TopicFault.Kind.allCases {
                let count = faults.count { $0.topic == name && $0.kind == kind }
                snapshot.add(count, to: PipelineMetrics.topicFaults, [name, kind.rawValue])
            }
        }
    }

    static func collect(
        _ statuses: [StreamStatus], _ lag: [PipelineStatus.TopicLag]?, now: Duration,
        into snapshot: inout MetricsSnapshot
    ) {
        var counters = TaskCounters()
        for status in statuses {
            counters.add(status.counters)
            collect(status, into: &snapshot)
            collect(status.measures, into: &snapshot)
            if let progress = status.lastProgress {
                snapshot.raise(PipelineMetrics.progressAge, to: (now - progress) / .seconds(1))
            }
        }
        if let commit = statuses.compactMap(\.lastCommit).max() {
            snapshot.add((now - commit) / .seconds(1), to: PipelineMetrics.commitAge)
        }
        for topic in lag ?? [] {
            snapshot.add(Int(topic.records), to: PipelineMetrics.lagRecords, [topic.topic])
            if let time = topic.time { snapshot.add(time / .seconds(1), to: PipelineMetrics.lagTime, [topic.topic]) }
        }
        collect(counters, into: &snapshot)
    }

    private static func collect(_ status: StreamStatus, into snapshot: inout MetricsSnapshot) {
        var remaining: Int64 = 0
        // Each state has a series, also while no task is in it.
        for state in ["waiting", "restoring", "running"] { snapshot.add(0, to: PipelineMetrics.tasks, [state]) }
        for task in status.tasks {
            switch task.state {
            case .created: snapshot.add(1, to: PipelineMetrics.tasks, ["waiting"])
            case .running: snapshot.add(1, to: PipelineMetrics.tasks, ["running"])
            case .deriving: snapshot.add(1, to: PipelineMetrics.tasks, ["restoring"])
            case .restoring(let next, let end):
                snapshot.add(1, to: PipelineMetrics.tasks, ["restoring"])
                remaining += max(0, end.rawValue - next.rawValue)
            }
        }
        snapshot.add(status.standbys.count, to: PipelineMetrics.tasks, ["standby"])
        snapshot.add(Int(remaining), to: PipelineMetrics.restoreRemaining)
        snapshot.add(1, to: PipelineMetrics.threads, [status.state])
        snapshot.add(status.commits, to: PipelineMetrics.transactions, ["committed"])
        snapshot.add(status.aborts, to: PipelineMetrics.transactions, ["aborted"])
        snapshot.add(status.refusals, to: PipelineMetrics.refused)
        snapshot.add(status.lostPositions, to: PipelineMetrics.lostPositions)
    }

    private static func collect(_ measures: StreamMeasures, into snapshot: inout MetricsSnapshot) {
        snapshot.add(measures.commits, to: PipelineMetrics.commitTime)
        snapshot.add(measures.rebalances, to: PipelineMetrics.rebalanceTime)
        snapshot.add(measures.restores, to: PipelineMetrics.restoreTime)
        snapshot.add(measures.restoredRecords, to: PipelineMetrics.restored)
        for (topic, latency) in measures.latencies { snapshot.add(latency, to: PipelineMetrics.latency, [topic]) }
        for store in measures.stores {
            snapshot.add(store.keys, to: PipelineMetrics.stateEntries, [store.name])
            snapshot.add(store.bytes, to: PipelineMetrics.stateBytes, [store.name])
        }
        snapshot.add(measures.timers.armed, to: PipelineMetrics.timersArmed)
        snapshot.add(measures.timers.due, to: PipelineMetrics.timersDue)
        snapshot.raise(PipelineMetrics.timerDelay, to: measures.timerDelay / .seconds(1))
        snapshot.add(measures.stalledPartitions, to: PipelineMetrics.stalled)
    }

    private static func collect(_ counters: TaskCounters, into snapshot: inout MetricsSnapshot) {
        snapshot.add(counters.records, to: PipelineMetrics.consumed)
        snapshot.add(counters.forwarded, to: PipelineMetrics.forwarded)
        snapshot.add(counters[.timelines], to: PipelineMetrics.timelines)
        snapshot.add(counters[.tooLargeTimelines], to: PipelineMetrics.tooLargeTimelines)
        snapshot.add(counters[.reloads], to: PipelineMetrics.reloads)
        snapshot.add(counters[.lateTelemetry], to: PipelineMetrics.lateTelemetry)
        snapshot.add(counters[.futureTelemetry], to: PipelineMetrics.futureTelemetry)
        for row in counters.reloads {
            for count in ReloadCount.allCases {
                snapshot.add(row[count], to: PipelineMetrics.changes, [row.kind, row.reason.rawValue, count.rawValue])
            }
        }
        for row in counters.deadLetters {
            snapshot.add(row.count, to: PipelineMetrics.deadLetters, [row.topic, row.reason.rawValue])
        }
        for (name, count) in PositionCounts(counters).named {
            snapshot.add(count, to: PipelineMetrics.positions, [name])
        }
    }
}
