import Foundation
import Observability

/// The rows that wait for timelines: D and F.
extension BenchRun {
    /// A way to start a program that runs until it is told to end.
    private typealias Start = () throws(CommandFailure) -> MeasuredProgram

    /// Has the pipeline measured while it runs, then each program beside it.
    private func measureRunning(
        _ name: String, _ measure: (_ subject: String, _ start: Start) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        try measure(BenchSubject.pipeline) { () throws(CommandFailure) in
            try self.programs.pipeline(self.application(name), clock: nil)
        }
        for program in programs.besideRunning where !Signals.isStopRequested {
            try topics.removeOfOthers()
            try measure(program.name) { () throws(CommandFailure) in
                try self.programs.start(program, self.application("\(program.name)-\(name)"))
            }
        }
    }

    /// Row F: from the start of a process to the first timeline that it commits, of one vehicle and one widget.
    func measureStart(_ round: Int) throws(CommandFailure) {
        try measureRunning("start-\(round)") { subject, start throws(CommandFailure) in
            try self.measureStart(of: subject, round, start)
        }
    }

    private func measureStart(
        of subject: String, _ round: Int, _ start: Start
    ) throws(CommandFailure) {
        let probe = try TimelineProbe(topics)
        defer { probe.close() }
        // The consumer finds its partitions before the time counts.
        try probe.receive(for: .milliseconds(500)) { _ in }
        let began = WallClock.uptime()
        let program = try start()
        var seconds: Double?
        while seconds == nil, program.isRunning(), WallClock.uptime() - began < .seconds(60) {
            if Signals.isStopRequested { break }
            try probe.receive(for: .milliseconds(10)) { _ in seconds = (WallClock.uptime() - began) / .seconds(1) }
        }
        _ = program.end()
        if seconds == nil, !Signals.isStopRequested {
            topics.environment.logger.warning("no timeline came within a minute; \(program.failure.message)")
        }
        take([(.start, seconds)], of: subject, round: round)
    }

    /// Row D: a bare transaction, then changes at a steady rate while the pipeline runs, then the programs beside it.
    func measureLatency(_ round: Int) throws(CommandFailure) {
        try measureTransactions(round)
        if Signals.isStopRequested { return }
        try measureRunning("latency-\(round)") { subject, start throws(CommandFailure) in
            try self.measureLatency(of: subject, round, start)
        }
    }

    private func measureTransactions(_ round: Int) throws(CommandFailure) {
        let probe = try TransactionProbe(topics, application: application("transaction-\(round)"))
        defer { probe.close() }
        let times = try probe.run(50)
        // Both goals name the median: the broker's usual time, whatever disturbs it now and then.
        take([(.median, times.median), (.slowest, times.median)], of: BenchSubject.transaction, round: round)
    }

    private func measureLatency(
        of subject: String, _ round: Int, _ start: Start
    ) throws(CommandFailure) {
        let probe = try TimelineProbe(topics)
        defer { probe.close() }
        let program = try start()
        let latency = LatencyProbe(probe)
        guard try latency.warmUp() else {
            _ = program.end()
            if Signals.isStopRequested { return }
            return topics.environment.logger.warning("not all timelines came; \(program.failure.message)")
        }
        _ = try latency.run(for: .seconds(max(1, 5 * programs.scale)))
        let before = program.cpuSeconds
        let result = try latency.run(for: .seconds(max(2, 12 * programs.scale)))
        let used = before.flatMap { before in program.cpuSeconds.map { $0 - before } }
        _ = program.end()
        if result.unanswered > 0, !Signals.isStopRequested {
            topics.environment.logger.warning("\(subject) left \(result.unanswered) changes without a timeline")
        }
        take(
            [
                (.median, result.latencies.quantile(0.5)), (.slowest, result.latencies.quantile(0.99)),
                (.latencyCost, used),
            ], of: subject, round: round)
    }
}
