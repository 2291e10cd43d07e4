import Diagnosis
import Messages
import Observability
import Pipeline
import Producers
import Settings
import StreamRuntime

/// JSON input that is judged before it is sent.
struct JSONPublication {
    private let file: String
    private let publication: Publication
    private let keepsGoing: Bool
    private let judge: InputJudge
    private var content: JSONReplay.Content { publication.content }

    /// - Parameters:
    ///   - file: a path; `-` is standard input.
    ///   - keepsGoing: true if what is wrong is left out and the rest is sent.
    init(_ file: String, _ publication: Publication, keepGoing keepsGoing: Bool) {
        self.file = file
        self.publication = publication
        self.keepsGoing = keepsGoing
        judge = InputJudge(
            publication.content, kinds: publication.environment.settings[Keys.kinds],
            valueBytesMax: PipelineSettings().recordBytesMax)
    }

    /// Publishes the input if all of it is good, else what is good of it if that was asked for; prints a summary.
    ///
    /// - Throws: with status 65, naming the faults, if some were found; the message says how much of the input was
    ///   sent.
    func run() throws(CommandFailure) {
        if keepsGoing { return try publishRest() }
        let input = try Self.reading { () throws(InputProblem) in try InputFile(file) }
        if content == .telemetry && !input.isRegular {
            try publishBatches(of: input)
        } else {
            try publishWhole(input)
        }
    }

    // MARK: - Ways of publishing

    /// Sends the good records as they are read, and reports faults when they are met.
    private func publishRest() throws(CommandFailure) {
        let faults = FaultReport()
        // Whatever ends it.
        defer { faults.finish() }
        let source = try Self.reading { () throws(InputProblem) in
            try JSONReplay(
                file: file, content: content, judge: judge, skipsFaults: true,
                shouldStop: {
                    faults.reportCount()
                    return Signals.isStopRequested
                }, onFault: { faults.add($0) })
        }
        let summary = try publication.publish(source) { judge.recordBytesMax = $0 }
        sayRemarks()
        print(summary.json)
        guard summary.skippedCount > 0 else { return }
        faults.finish()
        throw CommandFailure(
            .dataError,
            "left out \(summary.skippedCount) of \((summary.records + summary.skippedCount).counted("record"))")
    }

    /// Judges and sends a pipe batch by batch, and ends at the first batch with a fault.
    private func publishBatches(of input: InputFile) throws(CommandFailure) {
        let batches = try Self.reading { () throws(InputProblem) in
            try JSONBatches(
                input, content: content, judge: judge, clock: SleepingClock(),
                shouldStop: { Signals.isStopRequested })
        }
        do throws(CommandFailure) {
            print(try publication.publish(batches) { judge.recordBytesMax = $0 }.json)
        } catch {
            guard batches.problems.count > 0 else { throw error }
            throw Self.failure(batches.problems, "the batch with these faults and what follows it was not sent")
        }
    }

    /// Judges all of the input, then sends all of it.
    ///
    /// Faults are reported before a broker is asked for anything. The broker alone knows how large a record may be: if
    /// one is larger, all is judged once more.
    private func publishWhole(_ input: InputFile) throws(CommandFailure) {
        try Self.reading { () throws(InputProblem) in try input.keep(shouldStop: { Signals.isStopRequested }) }
        guard let check = try check(input) else { return writeError(Self.stopped) }
        sayRemarks()
        let source = try Self.reading { () throws(InputProblem) in
            try JSONReplay(input, content: content, judge: judge, judgedCount: check.records)
        }
        let summary = try publication.publish(source) { limit throws(CommandFailure) in
            guard let limit, check.largestRecord > limit else { return }
            judge.recordBytesMax = limit
            _ = try self.check(input)
        }
        print(summary.json)
    }

    /// A field that is ignored may be meant for somebody else, and is more likely misspelt: it is said, and sent.
    private func sayRemarks() {
        for remark in judge.remarks { writeError("\(remark)") }
    }

    private static let stopped = "stopped, nothing was sent"

    /// - Returns: `nil` if the program is to end: an input that was cut off has no end that could be judged.
    private func check(_ input: InputFile) throws(CommandFailure) -> JSONCheck? {
        let progress = LateProgress("judging \(content.title)", unit: "records", publication.environment)
        let check = try Self.reading { () throws(InputProblem) in
            try JSONCheck(
                input, content: content, judge: judge, shouldStop: { Signals.isStopRequested },
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

/// Reports on standard error which faults are left out of an input: the first ones at once, the number of all further
/// ones at least every ten seconds. Owned by one thread.
final class FaultReport {
    private var problems = InputProblems()
    private var reportedCount = 0
    private var reportedAt = WallClock.uptime()

    private static let interval = Duration.seconds(10)

    func add(_ problem: InputProblem) {
        problems.add(problem)
        if problems.count <= InputProblems.kept {
            writeError("left out: \(problem)")
            (reportedCount, reportedAt) = (problems.count, WallClock.uptime())
        } else {
            reportCount()
        }
    }

    /// Reports the number of faults if it has risen and ten seconds have passed. Call it also while no faults come.
    func reportCount() {
        guard problems.count > reportedCount, WallClock.uptime() - reportedAt >= Self.interval else { return }
        writeError("left out: … and \(problems.count - reportedCount) more faults; \(problems.count) up to now")
        (reportedCount, reportedAt) = (problems.count, WallClock.uptime())
    }

    /// Reports the faults that have not been reported.
    func finish() {
        guard problems.count > reportedCount else { return }
        writeError("left out: … and \(problems.count - reportedCount) more")
        reportedCount = problems.count
    }
}
