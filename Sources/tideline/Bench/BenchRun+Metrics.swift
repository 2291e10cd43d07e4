import Foundation
import HTTPClient
import Observability

/// The row that measures what it costs to be asked for metrics: J.
extension BenchRun {
    /// Row J: row A's work with metrics that are read each second, and without. Who comes first changes with each
    /// round, for the machine is not the same for both.
    func measureMetrics(_ round: Int) throws(CommandFailure) {
        guard rows.contains(.metrics) else { return }
        for servesMetrics in round.isMultiple(of: 2) ? [false, true] : [true, false] where !Signals.isStopRequested {
            let name = "\(servesMetrics ? "metrics" : "silent")-\(round)"
            let program = try programs.pipeline(application(name), servesMetrics: servesMetrics)
            if servesMetrics, !isRead(program) {
                let ending = program.end()
                if Signals.isStopRequested { return }
                guard ending.isGood else { throw program.failure }
                topics.environment.logger.warning("no metrics were read: the run was too short")
                continue
            }
            guard let figures = try finish(program) else { return }
            let cost = figures.cpuSecondsPerMillion(of: records(of: .fillFleet))
            take(
                [(.metricsCost, cost)], of: servesMetrics ? BenchSubject.pipeline : BenchSubject.withoutMetrics,
                round: round)
        }
    }

    /// Reads the metrics of a program each second until it has ended.
    ///
    /// - Returns: false if none came, or a signal ended it first.
    private func isRead(_ program: MeasuredProgram) -> Bool {
        var configuration = HTTPClientConfiguration()
        configuration.timeout = .seconds(5)
        let client = HTTPClient(configuration)
        defer { client.shutdown() }
        var (asked, answered) = (0, 0)
        var address: String?
        var next = WallClock.uptime()
        while program.isRunning(), !Signals.isStopRequested {
            if address == nil { address = Self.metricsAddress(in: program.errors) }
            if let address, WallClock.uptime() >= next {
                client.execute(HTTPClientRequest(.GET, url: "http://\(address)/metrics"), tag: asked)
                asked += 1
                next += .seconds(1)
            }
            for completion in client.completions(timeout: .zero) {
                if case .success(let response) = completion.result, response.status == 200 { answered += 1 }
            }
            usleep(5_000)
        }
        return answered > 0 && !Signals.isStopRequested
    }

    /// Where a process serves its metrics, as its log says.
    private static func metricsAddress(in log: String) -> String? {
        log.firstMatch(of: /metrics and health at http:\/\/([0-9.:]+)/).map { String($0.1) }
    }
}
