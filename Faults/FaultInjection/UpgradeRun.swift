package import Foundation
import Glibc
import TestSupport

/// Two releases side by side in one group, over the same state, both ways; judged as a run of faults is.
package final class UpgradeRun: Sendable {
    private let plan: ChaosPlan
    private let oldRelease: URL
    private let say: @Sendable (String) -> Void
    private let cluster: BrokerCluster
    private let ledger: Ledger
    private let writer: LedgerWriter
    private let watch: GroupWatch
    private let logs: URL
    private static let application = "upgrade"

    /// - Parameters:
    ///   - plan: `tideline` is the new release.
    ///   - oldRelease: the executable of the release before.
    package init(_ plan: ChaosPlan, from oldRelease: URL, say: @escaping @Sendable (String) -> Void) throws {
        self.plan = plan
        self.oldRelease = oldRelease
        self.say = say
        logs = plan.directory.appending(path: "logs")
        try FileManager.default.createDirectory(at: logs, withIntermediateDirectories: true)
        cluster = try BrokerCluster(brokers: plan.brokers, clients: 0, directory: plan.directory)
        ledger = Ledger(session: String(plan.seed))
        writer = try LedgerWriter(
            ledger, tideline: oldRelease, options: Self.options(cluster), rate: plan.rate, directory: plan.directory,
            logs: logs)
        watch = GroupWatch(
            bootstrap: cluster.bootstrap, group: Self.application, inputs: ChaosRun.inputs, output: "timelines",
            partitions: plan.partitions, session: Double(plan.sessionSeconds), grace: 0)
    }

    private static func options(_ cluster: BrokerCluster, _ application: String = UpgradeRun.application) -> [String] {
        ["--bootstrap", cluster.bootstrap, "--application", application]
    }

    /// What a run came to.
    package struct Outcome: Sendable {
        /// What must not be; empty in a good run.
        package var breaches: [String] = []
        package var compared = 0
        package var versions = 0
        package var standStill = 0.0
        /// What the old release said to state of the new format, in its last line.
        package var refusal: String?
    }

    // MARK: - The stages

    /// Makes the run.
    ///
    /// - Parameter newFormat: what `state.format` is raised to in the end.
    package func run(newFormat: Int) throws -> Outcome {
        var outcome = Outcome()
        try topics(Self.application)
        let (old, new) = (process("old", oldRelease), process("new", plan.tideline))
        try old.start()
        wait(atMost: 30, every: 0.5) {
            (try? Kcat(bootstrap: cluster.bootstrap).read("\(Self.application).exchange")) != nil
        }
        try writer.start()
        watch.start()
        caughtUp("the old release alone", [old], &outcome)
        try new.start()
        caughtUp("the new one joins", [old, new], &outcome)
        old.terminate()
        caughtUp("the old one leaves", [new], &outcome)
        new.kill()
        try old.start()
        caughtUp("back: the new one is killed, the old one takes its state over", [old], &outcome)
        try new.start()
        caughtUp("both again", [old, new], &outcome)
        old.kill()
        caughtUp("the old one is killed", [new], &outcome)
        new.terminate()

        // Of a release that knows the newest format nothing is to be refused.
        let isRaise = try !knows(oldRelease, format: newFormat)
        let raised = process("raised", plan.tideline, isRaise ? ["--set", "state.format=\(newFormat)"] : [])
        try raised.start()
        caughtUp(isRaise ? "the new one with state.format \(newFormat)" : "the new one again", [raised], &outcome)
        writer.finish()
        if let failure = writer.failure { outcome.breaches.append("the ledger's writer: \(failure)") }
        if !wait(atMost: plan.settleSeconds, every: 0.5, until: { watch.figures.lag == 0 }) {
            outcome.breaches.append("stuck: lag \(watch.figures.lag.map(String.init) ?? "unknown") is left")
        }
        raised.terminate()
        if isRaise { try refuse(&outcome) }
        outcome.standStill = watch.figures.standStill
        // One of the kills leaves nobody, and the next process takes a while to look at what that left.
        let bound = Double(plan.sessionSeconds) + 4
        if outcome.standStill > bound {
            let stood = tenths(outcome.standStill)
            outcome.breaches.append("a reader stood still for \(stood) s, at most \(tenths(bound)) s")
        }
        watch.stop()
        try judge(&outcome)
        for program in [old, new, raised] { outcome.breaches += program.incidents }
        return outcome
    }

    package func close() {
        try? cluster.kill(cluster.nodes.indices)
    }

    private func process(_ name: String, _ executable: URL, _ more: [String] = []) -> ProgramSlot {
        ProgramSlot(
            name, executable,
            ["process"] + Self.options(cluster) + ["--set", "session.timeout=PT\(plan.sessionSeconds)S"] + more,
            logs: logs)
    }

    /// A setting out of its range is refused before anything else.
    private func knows(_ release: URL, format: Int) throws -> Bool {
        let words = ["process", "--bootstrap", "127.0.0.1:1", "--set", "connect.timeout=PT1S"]
        let result = try ProcessRunner(release, words + ["--set", "state.format=\(format)"], timeout: .seconds(20))
            .waitBlocking()
        return result.status != 64
    }

    /// - Parameter programs: those that must run, each with tasks of its own.
    private func caughtUp(_ stage: String, _ programs: [ProgramSlot], _ outcome: inout Outcome) {
        let began = monotonicSeconds()
        // Some time in each stage, so that both have tasks, and more is written.
        Thread.sleep(forTimeInterval: 6)
        let isDone = watch.waitUntilCaughtUp(within: 45)
        say("\(stage): \(isDone ? "caught up" : "NOT caught up") after \(tenths(monotonicSeconds() - began)) s")
        if !isDone { outcome.breaches.append("\(stage): stuck, lag \(watch.figures.lag ?? -1)") }
        for program in programs where !program.isRunning {
            outcome.breaches.append("\(stage): \(program.name) does not run")
        }
        for program in programs where !program.errorOutput.contains("tasks assigned") {
            outcome.breaches.append("\(stage): \(program.name) was given no task")
        }
    }

    // MARK: - The verdict

    /// The old release must refuse state of the new format, and change nothing.
    private func refuse(_ outcome: inout Outcome) throws {
        let before = try read("timelines").versions
        let runner = try ProcessRunner(
            oldRelease, ["process"] + Self.options(cluster), timeout: .seconds(40))
        let result = runner.waitBlocking()
        outcome.refusal = result.standardError.split(separator: "\n").last.map(String.init)
        if result.status != 70 || result.isSignalled || result.hasTimedOut {
            outcome.breaches.append(
                "the old release did not refuse state of the new format with status 70, but ended with "
                    + "\(result.isSignalled ? "signal" : "status") \(result.status): \(outcome.refusal ?? "")")
        }
        if try read("timelines").versions != before {
            outcome.breaches.append("the old release published from state of the new format")
        }
        say("the old release on the new format: \(outcome.refusal ?? "nothing said")")
    }

    private func judge(_ outcome: inout Outcome) throws {
        let check = try read("timelines")
        outcome.versions = check.versions
        outcome.breaches += check.faults.prefix(5).map { "doubled or skipped: \($0)" }
        outcome.breaches += ledger.faults(generations: writer.generations, timelines: check.last).prefix(5)
            .map { "lost: \($0)" }
        let keys = (0..<writer.generations).flatMap { [ledger.agenda($0), ledger.status($0)] }
        outcome.compared = keys.count
        for (name, release) in [("old", oldRelease), ("new", plan.tideline)] {
            let oracle = "oracle-\(name)"
            let outputs = ["timelines", "timeline.reloads", "timeline.positions.merged", "tideline.dead-letters"]
            let more = outputs.flatMap { ["--set", "topics.\($0)=\(oracle).\($0)"] }
            try topics(oracle, more)
            let words = ["process", "--until-caught-up"] + Self.options(cluster, oracle) + more
            let result = try ProcessRunner(release, words, timeout: .seconds(300)).waitBlocking()
            guard result.succeeded else { throw ChaosError("undisturbed: \(result.standardError.suffix(500))") }
            let differences = RunComparison.differences(
                of: check.last, from: try read("\(oracle).timelines").last, keys: keys, at: Date())
            outcome.breaches += differences.prefix(5).map { "differs from the \(name) release alone: \($0)" }
        }
    }

    private func read(_ topic: String) throws -> RevisionCheck {
        RevisionCheck(try Kcat(bootstrap: cluster.bootstrap).read(topic))
    }

    private func topics(_ application: String, _ more: [String] = []) throws {
        let words =
            ["topics", "--partitions", String(plan.partitions)] + Self.options(cluster, application) + more
        let result = try ProcessRunner(oldRelease, words, timeout: .seconds(60)).waitBlocking()
        guard result.succeeded else { throw ChaosError("tideline topics: \(result.standardError)") }
    }
}
