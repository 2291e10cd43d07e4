import Foundation
import Messages
import Observability
import RecordLog
import Settings
import Sinks
import StreamRuntime
import Synchronization
import Tracing

/// Runs sinks that keep timelines or reloads, or send timelines, side by side, each on a thread of its own: one that
/// waits or fails holds up no other. One that has failed begins again, as `SinkLives` says.
final class SinkRuns: Sendable {
    private let environment: Environment
    private let sinks: [SinkDeclaration]
    private let untilCaughtUp: Bool
    private let consent: RemovalConsent?
    private let areNamed: Bool
    private let lives: SinkLives
    private let results = Mutex(Results())
    private let parts = DispatchGroup()

    private struct Results {
        /// The records that were read, by sink: in its run, and in those before it.
        var records: [String: (now: Int, before: Int)] = [:]
        /// As JSON.
        var summaries: [String: String] = [:]
        /// The failures of sinks that have not read and ended in order since.
        var failures: [String: CommandFailure] = [:]
    }

    /// - Parameters:
    ///   - consent: is asked before what targets hold and the topic does not is removed in the end; `nil` removes
    ///     nothing.
    ///   - areNamed: true if the summaries say of which sink they are.
    init(
        _ environment: Environment, _ sinks: [SinkDeclaration], untilCaughtUp: Bool,
        consent: RemovalConsent?, areNamed: Bool
    ) {
        self.environment = environment.shared(among: sinks.count)
        self.sinks = sinks
        self.untilCaughtUp = untilCaughtUp
        self.consent = consent
        self.areNamed = areNamed
        // What is to come to an end says how it ended.
        lives = SinkLives(count: sinks.count, beginAgain: !untilCaughtUp)
    }

    /// Blocks until all have caught up, if that was asked for, or until the program is to end.
    /// Prints a summary of each.
    ///
    /// - Parameter health: the file that is touched while every sink's loop turns.
    /// - Throws: with status 70 if one of them could not go on, and has not read and ended in order since; the others
    ///   have done their work.
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
        if consent != nil { try RemovalConsent.refuseReset(environment, admin) }
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
        for index in sinks.indices {
            works.append(work(of: index, watches?[index], report, traces?.tracer, turned: { pulse?.beat(index) }))
        }
        for (index, work) in works.enumerated() { start(index, watches?[index], pulse, work) }
        waitForAll()
        try tell()
    }

    /// What a sink does on its thread, to its end; it gives the summary as JSON.
    private typealias Work = @Sendable () throws(SinkFailure) -> String

    /// - Throws: with status 64, if settings that its target needs are wrong.
    private func check(_ sink: SinkDeclaration) throws(CommandFailure) {
        if case .sent(let address) = sink.target { _ = try delivery(to: address, of: sink) }
    }

    private func delivery(
        to address: TimelineAddress, of sink: SinkDeclaration
    ) throws(CommandFailure) -> DeliverySinkRun {
        try DeliverySinkRun(
            environment, target: .timelines(address), sink, untilCaughtUp: untilCaughtUp, sinks: sinks.count)
    }

    private func work(
        of index: Int, _ watch: SinkMonitoring?, _ report: SinkStatusReport, _ tracer: Tracer?,
        turned: @escaping @Sendable () -> Void
    ) -> Work {
        let sink = sinks[index]
        let name = areNamed ? sink.name : nil
        switch sink.target {
        case .kept(let target):
            var run = SinkRun(
                environment, sink, target, untilCaughtUp: untilCaughtUp, consent: consent)
            run.monitoring = watch
            run.report = report
            run.tracer = tracer
            return { [self, run] () throws(SinkFailure) in
                try run.run(
                    until: {
                        turned()
                        watch?.turned()
                        return Signals.isStopRequested
                    }, progress: { self.note(index, $0.summary.records, hasBegun: $0.hasBegun) }
                ).json(of: name)
            }
        case .sent(let address):
            return { [self] () throws(SinkFailure) in
                var surroundings = DeliverySinkRun.Surroundings()
                surroundings.watch = watch
                surroundings.report = report
                surroundings.tracer = tracer
                surroundings.turned = turned
                surroundings.progress = { records, hasBegun in self.note(index, records, hasBegun: hasBegun) }
                let run: DeliverySinkRun
                do throws(CommandFailure) {
                    run = try delivery(to: address, of: sink)
                } catch {
                    // What the settings say was checked at the start: a file is missing, perhaps for a moment.
                    throw SinkFailure(error, isFinal: false)
                }
                return try run.deliver(surroundings).json(of: name)
            }
        }
    }

    private func note(_ index: Int, _ records: Int, hasBegun: Bool) {
        let sink = sinks[index]
        results.withLock { $0.records[sink.name, default: (now: 0, before: 0)].now = records }
        guard hasBegun, let away = lives.noteReading(index, now: WallClock.uptime()) else { return }
        environment.logger(for: .sinks).notice(
            "the sink '\(sink.name)' goes on again", metadata: ["awayMs": .milliseconds(away)])
    }

    private func start(_ index: Int, _ watch: SinkMonitoring?, _ pulse: Pulse?, _ work: @escaping Work) {
        let name = sinks[index].name
        parts.enter()
        let thread = Thread { [self] in
            defer {
                pulse?.end(index)
                parts.leave()
            }
            let isWell = lives.run(
                index, clock: SleepingClock(), random: { Double.random(in: 0..<1) },
                shouldStop: {
                    pulse?.beat(index)
                    return Signals.isStopRequested
                }, failed: { note($0, $1, of: name, watch) },
                begins: {
                    watch?.noteBegin()
                    results.withLock { results in
                        let (now, before) = results.records[name] ?? (now: 0, before: 0)
                        results.records[name] = (now: 0, before: now + before)
                    }
                }
            ) { () throws(SinkFailure) in
                let summary = try work()
                results.withLock { $0.summaries[name] = summary }
            }
            guard isWell else { return }
            watch?.noteEnd()
            results.withLock { $0.failures[name] = nil }
        }
        thread.name = "sink \(name)"
        thread.start()
    }

    /// Tells a failure once, with its reason and what follows; what repeats it, at debug.
    private func note(
        _ failure: SinkFailure, _ verdict: SinkLives.Verdict, of name: String, _ watch: SinkMonitoring?
    ) {
        let (message, logger) = (failure.command.message, environment.logger(for: .sinks))
        results.withLock { $0.failures[name] = failure.command }
        switch verdict {
        case .again(let pause, let isNews):
            let again = "it begins again in \(pause.shortText)"
            watch?.note(failure: "\(message); it begins again by itself")
            let line = "\(message); the other sinks go on, and \(again)"
            if isNews { logger.error("\(line)") } else { logger.debug("\(line)") }
        case .ended:
            watch?.note(failure: message)
            logger.error("\(message); the other sinks go on")
        case .over:
            // The process ends with these words.
            watch?.note(failure: message)
        }
    }

    /// Shows how many records were read until all have ended.
    private func waitForAll() {
        let contents = Set(sinks.map(\.content))
        let noun = contents == [.reloads] ? "reloads" : contents == [.timelines] ? "timelines" : "records"
        let bar = ProgressBar.standardError("writing \(noun)", unit: "records", environment)
        while parts.wait(timeout: .now() + .milliseconds(100)) != .success {
            if let consent {
                consent.unlessAsking { bar.update(completed: records) }
            } else {
                bar.update(completed: records)
            }
        }
        bar.update(completed: records)
        bar.finish()
    }

    private var records: Int { results.withLock { $0.records.values.reduce(0) { $0 + $1.now + $1.before } } }

    /// True if a sink writes to standard output, where nothing else may come between.
    private var ownsOutput: Bool { sinks.contains { $0.target == .kept(.stdout) } }

    private func tell() throws(CommandFailure) {
        let (summaries, failures) = results.withLock { ($0.summaries, $0.failures) }
        for sink in sinks {
            guard let summary = summaries[sink.name] else { continue }
            if ownsOutput { writeError(summary) } else { print(summary) }
        }
        let failed = sinks.compactMap { failures[$0.name] }
        guard let first = failed.first else { return }
        if failed.count == 1 { throw first }
        // What was not agreed to has its status also where that is so of several.
        let isAlike = consent != nil && failed.allSatisfy { $0.status == first.status }
        throw CommandFailure(isAlike ? first.status : .software, failed.map(\.message).joined(separator: "\n"))
    }
}
