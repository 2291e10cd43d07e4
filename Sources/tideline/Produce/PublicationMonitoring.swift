import Metrics
import Producers
import RecordLog
import Settings
import Synchronization

/// The metrics and the health of a publication. Its thread tells it; any thread asks.
final class PublicationMonitoring: HealthSource {
    private struct State {
        var progress: PublishProgress?
        /// When brokers acknowledged records, or none waited for that, on the monotonic clock.
        var acknowledged: Duration?
        var acknowledgedAt: Instant?
        let began: Duration
    }

    private let state = Mutex(State(began: WallClock.uptime()))
    private let monitoring: Monitoring
    private let brokers: BrokerHealth

    /// It is looked at each second, and a request to a broker that answers takes less.
    private static let acknowledgedMax = Duration.seconds(10)

    /// - Returns: `nil` if `metrics.listen` names no address.
    static func start(_ environment: Environment, topic: String) throws(CommandFailure) -> PublicationMonitoring? {
        let monitoring = try Monitoring.start(environment, verb: "produce", MetricsCatalogue.produce)
        return monitoring.map { PublicationMonitoring($0, environment, topic: topic) }
    }

    private init(_ monitoring: Monitoring, _ environment: Environment, topic: String) {
        self.monitoring = monitoring
        brokers = BrokerHealth(environment.brokers)
        monitoring.registry.collect { [weak self] in self?.collect(into: &$0, topic) }
        monitoring.watch(self)
    }

    // MARK: - The publication's thread

    func note(_ progress: PublishProgress) { state.withLock { $0.progress = progress } }

    func acknowledged() {
        state.withLock { state in
            state.acknowledged = WallClock.uptime()
            state.acknowledgedAt = .now()
        }
    }

    func close() {
        monitoring.end()
        monitoring.close()
    }

    // MARK: - Any thread

    func problems(_ check: HealthCheck, now: Duration) -> [HealthProblem] {
        let state = state.withLock { $0 }
        if check == .live { return [] }
        guard let acknowledged = state.acknowledged else {
            return [HealthProblem("startup", "starting: no record was acknowledged yet")] + brokers.problems(now: now)
        }
        guard check == .ready, now - acknowledged > Self.acknowledgedMax else { return [] }
        let age = (now - acknowledged).shortText
        return [HealthProblem("acknowledgements", "records wait, and none was acknowledged for \(age)")]
            + brokers.problems(now: now)
    }

    private func collect(into snapshot: inout MetricsSnapshot, _ topic: String) {
        let state = state.withLock { $0 }
        if let progress = state.progress {
            snapshot.add(progress.records, to: PublicationMetrics.records, [topic])
            snapshot.add(progress.bytes, to: PublicationMetrics.bytes, [topic])
        }
        if let instant = state.acknowledgedAt {
            snapshot.add(Double(instant.milliseconds) / 1000, to: PublicationMetrics.acknowledged, [topic])
        }
    }
}
