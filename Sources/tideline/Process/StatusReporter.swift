import Messages
import Observability
import Pipeline
import RecordLog
import Settings
import StreamCore
import StreamRuntime

/// Reports the state of the pipeline: on a terminal as a line below the log that is drawn anew each second, elsewhere
/// as a line of the log when something changed, or once a minute. Owned by one thread.
final class StatusReporter {
    private let environment: Environment
    private var schedule = StatusSchedule()
    private var lastLook: Duration?
    private let lag: LagWatch
    /// The samples from which rates are computed: the line before in the log, or the last ten seconds on a terminal.
    private var samples: [(instant: Duration, records: Int)] = []
    private static let rateWindow = Duration.seconds(10)

    init(_ environment: Environment, _ lag: LagWatch) {
        self.environment = environment
        self.lag = lag
    }

    /// Reports the state, at most once a second. May be called more often. The topics' ends are asked for only if a
    /// line is written.
    func report(_ statuses: [StreamStatus], _ admin: any Admin) {
        let now = WallClock.uptime()
        if let lastLook, now - lastLook < .seconds(1) { return }
        lastLook = now
        var status = Self.summed(statuses, now: now)
        status.away = environment.brokers?.awaySince.map { now - $0 }
        if let columns = environment.statusColumns {
            lag.look(statuses, admin, isAway: status.away != nil, every: .seconds(5), now: now)
            status.lag = lag.latest
            status.recordsPerSecond = rate(status.records, now: now)
            keep(status.records, now: now, window: Self.rateWindow)
            LogStream.standardError.showStatus(status.line(columns: columns - 1))
            return
        }
        guard schedule.isDue(status, now: now) else { return }
        lag.look(statuses, admin, isAway: status.away != nil, every: .zero, now: now)
        status.lag = lag.latest
        status.recordsPerSecond = rate(status.records, now: now)
        keep(status.records, now: now, window: .zero)
        switch environment.settings[Keys.logFormat] {
        case .text: environment.logger.info("\(status.line())")
        case .json: environment.logger.info("status", metadata: status.metadata)
        }
    }

    /// Removes the status line.
    func end() {
        LogStream.standardError.showStatus("")
    }

    private func rate(_ records: Int, now: Duration) -> Double? {
        guard let sample = samples.first, now > sample.instant else { return nil }
        return Double(records - sample.records) / ((now - sample.instant) / .seconds(1))
    }

    private func keep(_ records: Int, now: Duration, window: Duration) {
        samples.append((now, records))
        while samples.count > 1, now - samples[0].instant > window { samples.removeFirst() }
    }

    // MARK: - Statuses of threads

    private static func summed(_ statuses: [StreamStatus], now: Duration) -> PipelineStatus {
        var counters = TaskCounters()
        for status in statuses { counters.add(status.counters) }
        var summed = PipelineStatus()
        summed.tasks = statuses.flatMap(\.tasks).sorted { $0.partition < $1.partition }
            .map { PipelineStatus.Task(partition: $0.partition, state: $0.state, restoreRate: $0.restoreRate) }
        summed.records = counters.records
        summed.lastCommitAge = statuses.compactMap(\.lastCommit).max().map { now - $0 }
        summed.aborts = statuses.reduce(0) { $0 + $1.aborts }
        summed.lostPositions = statuses.reduce(0) { $0 + $1.lostPositions }
        summed.deadLetters = counters[.deadLetters]
        summed.lateTelemetry = counters[.lateTelemetry]
        summed.futureTelemetry = counters[.futureTelemetry]
        summed.tooLargeTimelines = counters[.tooLargeTimelines]
        summed.positions = PositionCounts(counters)
        let reloads = counters.reloads
        summed.changes = ReloadCount.allCases.map { count in
            .init(name: count.rawValue, count: reloads.reduce(0) { $0 + $1[count] })
        }
        return summed
    }
}
