import Foundation
import Messages
import Observability
import RecordLog
import Settings
import Sinks
import Synchronization
import Tracing

/// Runs sinks that keep timelines or reloads, or send timelines, side by side, each on a thread of its own: one that
/// waits or fails holds up no other.
final class SinkRuns: Sendable {
    private let environment: Environment
    private let sinks: [SinkDeclaration]
    private let untilCaughtUp: Bool
    private let areNamed: Bool
    private let results = Mutex(Results())
    private let parts = DispatchGroup()

    private struct Results {
        var records: [String: Int] = [:]
        /// As JSON.
        var summaries: [String: String] = [:]
        /// In the order in which they came.
        var failures: [CommandFailure] = []
    }

    /// - Parameter areNamed: true if the summaries say of which sink they are.
    init(_ environment: Environment, _ sinks: [SinkDeclaration], untilCaughtUp: Bool, areNamed: Bool) {
        self.environment = environment
        self.sinks = sinks
        self.untilCaughtUp = untilCaughtUp
        self.areNamed = areNamed
    }

    /// Blocks until all have caught up, if that was asked for, or until the program is to end.
    /// Prints a summary of each.
    ///
    /// - Parameter health: the file that is touched while every sink's loop turns.
    /// - Throws: with status 70 if one of them could not go on; the others have done their work.
    func run(_ health: HealthFile?) throws(CommandFailure) {
        // What is wrong with settings is said at once, whether a broker answers or not.
        for sink in sinks { try check(sink) }
        try environment.resources.start(descriptors: sinks.reduce(0) { $0 + $1.descriptors })
        let monitoring = try Monitoring.start(environment, verb: "sink", MetricsCatalogue.sink)
        defer { monitoring?.close() }
        let traces = try TraceRun.start(environment, verb: "sink", monitoring)
        defer { traces?.end() }
        let admin = try environment.connect()
        let topics = Set(sinks.map { environment.topic(of: $0.content) }).sorted()
        try environment.require(topics + [environment.topics.deadLetters], admin)
        let report = SinkStatusReport(environment, admin)
        defer { report.close() }
        admin.close()
        let watches = monitoring.map { monitoring in
            sinks.map { sink in
                SinkMonitoring(
                    monitoring, environment, name: sink.name, outcomes: sink.outcomes, isOnly: sinks.count == 1)
            }
        }
        if let monitoring, let watches {
            monitoring.watch(SinksHealth(sinks: zip(sinks.map(\.name), watches).map { $0 }))
        }
        defer { monitoring?.end() }
        let pulse = health.map { Pulse($0, count: sinks.count) }
        var works: [Work] = []
        for (index, sink) in sinks.enumerated() {
            works.append(work(of: sink, watches?[index], report, traces?.tracer, turned: { pulse?.beat(index) }))
        }
        for (index, work) in works.enumerated() {
            start(sinks[index], watches?[index], ended: { pulse?.end(index) }, work)
        }
        waitForAll()
        try tell()
    }

    /// What a sink does on its thread, to its end; it gives the summary as JSON.
    private typealias Work = @Sendable () throws(CommandFailure) -> String

    /// - Throws: with status 64, if settings that its target needs are wrong.
    private func check(_ sink: SinkDeclaration) throws(CommandFailure) {
        if case .sent(let address) = sink.target { _ = try delivery(to: address, of: sink) }
    }

    private func delivery(
        to address: TimelineAddress, of sink: SinkDeclaration
    ) throws(CommandFailure) -> DeliverySinkRun {
        try DeliverySinkRun(environment, target: .timelines(address), sink, untilCaughtUp: untilCaughtUp)
    }

    private func work(
        of sink: SinkDeclaration, _ watch: SinkMonitoring?, _ report: SinkStatusReport, _ tracer: Tracer?,
        turned: @escaping @Sendable () -> Void
    ) -> Work {
        let name = areNamed ? sink.name : nil
        switch sink.target {
        case .kept(let target):
            var run = SinkRun(environment, sink, target, untilCaughtUp: untilCaughtUp)
            run.monitoring = watch
            run.report = report
            run.tracer = tracer
            return { [run] () throws(CommandFailure) in
                try run.run(
                    until: {
                        turned()
                        watch?.turned()
                        return Signals.isStopRequested
                    }, progress: { self.note(sink, $0.summary.records) }
                ).json(of: name)
            }
        case .sent(let address):
            return { [self] () throws(CommandFailure) in
                var surroundings = DeliverySinkRun.Surroundings()
                surroundings.watch = watch
                surroundings.report = report
                surroundings.tracer = tracer
                surroundings.turned = turned
                surroundings.progress = { self.note(sink, $0) }
                return try delivery(to: address, of: sink).deliver(surroundings).json(of: name)
            }
        }
    }

    private func note(_ sink: SinkDeclaration, _ records: Int) {
        results.withLock { $0.records[sink.name] = records }
    }

    private func start(
        _ sink: SinkDeclaration, _ watch: SinkMonitoring?, ended: @escaping @Sendable () -> Void, _ work: @escaping Work
    ) {
        parts.enter()
        let thread = Thread { [self] in
            defer {
                ended()
                parts.leave()
            }
            do throws(CommandFailure) {
                let summary = try work()
                watch?.noteEnd()
                results.withLock { $0.summaries[sink.name] = summary }
            } catch {
                watch?.note(failure: error.message)
                if sinks.count > 1 { environment.logger(for: .sinks).error("\(error.message); the other sinks go on") }
                results.withLock { $0.failures.append(error) }
            }
        }
        thread.name = "sink \(sink.name)"
        thread.start()
    }

    /// Shows how many records were read until all have ended.
    private func waitForAll() {
        let contents = Set(sinks.map(\.content))
        let noun = contents == [.reloads] ? "reloads" : contents == [.timelines] ? "timelines" : "records"
        let bar = ProgressBar.standardError("writing \(noun)", unit: "records", environment)
        while parts.wait(timeout: .now() + .milliseconds(100)) != .success { bar.update(completed: records) }
        bar.update(completed: records)
        bar.finish()
    }

    private var records: Int { results.withLock { $0.records.values.reduce(0, +) } }

    /// True if a sink writes to standard output, where nothing else may come between.
    private var ownsOutput: Bool { sinks.contains { $0.target == .kept(.stdout) } }

    private func tell() throws(CommandFailure) {
        let (summaries, failures) = results.withLock { ($0.summaries, $0.failures) }
        for sink in sinks {
            guard let summary = summaries[sink.name] else { continue }
            if ownsOutput { writeError(summary) } else { print(summary) }
        }
        guard let first = failures.first else { return }
        if failures.count == 1 { throw first }
        throw CommandFailure(.software, failures.map(\.message).joined(separator: "\n"))
    }
}

/// The health file of several loops: it is touched when all that go on have turned since it was. Any thread.
private final class Pulse: Sendable {
    private let file: HealthFile
    private let waitsFor: Mutex<(loops: Set<Int>, awaited: Set<Int>)>

    init(_ file: HealthFile, count: Int) {
        self.file = file
        waitsFor = Mutex((Set(0..<count), Set(0..<count)))
    }

    func beat(_ index: Int) {
        waitsFor.withLock { state in
            state.awaited.remove(index)
            guard state.awaited.isEmpty else { return }
            state.awaited = state.loops
            file.touch()
        }
    }

    /// The loop has ended.
    func end(_ index: Int) {
        waitsFor.withLock { state in
            state.loops.remove(index)
            state.awaited.remove(index)
        }
    }
}

/// The health of a process with several sinks: it is well if all of them are.
struct SinksHealth: HealthSource {
    let sinks: [(name: String, health: SinkMonitoring)]

    func problems(_ check: HealthCheck, now: Duration) -> [HealthProblem] {
        named { $0.problems(check, now: now) }
    }

    func notices(now: Duration) -> [HealthProblem] {
        named { $0.notices(now: now) }
    }

    private func named(_ told: (SinkMonitoring) -> [HealthProblem]) -> [HealthProblem] {
        guard sinks.count > 1 else { return sinks.first.map { told($0.health) } ?? [] }
        return sinks.flatMap { sink in
            told(sink.health).map { HealthProblem($0.part, "sink \(sink.name): \($0.reason)") }
        }
    }
}

extension SinkDeclaration {
    fileprivate var descriptors: Int {
        switch target {
        case .kept: Descriptors.ofSink
        case .sent: Descriptors.ofDeliveries
        }
    }

    /// What it counts, before it has begun.
    fileprivate var outcomes: SinkMonitoring.Progress.Outcomes {
        switch target {
        case .kept: SinkMonitoring.Progress.outcomes(SinkSummary())
        case .sent: SinkMonitoring.Progress.outcomes(DeliverySummary())
        }
    }
}
