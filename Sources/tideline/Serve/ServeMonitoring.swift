import Gateway
import HTTPServer
import Metrics
import RecordLog
import Synchronization

/// The metrics and the health of the HTTP API, beside it: no token is asked for here. Any thread.
final class ServeMonitoring: HealthSource {
    private let monitoring: Monitoring
    private let context: GatewayContext
    /// When the main loop turned last, on the monotonic clock.
    private let turned = Mutex(WallClock.uptime())
    private static let turnMax = Duration.seconds(30)

    /// - Parameter failures: how many requests were answered with 500.
    init(
        _ monitoring: Monitoring, _ context: GatewayContext, _ server: HTTPServer,
        failures: @escaping @Sendable () -> Int
    ) {
        self.monitoring = monitoring
        self.context = context
        monitoring.registry.collect { [weak self, weak server] snapshot in
            if let server { Self.collect(server.statistics, into: &snapshot) }
            snapshot.add(failures(), to: ServeMetrics.failed)
            self?.collect(into: &snapshot)
        }
        monitoring.watch(self)
    }

    func turn() { turned.withLock { $0 = WallClock.uptime() } }

    func end() { monitoring.end() }

    func problems(_ check: HealthCheck, now: Duration) -> [HealthProblem] {
        switch check {
        case .live:
            let age = turned.withLock { now - $0 }
            return age > Self.turnMax ? [HealthProblem("loop", "the server has hung for \(age.shortText)")] : []
        case .startup: return context.views.isReady ? [] : ready
        case .ready: return ready
        }
    }

    private var ready: [HealthProblem] { context.unreadiness.map { [HealthProblem("views", $0)] } ?? [] }

    private static func collect(_ statistics: HTTPServerStatistics, into snapshot: inout MetricsSnapshot) {
        snapshot.add(statistics.requests, to: ServeMetrics.requests)
        snapshot.add(statistics.connectionsOpen, to: ServeMetrics.connections)
        for kind in HTTPRefusal.Kind.allCases {
            snapshot.add(statistics.refused[kind] ?? 0, to: ServeMetrics.refused, [kind.rawValue])
        }
    }

    private func collect(into snapshot: inout MetricsSnapshot) {
        snapshot.add(context.waiters.count, to: ServeMetrics.waiting)
        let streams = context.streams.counts
        snapshot.add(streams.open, to: ServeMetrics.streams)
        snapshot.add(streams.events, to: ServeMetrics.events)
        snapshot.add(streams.tooSlow, to: ServeMetrics.tooSlow)
        let views = context.views.counts
        snapshot.add(views.timelines, to: ServeMetrics.entries, ["timelines"])
        snapshot.add(views.configurations, to: ServeMetrics.entries, ["configurations"])
        snapshot.add(views.reloads, to: ServeMetrics.entries, ["reloads"])
        snapshot.add(views.records, to: ServeMetrics.records)
        snapshot.add(views.unreadable, to: ServeMetrics.unreadable)
    }
}
