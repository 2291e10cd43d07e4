import Arguments
import Messages
import Observability
import Pipeline
import Producers
import Settings

/// What happens to JSON input with faults in it.
struct JudgingOptions: ParsableArguments {
    @Flag(help: "With --json: leave out what is wrong, say it, send the rest, and end with status 65.")
    var keepGoing = false

    func check(json: String?) throws(ValidationError) {
        if keepGoing && json == nil { throw ValidationError("'--keep-going' is for '--json'.") }
    }
}

/// JSON input that is judged before it is sent.
struct JSONPublication {
    let file: String
    let content: JSONReplay.Content
    let keepGoing: Bool

    /// Publishes the input where all of it is good, else what is good of it if that was asked for; prints a summary.
    ///
    /// - Throws: with status 65, naming the faults, where some were found, and nothing, or no more, or the rest of the
    ///   input was sent.
    func publish(
        _ kafka: KafkaOptions, pacing: Pacing, limit: Int?, healthFile: String?, title: String,
        to topic: @escaping (TopicNames) -> String
    ) throws(CommandFailure) {
        let environment = try Environment(kafka)
        let run = Run(
            environment: environment,
            judge: InputJudge(
                content, kinds: environment.settings[Keys.kinds], valueBytesMax: PipelineSettings().recordBytesMax),
            publish: { source, prepare throws(CommandFailure) in
                try environment.publish(
                    source, pacing: pacing, limit: limit, healthFile: healthFile, title: title, to: topic,
                    prepare: prepare)
            })
        if keepGoing { return try publishRest(run) }
        let input = try Self.reading { () throws(InputProblem) in try InputFile(file) }
        if content == .telemetry && !input.isRegular {
            try publishBatches(of: input, run)
        } else {
            try publishWhole(input, run)
        }
    }

    /// What every way of publishing needs.
    private struct Run {
        var environment: Environment
        var judge: InputJudge
        var publish: (_ source: any RecordSource, _ prepare: Prepare) throws(CommandFailure) -> PublishSummary
    }

    private typealias Prepare = (_ recordBytesMax: Int?) throws(CommandFailure) -> Void

    // MARK: - Ways of publishing

    /// Faults are said when they are met.
    private func publishRest(_ run: Run) throws(CommandFailure) {
        let faults = FaultReport()
        // Whatever ends it.
        defer { faults.finish() }
        let source = try Self.reading { () throws(InputProblem) in
            try JSONReplay(
                file: file, content: content, judge: run.judge, skipsFaults: true,
                shouldStop: {
                    faults.tellCount()
                    return Signals.isStopRequested
                }, told: { faults.add($0) })
        }
        let summary = try run.publish(source) { run.judge.recordBytesMax = $0 }
        print(summary.json)
        guard summary.skippedCount > 0 else { return }
        faults.finish()
        throw CommandFailure(
            .dataError, "left out \(summary.skippedCount) of \(summary.records + summary.skippedCount) records")
    }

    private func publishBatches(of input: InputFile, _ run: Run) throws(CommandFailure) {
        let batches = try Self.reading { () throws(InputProblem) in
            try JSONBatches(
                input, content: content, judge: run.judge, clock: SleepingClock(),
                shouldStop: { Signals.isStopRequested })
        }
        do throws(CommandFailure) {
            print(try run.publish(batches) { run.judge.recordBytesMax = $0 }.json)
        } catch {
            guard batches.problems.count > 0 else { throw error }
            throw Self.failure(batches.problems, "the batch with these faults and what follows it was not sent")
        }
    }

    /// Faults are said before a broker is asked for anything. What the topic takes is known only after that: where
    /// something is larger, all is judged once more.
    private func publishWhole(_ input: InputFile, _ run: Run) throws(CommandFailure) {
        try Self.reading { () throws(InputProblem) in try input.keep(shouldStop: { Signals.isStopRequested }) }
        guard let check = try check(input, run) else { return writeError(Self.stopped) }
        let source = try Self.reading { () throws(InputProblem) in
            try JSONReplay(input, content: content, judge: run.judge, judgedCount: check.records)
        }
        let summary = try run.publish(source) { limit throws(CommandFailure) in
            guard let limit, check.largestRecord > limit else { return }
            run.judge.recordBytesMax = limit
            _ = try self.check(input, run)
        }
        print(summary.json)
    }

    private static let stopped = "stopped, nothing was sent"

    /// - Returns: nil where it was stopped: an input that was cut off has no end that could be judged.
    private func check(_ input: InputFile, _ run: Run) throws(CommandFailure) -> JSONCheck? {
        let progress = LateProgress("judging \(content.title)", unit: "records", run.environment)
        let check = try Self.reading { () throws(InputProblem) in
            try JSONCheck(
                input, content: content, judge: run.judge, shouldStop: { Signals.isStopRequested },
                progress: { records, fraction in
                    progress.update(completed: records, of: Int(Double(records) / max(fraction ?? 1, 0.001)))
                })
        }
        progress.finish(completed: check.records)
        if Signals.isStopRequested { return nil }
        guard check.faulty > 0 else { return check }
        throw Self.failure(
            check.problems,
            check.records == 0
                ? "nothing was sent" : "nothing was sent; with '--keep-going' the other \(check.records) would be")
    }

    private static func reading<Value>(_ body: () throws(InputProblem) -> Value) throws(CommandFailure) -> Value {
        do throws(InputProblem) {
            return try body()
        } catch {
            throw CommandFailure(.dataError, error.description)
        }
    }

    private static func failure(_ problems: InputProblems, _ result: String) -> CommandFailure {
        CommandFailure(.dataError, (problems.lines + [result]).joined(separator: "\ntideline: "))
    }
}

extension JSONReplay.Content {
    fileprivate var title: String {
        switch self {
        case .telemetry: "telemetry"
        case .calendarEvents: "events"
        case .configurations: "configurations"
        }
    }
}

/// Says on standard error what is left out of an input, as it is met: the first faults at once, of more how many there
/// are, at least every ten seconds. Owned by one thread.
final class FaultReport {
    private var problems = InputProblems()
    private var toldCount = 0
    private var toldAt = WallClock.uptime()

    private static let interval = Duration.seconds(10)

    func add(_ problem: InputProblem) {
        problems.add(problem)
        if problems.count <= InputProblems.kept {
            writeError("left out: \(problem)")
            (toldCount, toldAt) = (problems.count, WallClock.uptime())
        } else {
            tellCount()
        }
    }

    /// To be called now and then while no faults come, too.
    func tellCount() {
        guard problems.count > toldCount, WallClock.uptime() - toldAt >= Self.interval else { return }
        writeError("left out: … and \(problems.count - toldCount) more faults; \(problems.count) up to now")
        (toldCount, toldAt) = (problems.count, WallClock.uptime())
    }

    /// Says what has not been said.
    func finish() {
        guard problems.count > toldCount else { return }
        writeError("left out: … and \(problems.count - toldCount) more")
        toldCount = problems.count
    }
}
